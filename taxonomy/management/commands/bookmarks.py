"""Read a bookmark file on the command line, and propose the topics that it is about."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from focusadmin.commands import ActionCommand, progress_bar
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.bookmarks.types import MAX_BYTES, Bookmark
from taxonomy.core.proposals import Placed, address_words, proposals
from taxonomy.core.tree import join_path
from taxonomy.models import Focus, FocusPage, Taxonomy
from taxonomy.selectors.focuses import focus_named
from taxonomy.selectors.models import Judge, NoModelError, judge_of
from taxonomy.selectors.placing import placed_texts
from taxonomy.selectors.trees import taxonomies_ready, taxonomy_named
from taxonomy.services.drafts import PAGES_MAX, bookmarks_read, pages_add
from taxonomy.services.shipped import SHIPPED_SLUG

TOLD_EVERY = 500
JUDGED_MOST = 10_000  # evenly spread; more of them change no proposal and cost seconds


class Command(ActionCommand):
    help = "Read bookmarks from any browser or service."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        importing = self.add_action(
            actions,
            "import",
            self.import_file,
            help="read a file, propose topics, and give a focus its examples",
            show=_told,
        )
        importing.add_argument("file", type=Path, metavar="FILE")
        importing.add_argument("--focus", help="id or slug: gets the bookmarks as examples")
        importing.add_argument(
            "--taxonomy", help=f"id or slug; default: that of the focus, or {SHIPPED_SLUG}"
        )

    def import_file(
        self, *, file: Path, focus: str | None, taxonomy: str | None, **_: Any
    ) -> dict[str, Any]:
        wanted = _focus(focus) if focus else None
        judge = _judge(_taxonomy(taxonomy, wanted))
        with progress_bar() as on_progress:
            on_progress(f"Reading {file.name}", 0, 0)
            found = _checked(bookmarks_read, _content(file), file.name)
            marks, placed = found.bookmarks, []
            judged = marks[:: -(-len(marks) // JUDGED_MOST) or 1]
            for each in _placed(judge, judged):
                placed.append(each)
                if len(placed) % TOLD_EVERY == 0:
                    on_progress("Routing by titles and addresses", len(placed), len(judged))
        return {
            "format": found.format,
            "bookmarks": len(marks),
            "folders": len(found.folders),
            "duplicates": found.duplicates,
            "skipped": [{"reason": skip.reason, "count": skip.count} for skip in found.skipped],
            "judged": len(placed),
            "proposals": [
                {
                    "path": join_path(proposal.lineage),
                    "examples": len(proposal.members),
                    "confidence": round(proposal.confidence, 4),
                }
                for proposal in proposals(placed)
            ],
            **(_given(wanted, marks) if wanted else {}),
        }


def _given(focus: Focus, marks: Sequence[Bookmark]) -> dict[str, Any]:
    """What the focus got; a worker fetches the pages."""
    room = max(0, PAGES_MAX - focus.pages.count())
    source = FocusPage.Source.BOOKMARKS
    added = _checked(pages_add, focus=focus, marks=marks[:room], source=source, by=focus.owner)
    return {"focus": focus.slug, "added": added, "left_out": max(0, len(marks) - room)}


def _placed(judge: Judge | None, marks: Sequence[Bookmark]) -> Iterator[Placed]:
    """Nothing is fetched: titles and addresses tell enough for a first proposal."""
    if judge is None:
        return iter(())
    return placed_texts(judge, (f"{mark.title}\n{address_words(mark.url)}" for mark in marks))


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{file} can't be read: {error.strerror}.") from error


def _focus(name: str) -> Focus:
    focus = focus_named(name)
    if focus is None:
        raise CommandError(f"There is no focus {name}.")
    return focus


def _taxonomy(name: str | None, focus: Focus | None) -> Taxonomy | None:
    if name is None:
        return focus.taxonomy if focus else taxonomy_named(SHIPPED_SLUG)
    taxonomy = taxonomy_named(name)
    if taxonomy is None:
        known = ", ".join(each.slug for each in taxonomies_ready())
        raise CommandError(f"There is no taxonomy {name}. There are: {known or 'none'}.")
    return taxonomy


def _judge(taxonomy: Taxonomy | None) -> Judge | None:
    """Without a trained model there is nothing to propose."""
    try:
        return judge_of(taxonomy) if taxonomy else None
    except NoModelError:
        return None


def _checked(call: Any, *args: Any, **options: Any) -> Any:
    try:
        return call(*args, **options)
    except FocusAdminError as error:
        raise CommandError(str(error)) from error


def _told(result: dict[str, Any]) -> str:
    lines = [
        f"{result['format']}: {result['bookmarks']:,} bookmarks in {result['folders']:,} folders, "
        f"{result['duplicates']:,} duplicates.",
        *(f"  skipped {skip['count']:,}: {skip['reason']}" for skip in result["skipped"]),
        *(
            f"{each['confidence']:>5.2f} {each['examples']:>7,} examples  {each['path']}"
            for each in result["proposals"]
        ),
    ]
    if "added" in result:
        lines.append(f"{result['focus']} got {result['added']:,} new examples.")
    return "\n".join(lines)
