"""The ledger over the database: hand-written SQL for what runs with every batch of pages.

One dialect for SQLite and PostgreSQL. Everything of a batch is one transaction, and its first
statement is the fence: a process whose lease was taken over writes nothing.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import blake2b
from typing import Any

import numpy as np
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.hosts import Host
from crawler.core.nudges import Nudge, NudgeKind
from crawler.core.ports import OK, Batch, LeaseLostError, LedgerDownError, PageRecord
from crawler.core.traps import path_pattern
from crawler.core.urlrows import FrontierRow, StoredFrontier
from crawler.fulltext import words_add, words_prepare
from crawler.models import Crawl
from crawler.revisited import Revisited, known_pages, visits_write
from focusadmin.lib.failpoints import failpoint

LEASE_SECONDS = 30
Row = tuple[Any, ...]
_ROWS_AT_ONCE = 50_000
_NUMBERS_AT_ONCE = 500

_FENCE = """
UPDATE crawler_crawl SET seq = seq + %s, fetched = fetched + %s, failed = failed + %s,
  relevant = relevant + %s, relevance_sum = relevance_sum + %s,
  bytes_fetched = bytes_fetched + %s, seconds_run = seconds_run + %s, frontier_size = %s,
  status = %s, lease_until = %s, crashes = CASE WHEN %s THEN 0 ELSE crashes END
WHERE id = %s AND fence = %s AND lease_owner = %s
"""
_PAGE_COLUMNS = (
    "crawl_id, seq, number, url_key, url, host, site, outcome, detail, status, title, language, "
    "relevance, priority_relevance, topic, topic_probability, is_on_topic, content_similarity, "
    "depth, size_bytes, fetched_at, text_key, same_as"
)
_RAW_COLUMNS = "crawl_id, seq, content_type, body"
_BODY_COLUMNS = "crawl_id, seq, text, targets, contexts, anchors"
_URL_COLUMNS = (
    "crawl_id, number, url_key, url, host, state, priority, tries, depth, not_before, found_on"
)
_HOST_COLUMNS = (
    "crawl_id, number, host, site, address, not_before, pages, relevance_sum, failures, "
    "robots_note, robots_denied, crawl_delay, requests, first_asked, last_asked, shortest_gap, "
    "last_error, last_error_at"
)
_UPDATE_URL = """
UPDATE crawler_frontierurl SET state = %s, priority = %s, tries = %s, not_before = %s
WHERE crawl_id = %s AND number = %s
"""
_LOAD = """
SELECT url_key, host, state, priority, tries, depth, not_before
FROM crawler_frontierurl WHERE crawl_id = %s ORDER BY number
"""
_TOPICS = """
WITH RECURSIVE met(topic) AS (
  SELECT MIN(topic) FROM crawler_page WHERE crawl_id = %s
  UNION ALL
  SELECT (SELECT MIN(topic) FROM crawler_page WHERE crawl_id = %s AND topic > met.topic)
  FROM met WHERE met.topic IS NOT NULL
) SELECT topic FROM met WHERE topic IS NOT NULL
"""
_NUDGES = """
SELECT id, number, kind, priority, by_id IS NOT NULL FROM crawler_frontiernudge
WHERE crawl_id = %s AND applied_at IS NULL AND withdrawn_at IS NULL ORDER BY id LIMIT 2000
"""
_NUDGE_APPLIED = "UPDATE crawler_frontiernudge SET applied_at = %s WHERE id = %s"
_REVISITS = """
SELECT f.number FROM crawler_page p
JOIN crawler_frontierurl f ON f.crawl_id = p.crawl_id AND f.number = p.number
WHERE p.crawl_id = %s AND p.outcome = 'ok' AND f.state = 0
"""
BUCKET_PAGES = 100
_INSERT_BUCKETS = """
INSERT INTO crawler_pagebucket (crawl_id, number, judged, failed, relevance_sum, relevance_min,
  relevance_max, first_at, last_at)
SELECT crawl_id, (seq - 1) / 100, COUNT(relevance), COUNT(*) - COUNT(relevance),
  COALESCE(SUM(relevance), 0), MIN(relevance), MAX(relevance), MIN(fetched_at), MAX(fetched_at)
