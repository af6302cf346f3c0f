"""The stages of a page's life as functions: visit, record, note. The engine strings them together.

Life of a page: lease, visit (robots, fetch), read and judge (in a child), learn and expand, commit.
"""

from dataclasses import dataclass, field

import numpy as np

from crawler.core.hosts import Host
from crawler.core.ports import OK, PageRecord
from crawler.core.reading import FetchedPage, JudgedPage
from crawler.core.retries import is_hopeless
from crawler.core.turns import Hops
from crawler.core.types import ScoredLink, ScoredPage, url_key
from crawler.core.urlrows import Lease
from focusadmin.lib.http import Fetcher
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from focusadmin.lib.robots import Access, Robots, RobotsCache

ROBOTS_DENIED = "robots_denied"
ROBOTS_UNREACHABLE = "robots_unreachable"
EXCLUDED = "excluded"
CAPPED = "capped"
BROKEN = "engine_error"
SEEN = "redirects_to_known"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Visited:
    """A lease and what came of it. `refusal` says why nothing was asked, if nothing was."""

    lease: Lease
    url: str
    outcome: Outcome | None = None
    refusal: str = ""
    detail: str = ""
    rests_until: float = 0.0


@dataclass(frozen=True, slots=True)
class JudgedVisit:
    """A page that was fetched and judged."""

    lease: Lease
    url: str
    result: FetchResult = field(repr=False)
    page: JudgedPage = field(repr=False)


async def visit(
    fetcher: Fetcher, robots: RobotsCache, hops: Hops, lease: Lease, url: str
) -> Visited:
    """Ask the host's robots.txt, then for the page; every redirect is asked about again."""
    rules = robots.known(url)
    if rules is None:
        hops.note_asked(lease.host)
        rules = await robots.for_url(url)
        note_robots(lease.host, rules.note, rules.crawl_delay_seconds)
        if rules.access is not Access.NOTHING:
            return Visited(lease, url)  # that was a request too: the page waits for its turn
    if rules.access is Access.NOTHING and (failure := _hopeless(rules, url)):
        return Visited(lease, url, failure)
    if rules.access is Access.NOTHING:
        return Visited(lease, url, refusal=ROBOTS_UNREACHABLE, rests_until=rules.expires_at)
    if not rules.may_visit(url):
        lease.host.robots_denied += 1
        return Visited(lease, url, refusal=ROBOTS_DENIED)
    hops.note_asked(lease.host)
    return Visited(lease, url, await fetcher.fetch(url, hop_check=hops.may_visit))


def _hopeless(rules: Robots, url: str) -> FetchFailure | None:
    """Why the host was not even asked, if the page would fare no better tomorrow."""
    reason = next((reason for reason in Reason if reason.value == rules.note), None)
    if reason is None or not is_hopeless(reason):
        return None
    return FetchFailure(url, reason, "already when its robots.txt was asked for", url)


def note_robots(host: Host, note: str, delay: float | None) -> None:
    host.robots_note, host.crawl_delay = note, delay


def is_page(outcome: Outcome | None) -> bool:
    return isinstance(outcome, FetchResult) and outcome.is_ok


def fetched_page(result: FetchResult) -> FetchedPage:
    return FetchedPage(result.final_url, result.headers, result.body)


def scored_page(visited: JudgedVisit) -> ScoredPage:
    """The page as strategies see it."""
    verdict = visited.page.verdict
    return ScoredPage(
        key=url_key(visited.url),
        url=visited.result.final_url,
        depth=visited.lease.depth,
        relevance=verdict.relevance,
        priority_relevance=verdict.priority_relevance,
        is_on_topic=verdict.is_on_topic,
        content_similarity=verdict.content_similarity,
        links=tuple(
            ScoredLink(url_key(link.url), link.url, link.anchor, link.context_relevance)
            for link in visited.page.links
        ),
    )


def page_record(
    visited: JudgedVisit,
    page: ScoredPage,
    home: Host,
    slots: np.ndarray,
    is_kept: np.ndarray,
    now: float,
    *,
    keeps_body: bool = False,
    is_revisit: bool = False,
) -> PageRecord:
    """What is stored of a page. A page that asks not to be indexed is counted, not kept.

    `home` is the host at which redirects ended.
    """
    verdict = visited.page.verdict
    kept = [link for link, keep in zip(page.links, is_kept, strict=True) if keep]
    return PageRecord(
        number=visited.lease.slot,
        key=page.key,
        url=visited.result.final_url,
        host=home.number,
        site=home.site,
        outcome=OK,
        fetched_at=now,
        depth=page.depth,
        status=visited.result.status,
        title="" if visited.page.is_noindex else visited.page.title,
        language=visited.page.language,
        relevance=page.relevance,
        priority_relevance=page.priority_relevance,
        topic="/" + "/".join(verdict.topic),
        topic_probability=verdict.topic_probability,
        is_on_topic=verdict.is_on_topic,
        content_similarity=verdict.content_similarity,
        size_bytes=visited.result.raw_bytes,
        text="" if visited.page.is_noindex else visited.page.text,
        targets=slots.astype(np.int32),
        contexts=np.array([link.context_relevance for link in kept], dtype=np.float32),
        anchors=tuple(link.anchor for link in kept),
        content_type=visited.result.headers.get("content-type", ""),
        body=visited.result.body if keeps_body and not visited.page.is_noindex else b"",
        is_revisit=is_revisit,
    )


def failure_record(
    visited: Visited, key: int, outcome: str, detail: str, now: float, *, is_revisit: bool = False
) -> PageRecord:
    """A URL that was given up, and what it has cost."""
    lease, result = visited.lease, visited.outcome
    answer = result if isinstance(result, FetchResult) else None
    return PageRecord(
        number=lease.slot,
        key=key,
        url=visited.url,
        host=lease.host.number,
        site=lease.host.site,
        outcome=outcome,
        detail=detail,
        fetched_at=now,
        depth=lease.depth,
        status=answer.status if answer else 0,
        size_bytes=answer.raw_bytes if answer else 0,
        is_revisit=is_revisit,
    )


def outcome_words(outcome: Outcome, reason: str) -> tuple[str, str]:
    """Name, and one line for people, of a fetch that was given up for a reason."""
    if isinstance(outcome, FetchFailure):
        return outcome.reason.value, f"{reason}: {outcome.detail}" if outcome.detail else reason
    return f"status_{outcome.status}", reason
