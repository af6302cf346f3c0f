"""Writes the citable bundle of a crawl that rests: configuration, model, graph, decisions."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, TypeVar

import numpy as np
from django.conf import settings

from crawler.core.bundle import layout
from crawler.core.bundle.citation import About, citation, readme
from crawler.core.bundle.writing import BundleWriter
from crawler.core.distiller import distil
from crawler.core.exports.types import NothingToExportError
from crawler.models import Crawl
from crawler.selectors import bundle_rows as rows
from crawler.selectors.feedback import weights_of
from crawler.selectors.linkgraph import crawl_graph
from crawler.services.distillation import TOP
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import ArtefactError, stored_checksum
from taxonomy.core.exporting import to_line
from taxonomy.selectors.models import model_file
from taxonomy.selectors.trees import topic_records

T = TypeVar("T")
Note = Callable[[int], None]  # told the pages so far; may raise to end it


class BundleNowError(FocusAdminError):
    """A crawl of which no bundle can be written at the moment; the text says what to do."""


def why_no_bundle(crawl: Crawl) -> str:
    """What has to be done first; empty when a bundle can be written."""
    if crawl.is_active:
        return (
            "The crawl is at work: pause or stop it first, so that all figures are of one moment."
        )
    if not crawl.seq:
        return "This crawl has no pages yet. Try again when it has some."
    return ""


def bundle_write(crawl: Crawl, out: IO[bytes], note: Note = lambda pages: None) -> int:
    """Write to an open file, member by member; returns how many pages it has."""
    crawl = Crawl.objects.select_related("focus__taxonomy", "model").get(pk=crawl.pk)
    if why := why_no_bundle(crawl):
        raise (BundleNowError if crawl.is_active else NothingToExportError)(why)
    before, told = _moment(crawl), _Told(note)
    with BundleWriter(out) as bundle:
        _put_data(bundle, crawl, told)
        about = _about(crawl, bundle.checksum)
        bundle.text(layout.README, readme(about))
        bundle.text(layout.CITATION, citation(about))
        bundle.finish({"software": about.software, "crawl": crawl.slug})
    if _moment(Crawl.objects.select_related("model").get(pk=crawl.pk)) != before:
        raise BundleNowError(
            "The crawl went on while the bundle was written. Pause it, then again."
        )
    return told.pages


def _put_data(bundle: BundleWriter, crawl: Crawl, told: "_Told") -> None:
    curators = rows.Curators()
    bundle.values(layout.CRAWL, rows.crawl_values(crawl))
    bundle.lines(layout.TAXONOMY, told.still(map(to_line, topic_records(crawl.focus.taxonomy))))
    bundle.values(layout.MODEL_FACTS, rows.model_values(crawl))
    _put_model(bundle, crawl)
    bundle.rows(layout.HOSTS, rows.host_rows(crawl))
    bundle.rows(layout.URLS, told.still(rows.url_rows(crawl)))
    bundle.rows(layout.PAGES, told.counted(rows.page_rows(crawl)))
    bundle.rows(layout.LINKS, told.still(rows.link_rows(crawl)))
    bundle.rows(layout.VISITS, told.still(rows.visit_rows(crawl)))
    bundle.rows(layout.TEXTS, told.still(rows.text_rows(crawl)))
    bundle.rows(layout.EVENTS, rows.event_rows(crawl, curators))
    bundle.rows(layout.FEEDBACK, rows.feedback_rows(crawl, curators))
    bundle.rows(layout.LABELS, rows.label_rows(crawl, curators))
    bundle.rows(layout.SITES, rows.site_rows(crawl, curators))
    bundle.rows(layout.NUDGES, rows.nudge_rows(crawl, curators))
    bundle.rows(layout.DISTILLATIONS, rows.distillation_rows(crawl, curators))
    bundle.values(
        layout.FIGURES, {**rows.figure_values(crawl), "distillation": _distillation(crawl)}
    )


def _moment(crawl: Crawl) -> tuple[Any, ...]:
    """What must be the same before and after."""
    said = crawl.verdicts.order_by("-id").values_list("id", flat=True).first()
    undone = crawl.verdicts.filter(undone_at__isnull=False).count()
    return (crawl.seq, crawl.settings_revision, crawl.fence, crawl.model.checksum, said, undone)


def _put_model(bundle: BundleWriter, crawl: Crawl) -> None:
    path = model_file(crawl.model)
    try:
        if stored_checksum(path) != crawl.model.checksum:
            raise BundleNowError("The model is just being written. Try again in a moment.")
        bundle.file(layout.MODEL, path)
    except (ArtefactError, OSError) as error:
        raise BundleNowError(
            f"The crawl's model can't be read ({path.name}). Bring the file back, then try again."
        ) from error


def _distillation(crawl: Crawl) -> dict[str, Any]:
    """The last run, or where it is not of this moment, what a run would find now."""
    if run := rows.current_distillation(crawl):
        return {"source": f"distillation {run.number}", **rows.ranked_values(run)}
    found = crawl_graph(crawl, weights_of(crawl))
    scores = distil(found.graph)
    return {
        "source": "distilled for the bundle",
        "hubs": _best(scores.hubs, found.numbers),
        "authorities": _best(scores.authorities, found.numbers),
    }


def _best(scores: np.ndarray, numbers: np.ndarray) -> list[dict[str, Any]]:
    order = np.argsort(-scores, kind="stable")[:TOP]
    best = order[scores[order] > 0.0]
    return [{"number": int(numbers[page]), "score": float(scores[page])} for page in best]


def _about(crawl: Crawl, checksum: str) -> About:
    day = datetime.fromtimestamp(rows.last_fetched_at(crawl), UTC).date()
    return About(
        title=f"Focused crawl: {crawl.name}",
        version=f"page {crawl.seq}, settings {crawl.settings_revision}",
        date=day.isoformat(),
        checksum=checksum,
        pages=crawl.fetched,
        harvest_rate=crawl.mean_relevance,
        strategy=crawl.strategy,
        topics=tuple("/" + "/".join(topic) for topic in crawl.good),
        software=f"FocusAdmin {settings.VERSION}",
    )


class _Told:
    """Tells how far it is while rows pass; only pages count."""

    def __init__(self, note: Note) -> None:
        self.pages, self._note = 0, note

    def counted(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.pages += 1
            self._note(self.pages)
            yield item

    def still(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self._note(self.pages)
            yield item
