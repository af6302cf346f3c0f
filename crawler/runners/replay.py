"""The pages of a crawl once more, from the database: to resume a strategy, or to rank anew.

A strategy's state follows from the pages it has seen, in their order. So a resumed crawl shows them
to it again, and a crawl whose strategy or topics changed does the same with the new ones and takes
over the priorities that come of it. The words around links are not stored: with new topics, a link
is judged by its anchor alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db import connection, transaction

from crawler.core import pipeline
from crawler.core.admission import Admission
from crawler.core.expansion import learn
from crawler.core.frontier.base import FrontierStrategy
from crawler.core.harvest import RELEVANT_FROM
from crawler.core.judging import PageJudge
from crawler.core.keyindex import UNKNOWN
from crawler.core.ports import OK, LeaseLostError
from crawler.core.ranking import BOOST, UNRANKED, merged
from crawler.core.types import CONTEXT_DIGITS, Merge, PriorityChange, ScoredLink, ScoredPage
from crawler.core.workingset import Frontier
from crawler.models import Crawl, FrontierNudge, FrontierUrl, Page, PageBody
from crawler.runners.judges import judge_for
from crawler.store import buckets_renewed, lease_renew, unpacked_text
from taxonomy.models import TrainedModel

PAGES_AT_ONCE = 200
PROBE_PAGES = 20


@dataclass(frozen=True)
class RankedAnew:
    """What new settings, or a model that has learnt, did to a crawl."""

    moved: int  # URLs of the frontier, by more than a hundredth of their priority
    changed_side: int  # pages that became relevant, or are not any more
    left: int = 0  # URLs whose site or path the crawl stays away from now, or has had enough of
    came_back: int = 0  # URLs that had left for such a reason which holds no more

    def __str__(self) -> str:
        words = f"{self.moved:,} frontier URLs moved, {self.changed_side:,} pages changed side"
        words += f", {self.left:,} URLs left the frontier" if self.left else ""
        return words + (f", {self.came_back:,} came back" if self.came_back else "")


@dataclass(frozen=True)
class StoredPage:
    """A page as it was committed, and its links."""

    seq: int
    number: int
    text: str
    page: ScoredPage


def replayed(crawl: Crawl, frontier: Frontier, strategy: FrontierStrategy) -> None:
    """Show a new strategy everything it has seen; the priorities are in the frontier already."""
    for stored in stored_pages(crawl, frontier):
        strategy.learn(stored.page)


def ranked_anew(
    crawl: Crawl,
    frontier: Frontier,
    strategy: FrontierStrategy,
    admission: Admission,
    first: Sequence[PriorityChange],
) -> RankedAnew:
    """Give every waiting URL the priority of the new settings."""
    judge = judge_for(crawl)
    known, now = crawl.judged_with, judging_of(crawl)
    is_judged = known == now if known else _is_judged(crawl, judge)
    # With the same topics, what was made of the words around links stays: they are not stored.
    has_topics = {**known, "model": ""} == {**now, "model": ""}
    if not is_judged:  # half of it may be done when somebody changes the topics back
        Crawl.objects.filter(pk=crawl.pk).update(judged_with={**now, "model": "none"})
    changed_side = 0
    ranks = np.full(len(frontier), np.nan)
    _merge(ranks, frontier, first, strategy.merge)
    for chunk in _chunks(stored_pages(crawl, frontier)):
        pages = chunk if is_judged else _judged_again(crawl, judge, chunk, not has_topics)
        changed_side += sum(map(_has_changed_side, chunk, pages))
        for stored in pages:
            changes = learn(strategy, stored.number, stored.page).expansion.changes
            _merge(ranks, frontier, changes, strategy.merge)
    came_back = _come_back(crawl, frontier, ranks, admission)
    _calm(crawl, frontier)
    moved = _take_over(frontier, ranks)
    return RankedAnew(moved, changed_side, _leave(crawl, frontier, admission), came_back)


def judging_of(crawl: Crawl) -> dict[str, Any]:
    """By what relevances are judged now; pages judged by something else must be judged again."""
    model = TrainedModel.objects.get(pk=crawl.model_id)
    return {
        "model": f"{model.pk}/{model.checksum}",
        "good": crawl.good,
        "pass_through": crawl.pass_through,
    }


def _has_changed_side(before: StoredPage, after: StoredPage) -> bool:
    was, is_ = (one.page.relevance >= RELEVANT_FROM for one in (before, after))
    return was != is_


def _take_over(frontier: Frontier, ranks: np.ndarray) -> int:
    waiting = frontier.waiting_slots()
    wanted = np.where(np.isnan(ranks[waiting]), UNRANKED, ranks[waiting])
    before = np.array([frontier.priority(slot) for slot in waiting.tolist()])
    is_near = np.isclose(wanted, before, rtol=0.01, atol=0.0) | (before >= BOOST)
    frontier.merge(waiting, wanted.tolist(), Merge.REPLACE)
    return int((~is_near).sum())


def _leave(crawl: Crawl, frontier: Frontier, admission: Admission) -> int:
    """What is excluded, or on a site that has had its pages, need not wait for its turn."""
    waiting, config = frontier.waiting_slots(), admission.config
    urls = _urls(crawl, waiting) if config.exclusions else {}
    leaving = [slot for slot, url in urls.items() if config.is_excluded(url)]
    full = {site for site in config.site_caps if admission.caps.why_site_full(site)}
    hosts = [host.number for host in frontier.hosts.all if host.site in full]
    leaving += frontier.slots_on(hosts).tolist() if hosts else []
    return frontier.kill(np.array(leaving, dtype=np.int32))


def _come_back(crawl: Crawl, frontier: Frontier, ranks: np.ndarray, admission: Admission) -> int:
    """URLs that were given up unasked, because of a rule that holds no more."""
    came_back = 0
    with connection.cursor() as cursor:
        cursor.execute(_LEFT_OUT, [crawl.pk, pipeline.EXCLUDED, pipeline.CAPPED])
        for slot, url in cursor.fetchall():
            host = frontier.host_of(slot)
            if admission.config.is_excluded(url) or admission.why_full(host, url):
                continue
            frontier.revive(slot, UNRANKED if np.isnan(ranks[slot]) else float(ranks[slot]))
            came_back += 1
    return came_back


def _calm(crawl: Crawl, frontier: Frontier) -> None:
    """Wishes that were taken back, but for URLs that somebody else wishes for."""
    wishes = FrontierNudge.objects.filter(crawl=crawl)
    kept = set(wishes.filter(withdrawn_at=None).values_list("number", flat=True))
    for number in wishes.exclude(withdrawn_at=None).values_list("number", flat=True).distinct():
        if number not in kept and number < len(frontier):
            frontier.calm(number, UNRANKED)


def _urls(crawl: Crawl, slots: np.ndarray) -> dict[int, str]:
    rows = FrontierUrl.objects.filter(crawl=crawl, state=0)
    wanted = set(slots.tolist())
    return {number: url for number, url in rows.values_list("number", "url") if number in wanted}


def _merge(
    ranks: np.ndarray, frontier: Frontier, changes: Sequence[PriorityChange], how: Merge
) -> None:
    slots = frontier.find([change.key for change in changes])
    for slot, change in zip(slots.tolist(), changes, strict=True):
        if slot != UNKNOWN:
            ranks[slot] = merged(ranks[slot], change.priority, how)


def stored_pages(crawl: Crawl, frontier: Frontier) -> Iterator[StoredPage]:
    """Every page in the order of its commit."""
    last = 0
    while True:
        pages = list(
            Page.objects.filter(crawl=crawl, outcome=OK, seq__gt=last).order_by("seq")[
                :PAGES_AT_ONCE
            ]
        )
        if not pages:
            return
        seqs = [page.seq for page in pages]
        bodies = {body.seq: body for body in PageBody.objects.filter(crawl=crawl, seq__in=seqs)}
        urls = _link_urls(crawl, bodies.values())
        for page in pages:
            yield _stored(page, bodies[page.seq], frontier, urls)
        last = seqs[-1]


def _link_urls(crawl: Crawl, bodies: Iterable[PageBody]) -> dict[int, str]:
    numbers: set[int] = set()
    for body in bodies:
        numbers.update(np.frombuffer(body.targets, dtype="<i4").tolist())
    urls: dict[int, str] = {}
    ordered = sorted(numbers)
    for start in range(0, len(ordered), 500):
        part = ordered[start : start + 500]
        rows = FrontierUrl.objects.filter(crawl=crawl, number__in=part)
        urls.update(rows.values_list("number", "url"))
    return urls


def _stored(page: Page, body: PageBody, frontier: Frontier, urls: dict[int, str]) -> StoredPage:
    targets = np.frombuffer(body.targets, dtype="<i4")
    # As exact as they were before they were packed: the same crawl, the same order.
    contexts = np.round(
        np.frombuffer(body.contexts, dtype="<f4").astype(float), CONTEXT_DIGITS
    ).tolist()
    keys = frontier.keys_of(targets.astype(np.int32)).tolist()
    anchors = unpacked_text(body.anchors).split("\n") if len(targets) else []
    links = tuple(
        ScoredLink(key, urls[number], anchor, context)
        for key, number, anchor, context in zip(
            keys, targets.tolist(), anchors, contexts, strict=True
        )
    )
    scored = ScoredPage(
        key=page.url_key,
        url=page.url,
        depth=page.depth,
        relevance=page.relevance or 0.0,
        priority_relevance=page.priority_relevance or 0.0,
        is_on_topic=page.is_on_topic,
        content_similarity=page.content_similarity,
        links=links,
    )
    return StoredPage(page.seq, page.number, _judged_text(page, body), scored)


def _chunks(pages: Iterator[StoredPage]) -> Iterator[list[StoredPage]]:
    chunk: list[StoredPage] = []
    for page in pages:
        chunk.append(page)
        if len(chunk) == PAGES_AT_ONCE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _is_judged(crawl: Crawl, judge: PageJudge) -> bool:
    """Whether the pages are judged under the topics of now: then what was made of the words around
    their links holds, too. The last pages tell, as they are the last to be judged again."""
    pages = Page.objects.filter(crawl=crawl, outcome=OK).order_by("-seq")[:PROBE_PAGES]
    seqs = [page.seq for page in pages]
    bodies = {body.seq: body for body in PageBody.objects.filter(crawl=crawl, seq__in=seqs)}
    texts = [(page, _judged_text(page, bodies[page.seq])) for page in pages]
    known = [(page, text) for page, text in texts if text]
    verdicts = judge.pages([text for _, text in known]) if known else []
    before = [(page.relevance or 0.0, page.priority_relevance or 0.0) for page, _ in known]
    now = [(verdict.relevance, verdict.priority_relevance) for verdict in verdicts]
    return bool(known) and np.allclose(before, now, rtol=1e-6, atol=1e-12)


def _judged_text(page: Page, body: PageBody) -> str:
    text = unpacked_text(body.text)
    return text and f"{page.title}\n{text}"


def _judged_again(
    crawl: Crawl, judge: PageJudge, pages: Sequence[StoredPage], with_links: bool
) -> list[StoredPage]:
    """Relevances under the topics of now; texts that were not kept stay as they were judged."""
    verdicts = judge.pages([page.text for page in pages])
    contexts = _anchors_judged(judge, pages) if with_links else None
    renewed, rows = [], []
    for stored, verdict in zip(pages, verdicts, strict=True):
        page = stored.page
        if contexts is not None:
            links = tuple(replace(one, context_relevance=next(contexts)) for one in page.links)
            page = replace(page, links=links)
        if stored.text:
            page = replace(
                page,
                relevance=verdict.relevance,
                priority_relevance=verdict.priority_relevance,
                is_on_topic=verdict.is_on_topic,
                content_similarity=verdict.content_similarity,
            )
            rows.append(
                (verdict.relevance, verdict.priority_relevance, verdict.is_on_topic,
                 verdict.content_similarity, "/" + "/".join(verdict.topic),
                 verdict.topic_probability, crawl.pk, stored.seq)
            )  # fmt: skip
        renewed.append(replace(stored, page=page))
    with transaction.atomic():
        if not lease_renew(crawl):
            raise LeaseLostError("another process took over")
        with connection.cursor() as cursor:
            cursor.executemany(_UPDATE_PAGE, rows)
    return renewed


def _anchors_judged(judge: PageJudge, pages: Sequence[StoredPage]) -> Iterator[float]:
    anchors = [link.anchor for page in pages for link in page.page.links]
    return iter(np.round(judge.contexts(anchors).astype(float), CONTEXT_DIGITS).tolist())


# Dead without a page that says why they could not be read: nobody has asked for them.
_LEFT_OUT = """
SELECT dead.number, dead.url FROM crawler_frontierurl AS dead
WHERE dead.crawl_id = %s AND dead.state = 2 AND NOT EXISTS (
  SELECT 1 FROM crawler_page AS page WHERE page.crawl_id = dead.crawl_id
  AND page.url_key = dead.url_key AND page.outcome NOT IN (%s, %s)
)
"""
_UPDATE_PAGE = """
UPDATE crawler_page SET relevance = %s, priority_relevance = %s, is_on_topic = %s,
  content_similarity = %s, topic = %s, topic_probability = %s
  WHERE crawl_id = %s AND seq = %s
"""


def figures_renewed(crawl: Crawl) -> None:
    """Sums over the pages under the topics of now; the settings are in force from here."""
    relevances = Page.objects.filter(crawl=crawl, outcome=OK).values_list("relevance", flat=True)
    values = [relevance or 0.0 for relevance in relevances.iterator(chunk_size=10_000)]
    crawl.relevance_sum = sum(values)
    crawl.relevant = sum(value >= RELEVANT_FROM for value in values)
    crawl.ranked_revision = crawl.settings_revision
    buckets_renewed(crawl.pk, crawl.seq)
    crawl.judged_with = judging_of(crawl)
    crawl.save(update_fields=["relevance_sum", "relevant", "ranked_revision", "judged_with"])
