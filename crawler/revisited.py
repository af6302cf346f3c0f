"""Writes visits of pages that are there already, in the transaction of the engine's batch.

The page stays one row with its place in the order, so that no figure and no point of a chart
counts it twice; text, links and relevance become those of the visit, and the sums follow by the
difference.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.db.backends.utils import CursorWrapper

from crawler.core.config import CrawlConfig
from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK, PageRecord
from crawler.core.revisits import LOOKS_KEPT, SAME_FROM, Look, interval
from crawler.fulltext import words_replace
from crawler.models import PageVisit, PageWatch
from focusadmin.lib.duplicates import signature, similarity

GONE = (404, 410)
TITLE_MOST = 500
_LINKS_TOLD = 200


@dataclass(frozen=True)
class Revisited:
    """A page's seq, what the visit brought, and that as a row of bodies."""

    seq: int
    record: PageRecord
    text_key: int | None
    body: tuple[Any, ...]


@dataclass(frozen=True)
class Before:
    """A page as it was until now."""

    title: str
    relevance: float
    text_key: int | None
    text: str
    targets: frozenset[int]
    visited_at: float


_BEFORE = """
SELECT p.title, p.relevance, p.text_key, p.fetched_at, b.text, b.targets
FROM crawler_page p LEFT JOIN crawler_pagebody b ON b.crawl_id = p.crawl_id AND b.seq = p.seq
WHERE p.crawl_id = %s AND p.seq = %s
"""
_UPDATE_PAGE = """
UPDATE crawler_page SET title = %s, language = %s, relevance = %s, priority_relevance = %s,
  topic = %s, topic_probability = %s, is_on_topic = %s, content_similarity = %s, text_key = %s
WHERE crawl_id = %s AND seq = %s
"""
_UPDATE_BODY = """
UPDATE crawler_pagebody SET text = %s, targets = %s, contexts = %s, anchors = %s
WHERE crawl_id = %s AND seq = %s
"""
_COUNT = "UPDATE crawler_crawl SET revisited = revisited + 1 WHERE id = %s"
_SUMS = """
UPDATE crawler_crawl SET relevant = relevant + %s, relevance_sum = relevance_sum + %s WHERE id = %s
"""
_BUCKET = """
UPDATE crawler_pagebucket SET
  relevance_sum = (SELECT COALESCE(SUM(relevance), 0) {0}),
  relevance_min = (SELECT MIN(relevance) {0}), relevance_max = (SELECT MAX(relevance) {0})
WHERE crawl_id = %s AND number = %s
""".format("FROM crawler_page WHERE crawl_id = %s AND seq > %s AND seq <= %s")


def known_pages(cursor: CursorWrapper, crawl_id: int, keys: Sequence[int]) -> dict[int, int]:
    """The page's seq, for keys of URLs that have one."""
    if not keys:
        return {}
    marks = ", ".join(["%s"] * len(keys))
    cursor.execute(
        "SELECT url_key, MIN(seq) FROM crawler_page "  # noqa: S608 - marks only
        f"WHERE crawl_id = %s AND outcome = %s AND url_key IN ({marks}) GROUP BY url_key",
        [crawl_id, OK, *keys],
    )
    return dict(cursor.fetchall())


def visits_write(
    cursor: CursorWrapper, crawl_id: int, after_seq: int, visits: Sequence[Revisited]
) -> None:
    """After the fence, and in one transaction with it."""
    for visit in visits:
        before = _before(cursor, crawl_id, visit)
        if visit.record.outcome == OK:
            _take_over(cursor, crawl_id, visit, before)
        _note(crawl_id, after_seq, visit, before)


def _before(cursor: CursorWrapper, crawl_id: int, visit: Revisited) -> Before:
    cursor.execute(_BEFORE, [crawl_id, visit.seq])
    title, relevance, key, fetched_at, text, targets = cursor.fetchone()
    seen = PageVisit.objects.filter(crawl_id=crawl_id, number=visit.record.number)
    last = seen.filter(changed__isnull=False).first()
    return Before(
        title,
        relevance or 0.0,
        key,
        zlib.decompress(text).decode() if text else "",
        frozenset(np.frombuffer(targets or b"", dtype="<i4").tolist()),
        last.at if last else fetched_at,
    )


