"""Files are opened whatever their packing, and known by their content."""

import gzip
import io
import json
import os
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taxonomy.core.importers.detect import Format, detect_format, read
from taxonomy.core.importers.sources import CHUNK, ImportFileError, lines, open_source
from taxonomy.core.records import ExampleRecord, Skipped, TopicRecord
from tests.core.taxonomy.files import SHARED, read_bytes, real_file

HOSTILE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
LINE = b'{"path": "/A"}\n'


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b'<?xml version="1.0"?>\n<RDF xmlns="http://dmoz.org/rdf/">', "x", Format.ODP),
        (b'\n<Topic r:id="Top/A"/>', "x", Format.ODP),
        (b'<ExternalPage about="', "x", Format.ODP),
        (b"<?xml version='1.0'?><RDF", "structure.rdf.u8.gz", Format.ODP),
        (b'{"path": "/A"}', "x.json", Format.JSONL),
        (b'{"path": "/A", "text": "' + b"x" * 70_000, "x", Format.JSONL),
        (b"\xef\xbb\xbf" + LINE, "x", Format.JSONL),
        (LINE.decode().encode("utf-16"), "x", Format.JSONL),
        (b"path;title\n", "x", Format.CSV),
        (b"Title above\n\nTier 1\tTier 2\n", "x", Format.CSV),
        (b"a,b,c\n", "x.CSV", Format.CSV),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>", "x", Format.BOOKMARKS),
        (b'<?xml version="1.0"?><opml version="2.0">', "x", Format.BOOKMARKS),
        (b"<!DOCTYPE xbel>\n<xbel>", "x", Format.BOOKMARKS),
        (b'{\n "checksum": "0", "roots": {', "Bookmarks", Format.BOOKMARKS),
        (b'{"guid":"root________","children":[]}', "x.json", Format.BOOKMARKS),
        (b'[{"href": "http://a.example"}]', "x", Format.BOOKMARKS),
        (b"Opera Hotlist version 2.0\n", "x.adr", Format.BOOKMARKS),
        (b"https://a.example/\nhttps://b.example/\n", "x.txt", Format.BOOKMARKS),
    ],
)
def test_a_file_is_known_by_its_content_then_by_its_name(head, name, kind):
    assert detect_format(head, name) is kind


@pytest.mark.parametrize("head", [b"", b" \n", b"Dear reader,\n", b"\x89PNG\r\n\x1a\n", b"<svg>"])
def test_an_unknown_file_is_refused(head):
    with pytest.raises(ImportFileError, match=r"--format|empty"):
        detect_format(head, "letter")


def test_an_unknown_format_names_the_known_ones(tmp_path):
    with pytest.raises(ImportFileError, match="odp, jsonl, csv, bookmarks"):
        read_bytes(tmp_path, LINE, "yaml")


def test_bookmarks_become_topics_and_examples(tmp_path):
    data = (
        b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Music</H3>\n<DL><p>\n"
        b'<DT><A HREF="https://a.example/">Jazz</A>\n</DL><p></DL>'
    )
    topic, example = read_bytes(tmp_path, data)
    assert topic == TopicRecord(("Music",))
    assert example == ExampleRecord(("Music",), "Jazz", "https://a.example/")


def test_every_real_bookmark_file_is_taken_for_one():
    real_file("bookmarks")
    endings = {".html", ".htm", ".opml", ".xbel", ".adr", ".rdf", ".json"}
    files = [path for path in (SHARED / "bookmarks").rglob("*") if path.suffix in endings]
    heads = [(path.read_bytes()[:65536], path.name) for path in files]
    wrong = [n for h, n in heads if h.strip() and detect_format(h, n) is not Format.BOOKMARKS]
    assert len(heads) > 50
    assert wrong == []


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ImportFileError, match="No such file"):
        list(read(tmp_path / "nothing"))
    with pytest.raises(ImportFileError, match="directory"):
        list(read(tmp_path))


def test_gzip_is_known_by_its_first_bytes(tmp_path):
    assert read_bytes(tmp_path, gzip.compress(LINE), name="a.jsonl") == [TopicRecord(("A",))]
    assert read_bytes(tmp_path, LINE, name="a.jsonl.gz") == [TopicRecord(("A",))]


def test_progress_counts_the_bytes_of_the_file(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(600_000).hex().encode()))
    seen: list[int] = []
    with open_source(path, seen.append) as stream:
        while stream.read(CHUNK):
            pass
    assert seen == sorted(seen)
    assert len(seen) > 1
    assert seen[-1] == path.stat().st_size


@pytest.mark.parametrize("damage", [lambda d: d[:-9], lambda d: d[:40], lambda d: d + b"junk"])
def test_damaged_gzip_says_what_to_do(tmp_path, damage):
    packed = gzip.compress(LINE * 1000 + os.urandom(1000))
    with pytest.raises(ImportFileError, match="again"):
        read_bytes(tmp_path, damage(packed), "jsonl")


def test_gzip_with_a_flipped_byte_says_what_to_do(tmp_path):
    packed = bytearray(gzip.compress(LINE * 1000))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ImportFileError, match="damaged"):
        read_bytes(tmp_path, bytes(packed), "jsonl")


@pytest.mark.parametrize("kind", ["jsonl", "odp"])
def test_a_gigabyte_of_zeros_does_not_fill_the_memory(tmp_path, kind):
    size = 1024 if kind == "jsonl" else 64
    bomb = gzip.compress(bytes(2**20 * 16), 9) * (size // 16)  # members add up
    assert len(bomb) < 2 * 2**20
    tracemalloc.start()
    records = read_bytes(tmp_path, bomb, kind)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert records == ([Skipped(1, "the line is longer than 1 MiB")] if kind == "jsonl" else [])
    assert peak < 8 * 2**20


@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode), st.sampled_from(Format))
@HOSTILE
def test_random_bytes_never_crash(tmp_path, data, kind):
    if kind is Format.BOOKMARKS:
        return
    for packed in (data, gzip.compress(data), b"\x1f\x8b" + data, b"\xff\xfe" + data):
        try:
            records = read_bytes(tmp_path, packed, kind)
        except ImportFileError:
            continue
        json.dumps([repr(record) for record in records])


TABLE_PIECES = [
    *("path", "url", "Tier 1", "id", "parent", "name", "level", "description", " > ", "/"),
    *(",", ";", "\t", "|", "\n", "\r", "\r\n", '"', '""', "http://a.example", "1", "2", "\0"),
]


@given(
    st.sampled_from(["path,title,url", "id,parent,name", "level;name", "Tier 1|Tier 2", "url"]),
    st.lists(st.sampled_from(TABLE_PIECES), max_size=60).map("".join),
)
@HOSTILE
def test_random_tables_never_crash(tmp_path, header, rest):
    for record in read_bytes(tmp_path, f"{header}\n{rest}".encode(), "csv"):
        assert isinstance(record, Skipped | TopicRecord | ExampleRecord)


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"bb"]), max_size=30).map(b"".join),
    st.integers(1, 4),
)
def test_lines_are_the_same_wherever_the_chunks_end(data, limit):
    class Drops(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(1)

    expected = data.splitlines(keepends=True)
    found = [line for _, line in lines(Drops(data), limit)]
    assert found == [line if len(line) <= limit else None for line in expected]
    assert list(lines(Drops(data))) == list(enumerate(expected, 1))
