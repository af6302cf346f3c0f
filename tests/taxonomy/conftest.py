"""A small tree of the owner's team."""

from collections.abc import Callable

import pytest

from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.core.tree import split_path
from taxonomy.models import Taxonomy, Topic
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.imports import taxonomy_import

PATHS = [
    "/Arts/Music/Jazz",
    "/Arts/Music/Opera",
    "/Arts/Painting",
    "/Recreation/Cycling/Mountain_Biking",
    "/Recreation/Cycling/Racing",
    "/Recreation/Hiking",
]


@pytest.fixture
def taxonomy(team) -> Taxonomy:
    """Six leaves with two examples each."""
    records = [
        record
        for path in PATHS
        for record in (
            TopicRecord(split_path(path), f"About {path}", ("one", "two"), ("https://a.example/",)),
            ExampleRecord(split_path(path), f"First of {path}", "", "some words"),
            ExampleRecord(split_path(path), "Second", f"https://example.org{path}", ""),
        )
    ]
    return taxonomy_import(name="Small", team=team, records=records).taxonomy


@pytest.fixture
def at(taxonomy) -> Callable[[str], Topic]:
    """The topic at a path, as it is now."""
    return lambda path: topic_by_path(taxonomy=taxonomy, path=path)