def _take_over(cursor: CursorWrapper, crawl_id: int, visit: Revisited, before: Before) -> None:
    page, where = visit.record, (crawl_id, visit.seq)
    cursor.execute(_COUNT, [crawl_id])
    cursor.execute(_UPDATE_BODY, [*visit.body[2:], *where])
    if visit.text_key == before.text_key and page.title[:TITLE_MOST] == before.title:
        return
    old, new = before.relevance, page.relevance or 0.0
    sides = (new >= RELEVANT_FROM) - (old >= RELEVANT_FROM)
    cursor.execute(_SUMS, [sides, new - old, crawl_id])
    cursor.execute(
        _UPDATE_PAGE,
        [
            page.title[:TITLE_MOST], page.language[:12], page.relevance, page.priority_relevance,
            page.topic[:400], page.topic_probability, page.is_on_topic, page.content_similarity,
            visit.text_key, *where,
        ],
    )  # fmt: skip
    if len(before.title) < TITLE_MOST:  # else it was cut, and the index must be told all of it
        words = (f"{before.title}\n{before.text}", f"{page.title[:TITLE_MOST]}\n{page.text}")
        words_replace(cursor, crawl_id, visit.seq, *words)
    bucket = (visit.seq - 1) // 100
    part = (crawl_id, 100 * bucket, 100 * bucket + 100)
    cursor.execute(_BUCKET, [*part, *part, *part, crawl_id, bucket])


def _note(crawl_id: int, after_seq: int, visit: Revisited, before: Before) -> None:
    """A row for the visit, and a look more for the estimate of the page's rate of change."""
    page = visit.record
    is_page = page.outcome == OK
    new = [] if page.targets is None else _new_links(page.targets.tolist(), before.targets)
    alike = _alike(visit, before) if is_page else None
    changed = None if alike is None else alike < SAME_FROM or bool(new)
    row = PageVisit.objects.create(
        crawl_id=crawl_id,
        number=page.number,
        page_seq=visit.seq,
        after_seq=after_seq,
        at=page.fetched_at,
        outcome=page.outcome[:40],
        status=page.status,
        seconds=max(0.0, page.fetched_at - before.visited_at),
        changed=changed,
        similarity=alike,
        new_links=new[:_LINKS_TOLD],
        size_bytes=page.size_bytes,
    )
    _watch(row, page)


def _new_links(targets: Sequence[int], before: frozenset[int]) -> list[int]:
    return [number for number in dict.fromkeys(targets) if number not in before]


def _alike(visit: Revisited, before: Before) -> float:
    if visit.text_key == before.text_key or not before.text:
        return 1.0  # a text that was not kept can't be compared
    return similarity(signature(before.text), signature(visit.record.text))


def _watch(visit: PageVisit, page: PageRecord) -> None:
    watch = PageWatch.objects.filter(crawl_id=visit.crawl_id, number=visit.number).first()
    if watch is None:
        return
    if visit.changed is not None:
        watch.looks = [*watch.looks, [visit.seconds, visit.changed]][-LOOKS_KEPT:]
        watch.worth = max(page.relevance or 0.0, watch.worth if watch.is_hub else 0.0)
    at = datetime.fromtimestamp(visit.at, UTC)
    watch.gone_at = at if visit.status in GONE and visit.outcome != OK else None
    watch.visited_at, watch.asked_at = visit.at, None
    rules = CrawlConfig.from_json(watch.crawl.config).revisit
    watch.due_at = visit.at + interval(looks_of(watch), rules)
    watch.save(update_fields=["looks", "worth", "gone_at", "visited_at", "asked_at", "due_at"])


def looks_of(watch: PageWatch) -> list[Look]:
    return [Look(seconds, bool(changed)) for seconds, changed in watch.looks]
