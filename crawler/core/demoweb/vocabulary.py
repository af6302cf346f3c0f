"""The words that pages of the demo web are written with."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, slots=True)
class TopicWords:
    """Phrases of one topic: plural nouns, bare verbs, people, clauses; and what it points to."""

    path: str
    name: str
    things: tuple[str, ...]
    acts: tuple[str, ...]
    people: tuple[str, ...]
    facts: tuple[str, ...]
    cites: tuple[str, ...]


@cache
def written_topics() -> Mapping[str, TopicWords]:
    """The topics that have phrases of their own, by path."""
    files = sorted((DATA / "topics").glob("*.toml"))
    entries = (entry for file in files for entry in tomllib.loads(file.read_text("utf-8"))["topic"])
    return {entry["path"]: _words(entry) for entry in entries}


@cache
def words_of(topic: str) -> TopicWords:
    """The phrases of a topic; a topic without its own speaks with those of all topics below it."""
    written = written_topics()
    if topic in written:
        return written[topic]
    below = [words for path, words in written.items() if path.startswith(f"{topic}/")]
    return TopicWords(
        path=topic,
        name=leaf_name(topic).lower(),
        things=tuple(thing for words in below for thing in words.things),
        acts=tuple(act for words in below for act in words.acts),
        people=tuple(person for words in below for person in words.people),
        facts=tuple(fact for words in below for fact in words.facts),
        cites=tuple(dict.fromkeys(cited for words in below for cited in words.cites)),
    )


def leaf_name(topic: str) -> str:
    """`Road and Touring` for /Recreation/Cycling/Road_and_Touring."""
    return topic.rpartition("/")[2].replace("_", " ")


def parent_of(topic: str) -> str:
    """The path of the topic above."""
    return topic.rpartition("/")[0]


def is_within(topic: str, other: str) -> bool:
    """Whether `topic` is `other` or lies below it."""
    return topic == other or topic.startswith(f"{other}/")


def _words(entry: dict[str, Any]) -> TopicWords:
    return TopicWords(
        path=entry["path"],
        name=entry["name"],
        things=tuple(_phrases(entry["things"], ",")),
        acts=tuple(_phrases(entry["acts"], ",")),
        people=tuple(_phrases(entry["people"], ",")),
        facts=tuple(_phrases(entry["facts"], ";")),
        cites=tuple(entry["cites"]),
    )


def _phrases(text: str, separator: str) -> Iterator[str]:
    return (" ".join(part.split()) for part in text.split(separator) if part.strip())
