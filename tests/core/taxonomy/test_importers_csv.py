"""Tables of many shapes."""

import pytest

from taxonomy.core.importers.csv_file import path_separator
from taxonomy.core.importers.detect import read
from taxonomy.core.importers.sources import ImportFileError
from taxonomy.core.records import ExampleRecord, Skipped, TopicRecord
from tests.core.taxonomy.files import kinds, read_bytes, real_file, skipped


def read_table(tmp_path, text: str):
    return read_bytes(tmp_path, text.encode(), "csv")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_usual_delimiter_is_found(tmp_path, delimiter):
    text = "Category Path|URL|Title|Notes\n/A/B|http://a.example|T|N\n".replace("|", delimiter)
    assert read_table(tmp_path, text) == [ExampleRecord(("A", "B"), "T", "http://a.example", "N")]


@pytest.mark.parametrize("path", ["path", "TOPIC", "Category", "category_path", " Folder "])
@pytest.mark.parametrize("url", ["url", "Link", "HREF", "uri", "address"])
def test_columns_are_known_by_their_usual_names(tmp_path, path, url):
    assert read_table(tmp_path, f"{url},{path}\nhttp://a.example,A/B") == [
        ExampleRecord(("A", "B"), "", "http://a.example")
    ]


def test_quotes_and_line_ends_inside_cells(tmp_path):
    text = '\ufeffpath,title,text\r\n"A, ""B""/C","T","one\r\ntwo"\r\nA,5" disk,x\r\n'
    assert read_table(tmp_path, text) == [
        ExampleRecord(('A,_"B"', "C"), "T", "", "one\r\ntwo"),
        ExampleRecord(("A",), '5" disk', "", "x"),
    ]


def test_a_description_belongs_to_the_page_if_there_is_one_else_to_the_topic(tmp_path):
    text = "path,url,description\nA,http://a.example,of page\nB,,of topic\n"
    assert read_table(tmp_path, text) == [
        ExampleRecord(("A",), "", "http://a.example", "of page"),
        TopicRecord(("B",), "of topic"),
    ]


def test_labelled_texts_are_examples(tmp_path):
    assert read_table(tmp_path, "category,text\nA,some words\n") == [
        ExampleRecord(("A",), text="some words")
    ]


def test_links_without_a_path_are_examples_that_nobody_placed(tmp_path):
    assert read_table(tmp_path, "title,url,tags\nT,http://a.example,x\n") == [
        ExampleRecord((), "T", "http://a.example")
    ]


@pytest.mark.parametrize(
    ("values", "separator"),
    [
        (["A/B", "A/B > x", *["A/C"] * 20], "/"),
        (["A", "TV/Film", "TV/Film > News", "Cars/Vans"], ">"),
        (["A>B", "A"], ">"),
        (["A|B", "A|C"], "|"),
        (["/A > B/C", "/A"], "/"),
        (["A"], "/"),
        ([], "/"),
    ],
)
def test_the_separator_is_what_the_paths_use(values, separator):
    assert path_separator(values) == separator


def test_paths_with_angles_keep_slashes_in_names(tmp_path):
    assert read_table(tmp_path, "path\nTV/Film\nTV/Film > News\nTV/Film>Talk\n") == [
        TopicRecord(("TV-Film",)),
        TopicRecord(("TV-Film", "News")),
        TopicRecord(("TV-Film", "Talk")),
    ]


def test_tiers_below_a_title_line(tmp_path):
    text = "Taxonomy,,\n\nTier 1,Tier 2,Name\nA,,A\nA,B,B\n,,\n"
    assert read_table(tmp_path, text) == [TopicRecord(("A",)), TopicRecord(("A", "B"))]


def test_tiers_with_links_are_a_directory(tmp_path):
    assert read_table(tmp_path, "Tier 1,Tier 2,Name,URL\nA,B,N,http://a.example\n") == [
        ExampleRecord(("A", "B"), "N", "http://a.example")
    ]


def test_levels_are_an_outline(tmp_path):
    text = "Code,Tier,Name\n1,Tier 1,A\n2,Tier 2,B\n3,Tier 1,C\n4,2,D\n"
    paths = [("A",), ("A", "B"), ("C",), ("C", "D")]
    assert read_table(tmp_path, text) == [TopicRecord(path) for path in paths]


def test_nothing_is_put_below_a_row_whose_level_or_name_is_unknown(tmp_path):
    text = "level,name\n1,A\n3,B\n2,\n3,C\n2,D\nx,E\n2,F\n1,G\n"
    records = read_table(tmp_path, text)
    paths = [("A",), ("A", "D"), ("G",)]
    assert [r for r in records if not isinstance(r, Skipped)] == [TopicRecord(p) for p in paths]
    assert [(s.line, s.reason) for s in skipped(records)] == [
        (3, "no topic for level 3"),
        (4, "no topic name"),
        (5, "no topic for level 3"),
        (7, "no topic for level x"),
        (8, "no topic for level 2"),
    ]