FROM crawler_page WHERE crawl_id = %s AND seq > %s AND seq <= %s
GROUP BY crawl_id, (seq - 1) / 100
"""


def _insert(table: str, columns: str) -> str:
    marks = ", ".join(["%s"] * len(columns.split(",")))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - constants above


def _host_upsert() -> str:
    changing = [name for name in _HOST_COLUMNS.split(", ") if name not in {"crawl_id", "number"}]
    renewed = ", ".join(f"{name} = excluded.{name}" for name in changing)
    insert = _insert("crawler_crawlhost", _HOST_COLUMNS)
    return f"{insert} ON CONFLICT (crawl_id, number) DO UPDATE SET {renewed}"


_INSERT_PAGE = _insert("crawler_page", _PAGE_COLUMNS)
_INSERT_BODY = _insert("crawler_pagebody", _BODY_COLUMNS)
_INSERT_RAW = _insert("crawler_rawpage", _RAW_COLUMNS)
_INSERT_URL = _insert("crawler_frontierurl", _URL_COLUMNS)
_UPSERT_HOST = _host_upsert()


class DatabaseLedger:
    """Writes for one holder of one crawl."""

    def __init__(self, *, crawl_id: int, fence: int, owner: str, seq: int) -> None:
        self.crawl_id, self.fence, self.owner = crawl_id, fence, owner
        self.seq = seq
        self._has_words = False

    def commit(self, batch: Batch) -> int:
        failpoint("before_commit")
        with ledger_down():
            last = self._write(batch)
        self._has_words = True
        failpoint("after_commit")
        self.seq = last
        return last

    def _write(self, batch: Batch) -> int:
        with transaction.atomic():
            with connection.cursor() as cursor:
                known = known_pages(
                    cursor, self.crawl_id, [page.key for page in batch.pages if page.is_revisit]
                )
                again = [page for page in batch.pages if page.is_revisit and page.key in known]
                fresh = [
                    page for page in batch.pages if not (page.is_revisit and page.key in known)
                ]
                last = self.seq + len(fresh)
                cursor.execute(_FENCE, self._figures(batch, fresh))
                if cursor.rowcount != 1:
                    raise LeaseLostError(f"crawl {self.crawl_id} has another holder")
                self._write_pages(cursor, list(enumerate(fresh, self.seq + 1)))
                visits_write(cursor, self.crawl_id, last, [self._again(known, p) for p in again])
                cursor.executemany(_INSERT_URL, [self._url(row) for row in batch.frontier.new])
                cursor.executemany(
                    _UPDATE_URL,
                    [
                        (state, priority, tries, not_before, self.crawl_id, number)
                        for number, state, priority, tries, not_before in batch.frontier.updated
                    ],
                )
                cursor.executemany(_UPSERT_HOST, [self._host(host) for host in batch.hosts])
                now = timezone.now()
                cursor.executemany(_NUDGE_APPLIED, [(now, nudge) for nudge in batch.nudges])
                _sum_up(cursor, self.crawl_id, self.seq, last)
            failpoint("inside_commit")
        return last

    def _again(self, known: dict[int, int], page: PageRecord) -> Revisited:
        seq = known[page.key]
        return Revisited(
            seq, page, text_key(page.text) if page.text else None, self._body(seq, page)
        )

    def _write_pages(self, cursor: CursorWrapper, pages: list[tuple[int, PageRecord]]) -> None:
        good = [(seq, page) for seq, page in pages if page.outcome == OK]
        keys = {seq: text_key(page.text) for seq, page in good if page.text}
        first = _first_with(cursor, self.crawl_id, keys)
        rows = [(*self._page(seq, page), keys.get(seq), first.get(seq)) for seq, page in pages]
        cursor.executemany(_INSERT_PAGE, rows)
        cursor.executemany(_INSERT_BODY, [self._body(seq, page) for seq, page in good])
        raw = [
            (self.crawl_id, seq, page.content_type[:200], zlib.compress(page.body, 1))
            for seq, page in good
            if page.body
        ]
        cursor.executemany(_INSERT_RAW, raw)
        if not self._has_words:
            words_prepare(cursor, self.crawl_id)
        words = ((seq, f"{page.title}\n{page.text}") for seq, page in good)
        words_add(cursor, self.crawl_id, words)

    def urls(self, numbers: Sequence[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        with connection.cursor() as cursor:
            for start in range(0, len(numbers), _NUMBERS_AT_ONCE):
                part = list(numbers[start : start + _NUMBERS_AT_ONCE])
                marks = ", ".join(["%s"] * len(part))
                cursor.execute(
                    "SELECT number, url FROM crawler_frontierurl "  # noqa: S608 - marks only
                    f"WHERE crawl_id = %s AND number IN ({marks})",
                    [self.crawl_id, *part],
                )
                found.update(cursor.fetchall())
        return found

    def nudges(self) -> list[Nudge]:
        try:
            with ledger_down(), connection.cursor() as cursor:
                cursor.execute(_NUDGES, [self.crawl_id])
                rows = cursor.fetchall()
        except LedgerDownError:
            return []
        return [
            Nudge(id_, number, NudgeKind(kind), priority, bool(is_asked))
            for id_, number, kind, priority, is_asked in rows
        ]

    def close(self) -> None:
        connection.close()

    def _figures(self, batch: Batch, fresh: Sequence[PageRecord]) -> Row:
        good = [page.relevance for page in fresh if page.relevance is not None]
        return (
            len(fresh),
            len(good),
            sum(page.relevance is None for page in fresh),
            sum(relevance >= RELEVANT_FROM for relevance in good),
            sum(good),
            sum(page.size_bytes for page in batch.pages),
            batch.seconds_run,
            batch.frontier_size,
            json.dumps(batch.status),
            timezone.now() + timedelta(seconds=LEASE_SECONDS),
            bool(batch.pages),
            self.crawl_id,
            self.fence,
            self.owner,
        )

    def _page(self, seq: int, page: PageRecord) -> Row:
        return (
            self.crawl_id, seq, page.number, page.key, page.url, page.host, page.site,
            page.outcome, page.detail[:300], page.status, page.title[:500], page.language[:12],
            page.relevance, page.priority_relevance, page.topic[:400], page.topic_probability,
            page.is_on_topic, page.content_similarity, page.depth, page.size_bytes,
            page.fetched_at,
        )  # fmt: skip

    def _body(self, seq: int, page: PageRecord) -> Row:
        return (
            self.crawl_id,
            seq,
            packed_text(page.text),
            b"" if page.targets is None else page.targets.astype("<i4").tobytes(),
            b"" if page.contexts is None else page.contexts.astype("<f4").tobytes(),
            packed_text("\n".join(anchor.replace("\n", " ") for anchor in page.anchors)),
        )

    def _url(self, row: FrontierRow) -> Row:
        return (
            self.crawl_id, row.number, row.key, row.url, row.host, row.state, row.priority,
            row.tries, row.depth, row.not_before, row.found_on,
        )  # fmt: skip

    def _host(self, host: Host) -> Row:
        return (
            self.crawl_id, host.number, host.name, host.site, host.address, host.not_before,
            host.pages, host.relevance_sum, host.failures, host.robots_note[:60],
            host.robots_denied, host.crawl_delay, host.requests, host.first_asked,
            host.last_asked, host.shortest_gap, host.last_error[:60], host.last_error_at,
        )  # fmt: skip


@contextmanager
def ledger_down() -> Iterator[None]:
    """Tells a database that is locked, full or away from one that refuses what is written."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        connection.close_if_unusable_or_obsolete()
        raise LedgerDownError(f"The database can't be written: {error}") from error


