"""Computes the figures of a bundle again from what is in it, and compares."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.core.bundle.figures import Figure, HarvestReplay, Verdict
from crawler.core.bundle.frontier import FrontierReplay
from crawler.core.bundle.judging import JudgeReplay
from crawler.core.bundle.layout import CRAWL, FIGURES, LINKS, PAGES, TEXTS, BundleError
from crawler.core.bundle.ranking import DistillerReplay
from crawler.core.bundle.reading import Bundle
from crawler.core.bundle.urls import Urls
from crawler.core.ports import OK
from focusadmin.lib.errors import FocusAdminError

Tell = Callable[[str, int, int], None]  # what is done, how much, of how much
_ODD = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, MemoryError)


@dataclass(frozen=True)
class Report:
    """What verifying a bundle came to."""

    crawl: str
    version: int
    checksum: str
    figures: list[Figure]

    @property
    def differing(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.verdict is Verdict.DIFFER]


def verified(path: Path, tell: Tell = lambda what, done, total: None) -> Report:
    """Needs nothing but the file. `BundleError` when it is damaged or no bundle."""
    with Bundle(path, lambda done, total: tell("checksums", done, total)) as bundle:
        try:
            figures = _figures(bundle, tell)
            name = str(bundle.values(CRAWL)["name"])
        except BundleError:
            raise
        except (*_ODD, FocusAdminError) as error:
            told = f"{type(error).__name__}: {error}"[:200]
            raise BundleError(f"Its parts do not fit together ({told}).") from error
        return Report(name, int(bundle.manifest["version"]), bundle.checksum, figures)


def _figures(bundle: Bundle, tell: Tell) -> list[Figure]:
    crawl, told = bundle.values(CRAWL), bundle.values(FIGURES)
    urls = Urls(bundle)
    harvest, judge, frontier = (
        HarvestReplay(),
        JudgeReplay(bundle, crawl),
        FrontierReplay(crawl, urls),
    )
    links, texts = _BySeq(bundle.rows(LINKS), LINKS), _BySeq(bundle.rows(TEXTS), TEXTS)
    nothing: dict[str, list[Any]] = {"targets": [], "contexts": [], "anchors": []}
    for row in _in_order(bundle.rows(PAGES)):
        tell("pages", row["seq"], crawl["seq"])
        harvest.add(row["outcome"], row["relevance"])
        frontier.visited(row["number"])
        if row["outcome"] == OK:
            frontier.page(row, links.at(row["seq"]) or nothing)
            judge.page(row, (texts.at(row["seq"]) or {"text": ""})["text"])
    links.finish()
    texts.finish()
    tell("hubs and authorities", 0, 1)
    return [
        *harvest.compared_with(told),
        *judge.compared(),
        *DistillerReplay(bundle, urls).compared_with(told["distillation"]),
        *frontier.compared_with(told["frontier"], _why_no_order(crawl)),
    ]


def _why_no_order(crawl: Mapping[str, Any]) -> str:
    if crawl["ranked_revision"] != crawl["settings_revision"]:
        return "settings were changed after the frontier was ranked for the last time"
    if crawl["visited_again"]:
        return (
            f"{crawl['visited_again']:,} further visits: pages are stored as they were the last "
            "time, and the strategy saw them as they were before, too"
        )
    if crawl["topics_changed_at"] is not None:
        return (
            f"the topics were changed after page {crawl['topics_changed_at']:,}, and the words "
            "around links are not stored"
        )
    return ""


def _in_order(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    last = 0
    for row in rows:
        if row["seq"] <= last:
            raise BundleError(f"{PAGES}: page {row['seq']} comes after page {last}.")
        last = row["seq"]
        yield row


class _BySeq:
    """Rows beside the pages, read along with them."""

    def __init__(self, rows: Iterator[dict[str, Any]], name: str) -> None:
        self._rows, self._name = rows, name
        self._next = next(rows, None)

    def at(self, seq: int) -> dict[str, Any] | None:
        if self._next is None or self._next["seq"] > seq:
            return None
        if self._next["seq"] < seq:
            raise self._stray()
        row, self._next = self._next, next(self._rows, None)
        return row

    def finish(self) -> None:
        if self._next is not None:
            raise self._stray()

    def _stray(self) -> BundleError:
        seq = self._next["seq"] if self._next else None
        return BundleError(f"{self._name} tells of page {seq}, which is not among the pages.")
