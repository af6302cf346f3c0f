"""Sentences made of templates and phrases."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

from crawler.core.demoweb.vocabulary import DATA, TopicWords

Item = TypeVar("Item")

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Voice:
    """How a kind of site speaks."""

    titles: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """All voices, and the sentences that every voice uses."""

    voices: Mapping[str, Voice]
    links: tuple[tuple[str, str], ...]  # before and after the anchor
    filler: tuple[str, ...]
    asides: tuple[str, ...]
    vague_titles: tuple[str, ...]


@cache
def phrasebook() -> Phrasebook:
    """The templates of the data file."""
    content = tomllib.loads((DATA / "voices.toml").read_text("utf-8"))
    return Phrasebook(
        voices={
            name: Voice(tuple(voice["title"]), tuple(voice["sentences"]))
            for name, voice in content["voices"].items()
        },
        links=tuple((before, after) for before, after in content["links"]["sentences"]),
        filler=tuple(content["filler"]["sentences"]),
        asides=tuple(content["filler"]["asides"]),
        vague_titles=tuple(content["filler"]["titles"]),
    )


class Speaker:
    """Fills templates with the phrases of one topic, using all before repeating one."""

    def __init__(self, words: TopicWords, chance: Random) -> None:
        self._name = words.name
        self._decks = {
            "things": deck_of(words.things, chance),
            "acts": deck_of(words.acts, chance),
            "people": deck_of(words.people, chance),
            "fact": deck_of(words.facts, chance),
        }

    def fill(self, template: str) -> str:
        """The template with a new phrase in every slot."""
        return _SLOT.sub(lambda slot: self._phrase(slot.group(1)), template)

    def say(self, template: str) -> str:
        """The filled template as a sentence."""
        return capitalised(self.fill(template))

    def _phrase(self, slot: str) -> str:
        if slot == "name":
            return self._name
        phrase = next(self._decks[slot.lower()])
        return capitalised(phrase) if slot[0].isupper() else phrase


def capitalised(text: str) -> str:
    """With a capital first letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def deck_of(phrases: Sequence[Item], chance: Random) -> Iterator[Item]:
    """The phrases in an order of chance, and again: none comes back before all have been used."""
    deck = chance.sample(phrases, len(phrases))
    while True:
        yield from deck
