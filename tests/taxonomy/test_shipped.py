"""The shipped tree keeps its own rules, and they can be broken."""

import itertools
import tomllib
from collections import Counter

import pytest

from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.core.shipped import ShippedDataError, records_of, shipped_records
from taxonomy.core.words import words_of
from taxonomy.models import Example, Taxonomy, Topic
from taxonomy.services.shipped import DATA, shipped_taxonomy_ensure
from tests.taxonomy.checks import assert_sound

TOPS = [
    *("Arts", "Business", "Computers", "Games", "Health", "Home", "News", "Recreation"),
    *("Reference", "Science", "Shopping", "Society", "Sports"),
]
NAMED = [
    "Recreation/Cycling/Mountain_Biking",
    "Business/Investing/Mutual_Funds",
    "Health/Conditions/HIV_AIDS",
    "Health/First_Aid",
    "Home/Gardening",
]
# What the tree is meant to cover at least, and where: a subject is a branch or several leaves.
COVERED = {
    "history by period": ["Society/History"],
    "geography and countries": ["Regional", "Regional/World_Geography"],
    "religion": ["Society/Religion"],
    "philosophy": ["Society/Philosophy"],
    "languages and literature": ["Reference/Languages", "Arts/Literature"],
    "mathematics": ["Science/Math"],
    "physics": ["Science/Physics"],
    "chemistry": ["Science/Chemistry"],
    "astronomy": ["Science/Astronomy"],
    "earth sciences": ["Science/Earth_Sciences"],
    "plants and animals": ["Science/Biology/Plants", "Science/Biology/Animals"],
    "medicine": ["Health/Medicine", "Health/Conditions"],
    "engineering and transport": ["Science/Technology", "Business/Trade"],
    "military": ["Society/Military"],
    "politics": ["Society/Politics"],
    "law": ["Society/Law"],
    "education": ["Reference/Education"],
    "economics": ["Business/Economics"],
    "music": ["Arts/Music"],
    "painting": ["Arts/Visual_Arts"],
    "film and theatre": ["Arts/Film_and_Television", "Arts/Performing_Arts"],
    "architecture": ["Arts/Architecture"],
    "sports of all kinds": ["Sports", "Sports/Football", "Sports/Water_Sports"],
    "games": ["Games/Board_Games", "Games/Card_Games", "Games/Video_Games"],
    "food": ["Home/Cooking", "Home/Drinks"],
    "crafts": ["Arts/Crafts"],
    "programming": ["Computers/Programming"],
    "hardware": ["Computers/Hardware"],
    "the internet": ["Computers/Internet"],
}
SHARED_TERMS_MAX, SIBLINGS_SHARED_TERMS_MAX = 0.45, 0.25
SHARED_SENTENCE_WORDS = 12


@pytest.fixture(scope="module")
def records() -> list[TopicRecord | ExampleRecord]:
    return list(shipped_records(DATA))


@pytest.fixture(scope="module")
def topics(records) -> dict[str, TopicRecord]:
    return {"/".join(r.path): r for r in records if isinstance(r, TopicRecord)}


@pytest.fixture(scope="module")
def leaves(topics) -> dict[str, TopicRecord]:
    inner = {path.rpartition("/")[0] for path in topics}
    return {path: record for path, record in topics.items() if path not in inner}


def test_the_tree_covers_general_interests(topics):
    assert {path for path in topics if "/" not in path} >= set(TOPS)
    assert len(topics) >= 250
    assert max(path.count("/") for path in topics) >= 2
    assert set(NAMED) <= set(topics)


@pytest.mark.parametrize("subject", COVERED)
def test_the_tree_covers(subject, leaves):
    for branch in COVERED[subject]:
        assert sum(path.startswith(f"{branch}/") for path in leaves) >= 2, branch


def test_every_data_file_is_one_top_level_topic(topics):
    assert {file.stem for file in DATA.glob("*.toml")} == {
        path.lower() for path in topics if "/" not in path
    }


def test_no_two_topics_have_one_path(records):
    paths = Counter(r.path for r in records if isinstance(r, TopicRecord))
    assert [path for path, number in paths.items() if number > 1] == []


def test_every_leaf_has_terms_addresses_and_examples(records, leaves):
    examples = Counter("/".join(r.path) for r in records if isinstance(r, ExampleRecord))
    thin = [
        path
        for path, leaf in leaves.items()
        if len(set(leaf.terms)) < 60 or len(set(leaf.start_urls)) < 5 or examples[path] < 3
    ]
    assert thin == []


def test_no_two_leaves_share_too_many_terms(leaves):
    terms = {path: set(leaf.terms) for path, leaf in leaves.items()}
    shared = {
        (one, other): len(terms[one] & terms[other]) / min(len(terms[one]), len(terms[other]))
        for one, other in itertools.combinations(terms, 2)
    }
    assert {pair: share for pair, share in shared.items() if share > _allowed(*pair)} == {}


def _allowed(one: str, other: str) -> float:
    """Siblings must be told apart; cars to drive and cars as machines may share more words."""
    are_siblings = one.rpartition("/")[0] == other.rpartition("/")[0]
    return SIBLINGS_SHARED_TERMS_MAX if are_siblings else SHARED_TERMS_MAX


def test_no_two_examples_share_a_passage(records):
    seen: dict[tuple[str, ...], str] = {}
    repeated = []
    for record in (r for r in records if isinstance(r, ExampleRecord)):
        words = list(words_of(record.text))
        for start in range(len(words) - SHARED_SENTENCE_WORDS):
            passage = tuple(words[start : start + SHARED_SENTENCE_WORDS])
            if seen.setdefault(passage, record.title) != record.title:
                repeated.append((record.title, seen[passage]))
    assert repeated == []


def test_titles_are_not_used_twice(records):
    titles = Counter(r.title for r in records if isinstance(r, ExampleRecord))
    assert [title for title, number in titles.items() if number > 1] == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("[[topic.example]]", "[[topic.other]]", "0 examples, fewer than 3"),
        ("description =", "remark =", "has no description"),
        ("https://", "ftp://", "different web addresses"),
        ('terms = """', 'words = """', "different terms, fewer than 60"),
        ('path = "/News"', 'path = "/Gnus"', "comes before its parent"),
        ('path = "/News/Magazines"', 'path = "/News/Newspapers"', "is there twice"),
        ('voice = "', 'tone = "', "fewer than 3 voices"),
        ('title = "', 'heading = "', "an example without a title"),
        ('text = """', 'body = """', "an example of 0 words"),
    ],
)
def test_a_file_that_breaks_a_rule_is_named(before, after, problem):
    content = (DATA / "news.toml").read_text(encoding="utf-8").replace(before, after)
    with pytest.raises(ShippedDataError, match=rf"news\.toml: .*{problem}"):
        records_of("news.toml", tomllib.loads(content))


def test_the_tree_is_loaded_once_and_then_the_teams_own(team):
    report = shipped_taxonomy_ensure(team=team)
    assert report is not None
    assert report.skipped_count == 0
    assert Topic.objects.of(report.taxonomy).count() == report.topics
    assert Example.objects.filter(source=Example.Source.SHIPPED).count() == report.examples
    assert_sound(report.taxonomy)
    assert shipped_taxonomy_ensure(team=team) is None
    assert Taxonomy.objects.count() == 1
