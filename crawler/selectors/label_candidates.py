"""Pages of a crawl that people might be asked about, and what speaks for each.

Of a large crawl a few hundred are looked at: those around the line, those on which much hangs, and
as many drawn by chance. A batch is a dozen; the next one looks again.
"""

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.labels.choosing import Candidate, farthest_first, spread, word_vectors
from crawler.core.ports import OK
from crawler.models import (
    Crawl,
    FrontierUrl,
    LabelTask,
    Page,
    PageBody,
    PrecisionSample,
    RankedPage,
    Verdict,
)
from crawler.selectors.hubs import latest_distillation
from crawler.store import unpacked_text

POOL = 200  # of each kind
KNOWN_TEXTS = 200  # labelled last; what is asked about should differ from them
TEXT_COMPARED = 20_000
URLS_COUNTED = 200_000  # of a larger frontier the hubs alone tell where much hangs
NUMBERS_AT_ONCE = 500


@dataclass(frozen=True)
class Pool:
    """Candidates by what they might be asked for."""

    around_the_line: list[Candidate]
    influential: list[Candidate]
    by_chance: list[Candidate]


def pool_of(crawl: Crawl, dice: random.Random) -> Pool:
    sampled = _sampled(crawl)
    near = _candidates(_around_the_line(crawl), sampled)
    any_ = _at_seqs(crawl, _any_seqs(crawl, dice))
    much = _with_waiting(crawl, _candidates([*_with_links(crawl), any_], sampled))
    chance = _candidates([any_], sampled)
    dice.shuffle(chance)
    return Pool(near, much, chance)


def _sampled(crawl: Crawl) -> set[int]:
    """Pages of a sample are asked about for that and nothing else."""
    sample = PrecisionSample.objects.filter(crawl=crawl).first()
    return {number for number, _ in sample.pages[: sample.asked]} if sample else set()


def _unasked(crawl: Crawl) -> QuerySet[Page]:
    same = {"crawl": OuterRef("crawl"), "number": OuterRef("number")}
    return Page.objects.filter(
        ~Exists(LabelTask.objects.filter(**same)),
        ~Exists(Verdict.objects.filter(**same, undone_at=None)),
        crawl=crawl,
        outcome=OK,
        relevance__isnull=False,
    )


def _around_the_line(crawl: Crawl) -> list[QuerySet[Page]]:
    pages = _unasked(crawl)
    above = pages.filter(relevance__gte=RELEVANT_FROM).order_by("relevance", "seq")
    below = pages.filter(relevance__lt=RELEVANT_FROM).order_by("-relevance", "-seq")
    return [above[:POOL], below[:POOL]]


def _with_links(crawl: Crawl) -> list[QuerySet[Page]]:
    """The best hubs, and the pages on which the most URLs of the frontier were found."""
    found = []
    latest = latest_distillation(crawl)
    if latest is not None:
        hubs = latest.ranked.filter(kind=RankedPage.Kind.HUB)[:POOL]
        found.append(_at_seqs(crawl, list(hubs.values_list("page_seq", flat=True))))
    if crawl.frontier_size <= URLS_COUNTED:
        waiting = FrontierUrl.objects.filter(
            crawl=crawl, state=FrontierUrl.State.WAITING, found_on__gte=0
        )
        most = waiting.values("found_on").annotate(urls=Count("number")).order_by("-urls")[:POOL]
        numbers = [row["found_on"] for row in most]
        found.append(_unasked(crawl).filter(url_key__in=_keys(crawl, numbers)))
    return found


def _keys(crawl: Crawl, numbers: Sequence[int]) -> list[int]:
    urls = FrontierUrl.objects.filter(crawl=crawl, number__in=numbers)
    return list(urls.values_list("url_key", flat=True))


def _any_seqs(crawl: Crawl, dice: random.Random) -> list[int]:
    return dice.sample(range(1, crawl.seq + 1), min(2 * POOL, crawl.seq))


