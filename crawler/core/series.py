"""What a chart of a long crawl is drawn from: pages in a row, summed up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some pages in a row: how many were judged, how many failed, and their relevances."""

    first: int  # seq of its first page
    last: int
    judged: int
    failed: int
    total: float
    least: float | None  # None where no page was judged
    most: float | None
    first_at: float
    last_at: float

    @property
    def mean(self) -> float | None:
        return self.total / self.judged if self.judged else None


def joined(stretches: Sequence[Stretch]) -> Stretch:
    """Neighbours as one."""
    return Stretch(
        first=stretches[0].first,
        last=stretches[-1].last,
        judged=sum(stretch.judged for stretch in stretches),
        failed=sum(stretch.failed for stretch in stretches),
        total=sum(stretch.total for stretch in stretches),
        least=min(_known(stretch.least for stretch in stretches), default=None),
        most=max(_known(stretch.most for stretch in stretches), default=None),
        first_at=stretches[0].first_at,
        last_at=max(stretch.last_at for stretch in stretches),
    )


def thinned(stretches: Sequence[Stretch], most: int) -> list[Stretch]:
    """At most `most` of them, each joined from equally many neighbours but for the last."""
    if len(stretches) <= most:
        return list(stretches)
    size = -(-len(stretches) // most)
    return [joined(stretches[at : at + size]) for at in range(0, len(stretches), size)]


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
