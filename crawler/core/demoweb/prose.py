"""The text of a page: its own topic, the filler of all web pages, and a few words of others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from crawler.core.demoweb.catalogue import Catalogue, Clarity, DemoPage, LinkKind, PageKind, Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.speech import Speaker, deck_of, phrasebook
from crawler.core.demoweb.vocabulary import words_of, written_topics

# Own topic, filler, and the rest about another topic: shares of the sentences without a link.
_SHARES = {
    Clarity.CLEAR: (0.75, 0.15),
    Clarity.WANDERING: (0.25, 0.10),
    Clarity.VAGUE: (0.05, 0.75),
}
_LENGTHS = {
    PageKind.ARTICLE: (7, 14),
    PageKind.LEAFLET: (12, 20),
    PageKind.HOME: (7, 11),
    PageKind.SECTION: (5, 8),
    PageKind.HUB: (4, 6),
    PageKind.PRIVATE: (8, 12),
    PageKind.SERVICE: (0, 0),
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link inside a sentence."""

    place: Place
    text: str


Sentence = tuple[str | Anchor, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a list: a link and a remark."""

    anchor: Anchor
    remark: str


def paragraphs(catalogue: Catalogue, page: DemoPage) -> list[list[Sentence]]:
    """The running text of a page, its citations spread over it."""
    chance = dice(catalogue.seed, page.host, page.path, "prose")
    plain: list[Sentence] = [(text,) for text in _plain_sentences(catalogue, page, chance)]
    for sentence in list(_citations(catalogue, page, chance)):
        plain.insert(chance.randint(1, max(1, len(plain))), sentence)
    return list(_grouped(plain, chance))


def entries(catalogue: Catalogue, page: DemoPage, kind: LinkKind) -> list[Entry]:
    """A list of links with a remark on each, in the words of its target's topic."""
    chance = dice(catalogue.seed, page.host, page.path, kind)
    has_remarks = kind is LinkKind.LISTED
    return [_entry(catalogue, place, chance, has_remarks) for place in page.targets(kind)]


def description(catalogue: Catalogue, page: DemoPage) -> str:
    """One sentence about the page, for its head."""
    topic = page.topic or catalogue.sites[page.host].home
    chance = dice(catalogue.seed, page.host, page.path, "description")
    return Speaker(words_of(topic), chance).say("{things}, {things} and more about {name}.")


def _plain_sentences(catalogue: Catalogue, page: DemoPage, chance: Random) -> Iterator[str]:
    book, site = phrasebook(), catalogue.sites[page.host]
    if page.kind is PageKind.SERVICE:
        yield from book.filler
        return
    speaker = Speaker(words_of(page.topic or site.home), chance)
    digression = Speaker(words_of(chance.choice(list(written_topics()))), chance)
    voice = deck_of(book.voices[site.voice].sentences, chance)
    asides = voice if page.clarity is Clarity.WANDERING else deck_of(book.asides, chance)
    chatter = deck_of(book.filler, chance)
    own, filler = _SHARES[page.clarity]
    for number in range(chance.randint(*_LENGTHS[page.kind])):
        drawn = 0.0 if number == 0 else chance.random()
        if drawn < own:
            yield speaker.say(next(voice))
        elif drawn < own + filler:
            yield next(chatter)
        else:
            yield digression.say(next(asides))


def _citations(catalogue: Catalogue, page: DemoPage, chance: Random) -> Iterator[Sentence]:
    templates = deck_of(phrasebook().links, chance)
    for place in page.targets(LinkKind.CITED):
        title, topic = catalogue.title_and_topic(place)
        speaker = Speaker(words_of(topic), chance)
        before, after = next(templates)
        yield speaker.say(before), Anchor(place, title), speaker.fill(after)


def _entry(catalogue: Catalogue, place: Place, chance: Random, has_remark: bool) -> Entry:
    title, topic = catalogue.title_and_topic(place)
    template = "{things} and {things}" if has_remark else ""
    remark = Speaker(words_of(topic), chance).fill(template)
    return Entry(Anchor(place, title), remark)


def _grouped(sentences: Sequence[Sentence], chance: Random) -> Iterator[list[Sentence]]:
    start = 0
    while start < len(sentences):
        end = start + chance.randint(3, 5)
        yield list(sentences[start:end])
        start = end
