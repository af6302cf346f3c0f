"""Makes files of a crawl: at once, or by a worker with progress and a way to stop it.

A file is written under another name first: what has the right name is whole.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, TypeVar

from django.db.models import Q
from django.utils import timezone

from crawler.core.exports import best, graphs, tables, warc
from crawler.core.exports.formats import FORMATS, Format, Of
from crawler.core.exports.types import NothingToExportError
from crawler.forms.pages import PagesForm
from crawler.models import Crawl, Export
from crawler.selectors.export_rows import ExportGraph, best_pages, export_pages
from crawler.selectors.exports import export_path
from crawler.selectors.hubs import latest_distillation
from crawler.selectors.page_filter import PageFilter
from crawler.services.bundles import bundle_write, why_no_bundle
from crawler.services.distillation import NothingToDistilError, crawl_distil
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError

LOST_SECONDS = 60
KEPT_DAYS = 7
AT_A_TIME = 3  # that a crawl has waiting or being written
NOTE_SECONDS = 1.0

_PAGES = {
    "csv": tables.write_csv,
    "jsonl": tables.write_jsonl,
    "xlsx": tables.write_xlsx,
    "web": tables.write_web,
    "warc": warc.write_warc,
}
_GRAPHS = {"gexf": graphs.write_gexf, "graphml": graphs.write_graphml}
_BEST = {"bookmarks": best.write_bookmarks, "opml": best.write_opml}

Note = Callable[[int], None]  # told the rows so far; may raise to end it
T = TypeVar("T")


class ExportError(FocusAdminError):
    """An export that can't be made, or not now."""


class _EndedError(Exception):
    """Cancelled, or somebody else writes it now."""


def export_write(
    crawl: Crawl, kind: Format, wanted: PageFilter, out: IO[bytes], note: Note = lambda rows: None
) -> int:
    """Write to an open file; returns how many pages it has."""
    counted = _Counted(note)
    if kind.of is Of.BUNDLE:
        if wanted != PageFilter():
            raise ExportError("A bundle is of the whole crawl: leave the filter out.")
        return bundle_write(crawl, out, note)
    if kind.of is Of.BEST:
        _distilled(crawl)
        _BEST[kind.key](counted(best_pages(crawl)), out)
    elif kind.of is Of.GRAPH:
        graph = ExportGraph(crawl, wanted, kind)
        _GRAPHS[kind.key](counted(graph.pages()), counted.only_told(graph.edges()), out)
    else:
        pages = export_pages(crawl, wanted, kind)
        if kind.key == "warc":
            pages = (page for page in pages if page.text or page.body)
        _PAGES[kind.key](counted(pages), out)
    return counted.rows


class _Counted:
    """Counts what passes, and tells it."""

    def __init__(self, note: Note) -> None:
        self.rows, self.note = 0, note

    def __call__(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.rows += 1
            self.note(self.rows)
            yield item

    def only_told(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.note(self.rows)
            yield item


def _distilled(crawl: Crawl) -> None:
    """Hubs are known after this."""
    if latest_distillation(crawl) is None:
        try:
            crawl_distil(crawl=crawl)
        except NothingToDistilError as error:
            raise NothingToExportError(str(error)) from error


def export_to_file(
    crawl: Crawl, kind: Format, wanted: PageFilter, path: Path, note: Note = lambda rows: None
) -> int:
    """The file is there when it is whole, and not before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            rows = export_write(crawl, kind, wanted, out, note)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101 - a name, not a path
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return rows


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def wanted_by(crawl: Crawl, query: str) -> PageFilter:
    """The filters of an address; those that can't be read are refused, not left out."""
    form = PagesForm.of_query(query, crawl=crawl)
    if form.errors:
        name, errors = next(iter(form.errors.items()))
        raise ExportError(f"{name}: {errors[0]}")
    return form.wanted


def export_ask(*, crawl: Crawl, kind: Format, query: str, by: User) -> Export:
    """A worker takes it up within a second or two."""
    wanted_by(crawl, query)
    if kind.of is Of.BUNDLE and (why := why_no_bundle(crawl)):
        raise ExportError(why)
    going = Export.objects.filter(crawl=crawl, state__in=_GOING)
    if going.count() >= AT_A_TIME:
        raise ExportError(f"{AT_A_TIME} exports of this crawl are being written. Wait for one.")
    return Export.objects.create(crawl=crawl, format=kind.key, query=query, by=by)


_GOING = (Export.State.WAITING, Export.State.RUNNING)


def export_cancel(*, export: Export) -> bool:
    """Whoever writes it sees this within a second; False when it was over already."""
    going = Export.objects.filter(pk=export.pk, state__in=_GOING)
    return bool(going.update(state=Export.State.CANCELLED, finished_at=timezone.now()))


def exports_to_run() -> list[int]:
    """Those that wait, and those whose writer was not heard of for a while; old ones go."""
    now = timezone.now()
    old = Export.objects.filter(finished_at__lt=now - timedelta(days=KEPT_DAYS))
    for export in old[:20]:
        export_remove(export=export)
    lost = Q(state=Export.State.RUNNING, seen_at__lt=now - timedelta(seconds=LOST_SECONDS))
    found = Export.objects.filter(Q(state=Export.State.WAITING) | lost)
    return list(found.values_list("pk", flat=True))


def export_remove(*, export: Export) -> None:
    export_path(export).unlink(missing_ok=True)
    export.delete()


def export_run(export_id: int) -> None:
    """Write it, unless it is cancelled or another process is at it."""
    export = _taken(export_id)
    if export is None:
        return
    mine = Export.objects.filter(pk=export.pk, attempt=export.attempt, state=Export.State.RUNNING)
    try:
        wanted = wanted_by(export.crawl, export.query)
        path = export_path(export)
        rows = export_to_file(export.crawl, FORMATS[export.format], wanted, path, _noting(export))
        size = path.stat().st_size
        done = mine.update(
            state=Export.State.DONE, rows=rows, size_bytes=size, finished_at=timezone.now()
        )
        if not done and not Export.objects.filter(pk=export.pk, state__in=_GOING).exists():
            path.unlink(missing_ok=True)
    except _EndedError:
        return
    except (FocusAdminError, OSError) as error:
        told = str(error)[:300]
        mine.update(state=Export.State.FAILED, error=told, finished_at=timezone.now())


def _taken(export_id: int) -> Export | None:
    export = Export.objects.select_related("crawl__focus").filter(pk=export_id).first()
    if export is None:
        return None
    now = timezone.now()
    free = Q(state=Export.State.WAITING) | Q(
        state=Export.State.RUNNING, seen_at__lt=now - timedelta(seconds=LOST_SECONDS)
    )
    export.attempt += 1
    same = Export.objects.filter(free, pk=export_id, attempt=export.attempt - 1)
    taken = same.update(
        state=Export.State.RUNNING, attempt=export.attempt, seen_at=now, rows=0, error=""
    )
    return export if taken else None


def _noting(export: Export) -> Note:
    """Once a second: how far it is, and whether it shall go on."""
    last = time.monotonic()
    mine = Export.objects.filter(pk=export.pk, attempt=export.attempt, state=Export.State.RUNNING)

    def note(rows: int) -> None:
        nonlocal last
        if time.monotonic() - last < NOTE_SECONDS:
            return
        last = time.monotonic()
        if not mine.update(rows=rows, seen_at=timezone.now()):
            raise _EndedError

    return note
