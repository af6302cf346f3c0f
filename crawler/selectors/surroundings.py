"""What lies around a page of a crawl: links out and in, its other visits, and why."""

from dataclasses import dataclass

import numpy as np

from crawler.models import Crawl, FrontierUrl, Page, PageBody
from crawler.selectors.frontier import Parent, parents_of
from crawler.selectors.pages import pages_at
from crawler.store import unpacked_text
from taxonomy.selectors.explanations import ShownJudgement, judgement_of
from taxonomy.selectors.models import judge_with
from taxonomy.selectors.topics import WebAddress, web_address

PARENTS_SHOWN = 50
VISITS_SHOWN = 50
TEXT_EXPLAINED = 100_000


@dataclass(frozen=True)
class OutLink:
    """A link of the page, and what has become of where it leads."""

    url: str
    address: WebAddress | None
    anchor: str
    context: float  # relevance of the words around the link
    page: Page | None  # its latest visit
    state: str  # waiting, done or dead


@dataclass(frozen=True)
class Surroundings:
    links: list[OutLink]
    parents: list[Parent]
    more_parents: int
    searched: int
    visits: list[Page]  # of the same URL, the latest first, this one among them


def surroundings(crawl: Crawl, page: Page) -> Surroundings:
    row = FrontierUrl.objects.filter(crawl=crawl, number=page.number).first()
    parents, searched = parents_of(crawl, row) if row else ([], 0)
    same = Page.objects.filter(crawl=crawl, url_key=page.url_key)
    return Surroundings(
        links=links_out(crawl, page.seq),
        parents=parents[:PARENTS_SHOWN],
        more_parents=max(0, len(parents) - PARENTS_SHOWN),
        searched=searched,
        visits=list(same.order_by("-seq")[:VISITS_SHOWN]),
    )


def links_out(crawl: Crawl, seq: int) -> list[OutLink]:
    """In the order of the page; what was fetched leads to its latest visit."""
    body = PageBody.objects.filter(crawl=crawl, seq=seq).first()
    if body is None or not body.targets:
        return []
    numbers = np.frombuffer(body.targets, dtype="<i4").tolist()
    contexts = np.frombuffer(body.contexts, dtype="<f4").tolist()
    anchors = unpacked_text(body.anchors).split("\n")
    urls = {url.number: url for url in FrontierUrl.objects.filter(crawl=crawl, number__in=numbers)}
    pages = pages_at(crawl, [url.url_key for url in urls.values()])
    return [
        OutLink(
            url=urls[number].url,
            address=web_address(urls[number].url),
            anchor=anchors[place] if place < len(anchors) else "",
            context=contexts[place] if place < len(contexts) else 0.0,
            page=pages.get(urls[number].url_key),
            state=FrontierUrl.State(urls[number].state).name.lower(),
        )
        for place, number in enumerate(numbers)
        if number in urls
    ]


def why_there(crawl: Crawl, page: Page) -> ShownJudgement | None:
    """The words that decided over the page's topic; None without a text or the crawl's model."""
    body = PageBody.objects.filter(crawl=crawl, seq=page.seq).only("text").first()
    text = unpacked_text(body.text) if body else ""
    judge = judge_with(crawl.model) if text else None
    if judge is None:
        return None
    return judgement_of(judge, f"{page.title}\n{text[:TEXT_EXPLAINED]}", toward=page.topic)