def _sum_up(cursor: CursorWrapper, crawl_id: int, before: int, last: int) -> None:
    """Write the buckets whose last page is among those after `before`."""
    first, end = (seq // BUCKET_PAGES * BUCKET_PAGES for seq in (before, last))
    if end > first:
        cursor.execute(_INSERT_BUCKETS, [crawl_id, first, end])


def buckets_renewed(crawl_id: int, seq: int) -> None:
    """Sum up anew, because the relevances of the pages changed."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM crawler_pagebucket WHERE crawl_id = %s", [crawl_id])
        _sum_up(cursor, crawl_id, 0, seq)


def text_key(text: str) -> int:
    """Equal for pages of the same text, 64 bits."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _first_with(cursor: CursorWrapper, crawl_id: int, keys: dict[int, int]) -> dict[int, int]:
    """For pages whose text was there before: the first page that had it."""
    known: dict[int, int] = {}
    if keys:
        marks = ", ".join(["%s"] * len(keys))
        cursor.execute(
            "SELECT text_key, MIN(seq) FROM crawler_page "  # noqa: S608 - marks only
            f"WHERE crawl_id = %s AND text_key IN ({marks}) GROUP BY text_key",
            [crawl_id, *keys.values()],
        )
        known = dict(cursor.fetchall())
    first = {seq: known.setdefault(key, seq) for seq, key in keys.items()}
    return {seq: before for seq, before in first.items() if before != seq}


def topics_met(crawl_id: int) -> list[str]:
    """The topics of a crawl's pages, each once, by jumps along the index."""
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, [crawl_id, crawl_id])
        return [row[0] for row in cursor.fetchall() if row[0]]


