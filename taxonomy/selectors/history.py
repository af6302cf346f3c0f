"""Reads of a tree's history."""

from dataclasses import dataclass

from django.shortcuts import get_object_or_404

from taxonomy.models import Taxonomy, TreeEdit
from taxonomy.selectors.trees import paths_of

HISTORY_SHOWN = 50


@dataclass(frozen=True)
class Entry:
    """An edit, and the path of the topic to look at while it is in the tree."""

    edit: TreeEdit
    path: str


@dataclass(frozen=True)
class HistoryPage:
    entries: list[Entry]
    is_newest: bool
    next_before: int | None


def history_of(taxonomy: Taxonomy, *, before: int | None = None) -> HistoryPage:
    """The newest edits first, one page of those before a revision."""
    edits = taxonomy.edits.select_related("by", "topic", "undone_by__by").order_by("-revision")
    if before is not None:
        edits = edits.filter(revision__lt=before)
    found = list(edits[: HISTORY_SHOWN + 1])
    shown = found[:HISTORY_SHOWN]
    has_more = len(found) > len(shown)
    paths = paths_of([edit.topic for edit in shown if edit.topic and _is_live(taxonomy, edit)])
    return HistoryPage(
        [Entry(edit, paths.get(edit.topic_id or 0, "")) for edit in shown],
        is_newest=before is None,
        next_before=shown[-1].revision if has_more else None,
    )


def edit_get(*, taxonomy: Taxonomy, edit_id: int) -> TreeEdit:
    return get_object_or_404(taxonomy.edits.select_related("taxonomy"), pk=edit_id)


def _is_live(taxonomy: Taxonomy, edit: TreeEdit) -> bool:
    return edit.topic is not None and edit.topic.is_under(taxonomy.root)
