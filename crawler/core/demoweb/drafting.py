"""Gives every site its pages: titles, addresses and true topics, but no links yet."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from random import Random

from crawler.core.demoweb.catalogue import Clarity, DemoPage, PageKind, Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.plans import RobotsRule, SiteKind, SitePlan
from crawler.core.demoweb.speech import Speaker, capitalised, phrasebook
from crawler.core.demoweb.vocabulary import leaf_name, parent_of, words_of, written_topics

LISTED = 20  # articles on one page of a section
LEAFLET_SHARE = 0.03
CLARITY_SHARES = {Clarity.CLEAR: 0.44, Clarity.WANDERING: 0.3, Clarity.VAGUE: 0.26}
PRIVATE_PAGES = 6
# Funds have no section of their own: their pages stand among those of their parent, as on the
# Web of the 1999 paper, where a crawl for mutual funds starved unless all of investing was let in.
EMBEDDED = "/Business/Investing/Mutual_Funds"
EMBEDDED_SHARE = 0.15
SERVICES = (("/about", "About us"), ("/contact", "Contact and privacy"))
_NO_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass
class SiteDraft:
    """A site's pages by the part they play."""

    plan: SitePlan
    home: DemoPage
    sections: dict[str, list[DemoPage]] = field(default_factory=dict)  # index pages by topic
    articles: dict[str, list[DemoPage]] = field(default_factory=dict)  # by topic of the section
    hubs: list[DemoPage] = field(default_factory=list)
    others: list[DemoPage] = field(default_factory=list)  # services and private pages

    def pages(self) -> Iterator[DemoPage]:
        """All of them, the front page first."""
        yield self.home
        for section, indexes in self.sections.items():
            yield from indexes
            yield from self.articles[section]
        yield from self.hubs
        yield from self.others


def draft_site(plan: SitePlan, number: int, seed: int) -> SiteDraft:
    """A site with about `number` pages; the indexes of its sections come on top."""
    chance = dice(seed, plan.host, "pages")
    taken: set[str] = set()
    draft = SiteDraft(plan, DemoPage(Place(plan.host, "/"), plan.title, plan.home, PageKind.HOME))
    draft.hubs = [_hub(plan, topic) for topic in plan.hubs]
    for topic in _article_topics(plan, max(2, number - 1 - len(plan.hubs)), chance):
        section = _section_of(plan, topic)
        draft.articles.setdefault(section, []).append(_article(plan, topic, section, chance, taken))
    draft.sections = {
        section: list(_indexes(plan, section, len(articles)))
        for section, articles in draft.articles.items()
    }
    draft.others = list(_others(plan, chance))
    return draft


def slug(text: str) -> str:
    """The text as part of an address.

    >>> slug("Road and Touring: a guide!")
    'road-and-touring-a-guide'
    """
    return _NO_SLUG.sub("-", text.lower()).strip("-")


def _article_topics(plan: SitePlan, number: int, chance: Random) -> list[str]:
    topics = list(plan.topics)
    weights = [1.0 / (rank + 1.5) for rank in range(len(topics))]
    if plan.kind is SiteKind.MIXED:
        everything = [topic for topic in written_topics() if topic != EMBEDDED]
        topics, weights = topics + everything, [3.0] * len(topics) + [1.0] * len(everything)
    if EMBEDDED in topics:
        place = topics.index(EMBEDDED)
        weights[place] = 0.0
        weights[place] = sum(weights) * EMBEDDED_SHARE
    return chance.choices(topics, weights, k=number)


def _section_of(plan: SitePlan, topic: str) -> str:
    above = parent_of(topic)
    is_listed_above = plan.kind is SiteKind.MIXED or above == parent_of(EMBEDDED)
    return above if is_listed_above else topic


def _article(plan: SitePlan, topic: str, section: str, chance: Random, taken: set[str]) -> DemoPage:
    clarity = chance.choices(list(CLARITY_SHARES), list(CLARITY_SHARES.values()))[0]
    book = phrasebook()
    is_vague = clarity is Clarity.VAGUE
    template = chance.choice(book.vague_titles if is_vague else book.voices[plan.voice].titles)
    title = Speaker(words_of(topic), chance).say(template)
    path = _free_path(f"/{slug(leaf_name(section))}/{'-'.join(slug(title).split('-')[:7])}", taken)
    is_leaflet = chance.random() < LEAFLET_SHARE
    kind = PageKind.LEAFLET if is_leaflet else PageKind.ARTICLE
    return DemoPage(Place(plan.host, path), title, topic, kind, clarity)


def _free_path(wanted: str, taken: set[str]) -> str:
    editions = (f"{wanted}-{number}" for number in count(2))
    path = next(path for path in chain([wanted], editions) if path not in taken)
    taken.add(path)
    return path


def _indexes(plan: SitePlan, section: str, articles: int) -> Iterator[DemoPage]:
    title = f"All about {words_of(section).name}"
    for number in range(1, -(-articles // LISTED) + 1):
        end, more = ("", "") if number == 1 else (f"page-{number}", f", page {number}")
        place = Place(plan.host, f"/{slug(leaf_name(section))}/{end}")
        yield DemoPage(place, f"{title}{more}", section, PageKind.SECTION)


def _hub(plan: SitePlan, topic: str) -> DemoPage:
    name = words_of(topic).name
    place = Place(plan.host, f"/links/{slug(leaf_name(topic))}")
    return DemoPage(place, f"{capitalised(name)}: the best pages elsewhere", topic, PageKind.HUB)


def _others(plan: SitePlan, chance: Random) -> Iterator[DemoPage]:
    for path, title in SERVICES:
        yield DemoPage(Place(plan.host, path), title, "", PageKind.SERVICE)
    if plan.robots is RobotsRule.PRIVATE:
        speaker = Speaker(words_of(plan.home), chance)
        for number in range(1, PRIVATE_PAGES + 1):
            place = Place(plan.host, f"/private/minutes-{number}")
            yield DemoPage(place, speaker.say("Minutes: {things}"), "", PageKind.PRIVATE)


def chunk_of(articles: Sequence[DemoPage], index: int) -> Sequence[DemoPage]:
    """The articles that the section's page number `index`, from 0, lists."""
    return articles[index * LISTED : (index + 1) * LISTED]