def _at_seqs(crawl: Crawl, seqs: Sequence[int]) -> QuerySet[Page]:
    return _unasked(crawl).filter(seq__in=seqs)


def _candidates(pages: Iterable[QuerySet[Page]], sampled: Collection[int]) -> list[Candidate]:
    """Each URL once, as it was the last time."""
    latest: dict[int, Candidate] = {}
    fields = ("number", "seq", "site", "text_key", "relevance")
    for query in pages:
        for number, seq, site, text_key, relevance in query.values_list(*fields):
            known = latest.get(number)
            if number not in sampled and (known is None or known.seq < seq):
                latest[number] = Candidate(number, seq, site, text_key, relevance or 0.0)
    return list(latest.values())


def _with_waiting(crawl: Crawl, pages: Sequence[Candidate]) -> list[Candidate]:
    """Told for each how many of its links wait in the frontier."""
    bodies = PageBody.objects.filter(crawl=crawl, seq__in=[page.seq for page in pages])
    links = {
        seq: np.unique(np.frombuffer(targets, dtype="<i4"))
        for seq, targets in bodies.values_list("seq", "targets")
    }
    numbers = np.unique(np.concatenate([*links.values(), np.zeros(0, dtype=np.int32)])).tolist()
    waiting: set[int] = set()
    for start in range(0, len(numbers), NUMBERS_AT_ONCE):
        urls = FrontierUrl.objects.filter(
            crawl=crawl,
            number__in=numbers[start : start + NUMBERS_AT_ONCE],
            state=FrontierUrl.State.WAITING,
        )
        waiting.update(urls.values_list("number", flat=True))
    return [
        replace(page, waiting=sum(link in waiting for link in links[page.seq].tolist()))
        for page in pages
        if page.seq in links
    ]


def most_diverse(
    crawl: Crawl, pages: Sequence[Candidate], limit: int
) -> list[tuple[Candidate, float | None]]:
    """Pages whose words are far from those of the labelled ones and from each other's.

    Each with its distance from those before it; the first of all has none.
    """
    open_ = list(spread(pages, POOL))
    verdicts = Verdict.objects.filter(crawl=crawl, undone_at=None, page_seq__isnull=False)
    labelled = [one.page_seq for one in verdicts[:KNOWN_TEXTS] if one.page_seq is not None]
    texts = _texts(crawl, [*labelled, *(page.seq for page in open_)])
    known = [texts[seq] for seq in labelled if texts.get(seq)]
    with_text = [page for page in open_ if texts.get(page.seq)]
    vectors = word_vectors([*known, *(texts[page.seq] for page in with_text)])
    found = farthest_first(vectors, range(len(known)), limit)
    return [
        (with_text[row - len(known)], distance if known or place else None)
        for place, (row, distance) in enumerate(found)
    ]


def _texts(crawl: Crawl, seqs: Sequence[int]) -> dict[int, str]:
    bodies = PageBody.objects.filter(crawl=crawl, seq__in=seqs).values_list("seq", "text")
    return {seq: unpacked_text(text)[:TEXT_COMPARED] for seq, text in bodies}


def relevant_pages(crawl: Crawl) -> list[tuple[int, int]]:
    """Number and seq of every page that the crawl calls relevant, as it was the last time."""
    pages = Page.objects.filter(crawl=crawl, outcome=OK, relevance__gte=RELEVANT_FROM)
    return sorted(dict(pages.order_by("seq").values_list("number", "seq")).items())


def seen_since(crawl: Crawl, pages: Sequence[tuple[int, int]]) -> set[int]:
    """Numbers of those that were fetched again later, and were no longer relevant then."""
    seqs = dict(pages)
    later = Page.objects.filter(crawl=crawl, outcome=OK, url_key__in=_keys(crawl, list(seqs)))
    later = later.filter(relevance__lt=RELEVANT_FROM)
    return {number for number, seq in later.values_list("number", "seq") if seq > seqs[number]}