def packed_text(text: str) -> bytes:
    """Level 1: half the size for a tenth of the time of the default."""
    return zlib.compress(text.encode("utf-8", "replace"), 1) if text else b""


def unpacked_text(data: bytes | memoryview) -> str:
    return zlib.decompress(data).decode("utf-8") if len(data) else ""


def unpacked_body(data: bytes | memoryview) -> bytes:
    return zlib.decompress(data)


def frontier_load(crawl_id: int) -> StoredFrontier:
    """All URLs of a crawl; a million take a few seconds."""
    parts = [np.array(rows, dtype=_ROW) for rows in _rows(_LOAD, crawl_id)]
    rows = np.concatenate(parts) if parts else np.zeros(0, dtype=_ROW)
    return StoredFrontier(
        keys=np.ascontiguousarray(rows["key"]),
        hosts=rows["host"],
        states=rows["state"],
        priorities=rows["priority"],
        tries=rows["tries"],
        depths=rows["depth"],
        not_before=rows["not_before"],
    )


_ROW = np.dtype(
    [
        ("key", np.int64),
        ("host", np.int32),
        ("state", np.uint8),
        ("priority", np.float64),
        ("tries", np.uint8),
        ("depth", np.uint16),
        ("not_before", np.float64),
    ]
)


def hosts_load(crawl_id: int) -> list[Host]:
    query = f"SELECT {_HOST_COLUMNS} FROM crawler_crawlhost WHERE crawl_id = %s ORDER BY number"  # noqa: S608
    return [Host(*row[1:]) for rows in _rows(query, crawl_id) for row in rows]


def revisits_waiting(crawl_id: int) -> list[int]:
    """URLs that wait although there is a page of them."""
    rows = _rows(_REVISITS, crawl_id)
    return [row[0] for part in rows for row in part]


def patterns_fetched(crawl_id: int) -> Counter[str]:
    """How many pages of each kind there are, for the caps."""
    query = "SELECT url FROM crawler_page WHERE crawl_id = %s AND outcome = 'ok'"
    return Counter(path_pattern(row[0]) for rows in _rows(query, crawl_id) for row in rows)


def _rows(query: str, crawl_id: int) -> Iterator[list[Row]]:
    with connection.cursor() as cursor:
        cursor.execute(query, [crawl_id])
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield rows


def lease_take(crawl_id: int, owner: str) -> Crawl | None:
    """Become the holder of a crawl that should be at work and that nobody holds."""
    now = timezone.now()
    free = Crawl.objects.filter(pk=crawl_id, state__in=Crawl.ACTIVE).exclude(lease_until__gt=now)
    with transaction.atomic():
        crawl = free.select_for_update().first()
        if crawl is None:
            return None
        crawl.was_handed_over = not crawl.lease_owner
        crawl.fence += 1
        crawl.lease_owner = owner
        crawl.lease_until = now + timedelta(seconds=LEASE_SECONDS)
        crawl.save(update_fields=["fence", "lease_owner", "lease_until"])
    return crawl


def lease_renew(crawl: Crawl) -> bool:
    """Still here; False when somebody else took over."""
    mine = Crawl.objects.filter(pk=crawl.pk, fence=crawl.fence, lease_owner=crawl.lease_owner)
    until = timezone.now() + timedelta(seconds=LEASE_SECONDS)
    return mine.update(lease_until=until) == 1


def lease_end(crawl_id: int, owner: str) -> None:
    """The holder whose name begins so is dead: nobody need wait for the end of its lease."""
    Crawl.objects.filter(pk=crawl_id, lease_owner__startswith=owner).update(lease_until=None)


def lease_give_up(crawl: Crawl) -> None:
    mine = Crawl.objects.filter(pk=crawl.pk, fence=crawl.fence, lease_owner=crawl.lease_owner)
    mine.update(lease_until=None, lease_owner="")
