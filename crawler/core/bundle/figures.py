"""Figures that a bundle tells and that are computed again from what it holds."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from crawler.core.harvest import RELEVANT_FROM, Harvest
from crawler.core.ports import OK

TOLERANCE = 1e-6  # sums in another order, texts judged in other batches, another processor
BUCKET_PAGES = 100


class Verdict(StrEnum):
    """What comparing came to."""

    AGREE = "agree"
    DIFFER = "differ"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the comparison."""

    name: str
    recorded: str
    replayed: str
    verdict: Verdict
    note: str = ""


def is_near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def compared(name: str, recorded: float, replayed: float, note: str = "") -> Figure:
    """Whole numbers must be equal, others near."""
    verdict = Verdict.AGREE if is_near(recorded, replayed) else Verdict.DIFFER
    return Figure(name, _shown(recorded), _shown(replayed), verdict, note)


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6f}"


@dataclass
class HarvestReplay:
    """The harvest of the pages that it is shown, in their order."""

    harvest: Harvest = field(default_factory=Harvest)
    failed: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    buckets: list[tuple[int, int, float]] = field(default_factory=list)
    _seen: int = 0
    _before: tuple[int, int, float] = (0, 0, 0.0)

    def add(self, outcome: str, relevance: float | None) -> None:
        self.outcomes[outcome] += 1
        if outcome == OK:
            self.harvest.add(relevance or 0.0)
        else:
            self.failed += 1
        self._seen += 1
        if self._seen % BUCKET_PAGES == 0:
            self._close_bucket()

    def _close_bucket(self) -> None:
        now = (self.harvest.pages, self.failed, self.harvest.relevance_sum)
        judged, failed, relevance = (a - b for a, b in zip(now, self._before, strict=True))
        self.buckets.append((int(judged), int(failed), relevance))
        self._before = now

    def compared_with(self, told: Mapping[str, Any]) -> list[Figure]:
        harvest = self.harvest
        return [
            compared("pages read", told["fetched"], harvest.pages),
            compared("failures", told["failed"], self.failed),
            compared(
                f"relevant pages (from {RELEVANT_FROM})", told["relevant"], harvest.relevant_pages
            ),
            compared("harvest rate", told["harvest_rate"], harvest.rate),
            compared(
                f"moving average of the last {harvest.window} pages",
                told["moving_average"],
                harvest.average,
            ),
            self._curve(told["buckets"]),
            self._outcomes(told["outcomes"]),
        ]

    def _curve(self, told: Sequence[Sequence[float]]) -> Figure:
        away = [
            number
            for number, (before, now) in enumerate(zip(told, self.buckets, strict=False))
            if not all(map(is_near, before, now))
        ]
        is_same = len(told) == len(self.buckets) and not away
        return Figure(
            f"harvest of every {BUCKET_PAGES} pages",
            f"{len(told):,} points",
            f"{len(self.buckets):,} points, {len(away):,} elsewhere",
            Verdict.AGREE if is_same else Verdict.DIFFER,
            f"first after page {away[0] * BUCKET_PAGES:,}" if away else "",
        )

    def _outcomes(self, told: Mapping[str, int]) -> Figure:
        is_same = dict(told) == dict(self.outcomes)
        return Figure(
            "outcomes",
            _counts(told),
            _counts(self.outcomes),
            Verdict.AGREE if is_same else Verdict.DIFFER,
        )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items())) or "none"