def test_parents_may_come_after_their_children(tmp_path):
    text = "Unique ID,Parent ID,Name,Description\n2,1,B,of B\n1,,A/a,\n3,0,C,\n"
    assert read_table(tmp_path, text) == [
        TopicRecord(("A-a", "B"), "of B"),
        TopicRecord(("A-a",)),
        TopicRecord(("C",)),
    ]


def test_circles_missing_parents_and_double_ids_are_skipped(tmp_path):
    text = "id,parent,name\n1,2,A\n2,1,B\n3,9,C\n4,3,D\n5,5,E\n6,,F\n6,,G\n7,6,\n8,7,H\n"
    topic, *rest = sorted(read_table(tmp_path, text), key=lambda r: isinstance(r, Skipped))
    assert topic == TopicRecord(("F",))
    assert [(s.line, s.reason) for s in skipped(rest)] == [
        (2, "the parents go in a circle or too deep"),
        (3, "the parents go in a circle or too deep"),
        (4, "the parent 9 is missing"),
        (5, "the parent 9 is missing"),
        (6, "the parents go in a circle or too deep"),
        (8, "the ID occurs twice"),
        (9, "no topic name"),
        (10, "no topic name"),
    ]


def test_a_long_chain_of_parents_is_cheap(tmp_path):
    text = "id,parent,name\n" + "".join(f"{i},{i - 1 or ''},n\n" for i in range(1, 20_001))
    assert kinds(read_table(tmp_path, text)) == (50, 0, 19_950)


def test_rows_of_the_wrong_width_are_skipped(tmp_path):
    assert read_table(tmp_path, "path,title\nA\nA,T,x\nA,T,\n\n , \nB,T\n") == [
        Skipped(2, "1 cells where the header has 2"),
        Skipped(3, "3 cells where the header has 2"),
        ExampleRecord(("A",), "T"),
        ExampleRecord(("B",), "T"),
    ]


def test_a_row_without_a_path_is_skipped(tmp_path):
    assert read_table(tmp_path, "path,title\n,T\n/,T\n") == [
        Skipped(2, "no topic path"),
        Skipped(3, "no topic path"),
    ]


def test_a_stray_quote_costs_only_its_line(tmp_path):
    rows = "".join(f"A,T{i}\n" for i in range(150_000))
    records = read_table(tmp_path, f'path,title\nA,"never closed\n{rows}B,"x\n')
    assert kinds(records) == (0, 150_000, 2)
    assert [s.line for s in skipped(records)] == [2, 150_003]


def test_quotes_that_open_on_every_line_take_linear_time(tmp_path):
    assert kinds(read_table(tmp_path, "path,title\n" + 'a","\n' * 100_000)) == (0, 0, 100_000)


def test_nuls_and_huge_cells_are_no_danger(tmp_path):
    text = f"path,text\nA\0,{'x' * 900_000}\nA,{'y' * 2_000_000}\nB,z\n"
    one, long, other = read_table(tmp_path, text)
    assert one == ExampleRecord(("A",), text="x" * 200_000)
    assert long == Skipped(3, "the line is longer than 1 MiB")
    assert other == ExampleRecord(("B",), text="z")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_is_read(tmp_path, end):
    assert read_table(tmp_path, f"path,title{end}A,T{end}B,U") == [
        ExampleRecord(("A",), "T"),
        ExampleRecord(("B",), "U"),
    ]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "ID\tdescription\n1\tno path\n", '"', "\0"])
def test_a_table_without_usable_columns_names_the_accepted_ones(tmp_path, text):
    with pytest.raises(ImportFileError, match=r"category path, folder.*Tier 1.*Parent"):
        read_table(tmp_path, text)


@pytest.mark.parametrize(("name", "topics"), [("topics.txt", 239), ("subTopics.txt", 2285)])
def test_the_odp239_extract(name, topics):
    records = list(read(real_file(f"odp239_taxonomy/{name}")))
    assert kinds(records) == (topics, 0, 0)
    assert {r.path[:2] for r in records if isinstance(r, TopicRecord)} >= {("Arts", "Animation")}


@pytest.mark.parametrize(
    ("version", "topics"),
    [
        ("1.0", 392),
        ("2.0", 1179),
        ("2.1", 1179),
        ("2.2", 1196),
        ("3.0 Descriptive Vectors", 47),
        ("3.0", 703),
        ("3.1", 704),
    ],
)
def test_the_iab_taxonomies(version, topics):
    name = f"iab_taxonomies/Content Taxonomies/Content Taxonomy {version}.tsv"
    assert kinds(list(read(real_file(name)))) == (topics, 0, 0)


def test_a_real_directory():
    records = list(read(real_file("webdir_awesome/entries.tsv.gz")))
    assert kinds(records) == (0, 140_971, 1)
    assert len({record.path for record in records if isinstance(record, ExampleRecord)}) == 16_008
