"""Focuses and their marks."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core import signing
from django.db import transaction
from django.utils.text import slugify

from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.core.marks import Conflict, conflicts
from taxonomy.models import Focus, FocusDraft, FocusPage, GoodTopic, Taxonomy, Topic
from taxonomy.services.changes import live_topic
from taxonomy.services.edits import edit_lock

UNDO_SECONDS = 600
_UNDO_SALT = "taxonomy.focus-marks"


class FocusError(FocusAdminError):
    """A change to a focus that can't be made; the text says what to do."""


class MarkConflictError(FocusError):
    """Good topics above or below stand in the way; `replaceable` ones may be replaced."""

    def __init__(self, text: str, *, replaceable: bool) -> None:
        super().__init__(text)
        self.replaceable = replaceable


@dataclass(frozen=True)
class Marked:
    """What was done, and the token that brings the marks of before back."""

    summary: str
    undo_token: str


@transaction.atomic
def focus_create(
    *,
    name: str,
    taxonomy: Taxonomy,
    by: User,
    good: Iterable[Topic] = (),
    pass_through: Iterable[Topic] = (),
    start_urls: Iterable[str] = (),
) -> Focus:
    name = " ".join(name.split())
    if not name:
        raise FocusError("Give the focus a name.")
    focus = Focus.objects.create(
        name=name[:120],
        slug=_free_slug(name),
        team=taxonomy.team,
        owner=by,
        taxonomy=taxonomy,
        start_urls=list(start_urls),
    )
    for topic in good:
        topic_mark_good(focus=focus, topic=topic, by=by)
    focus.pass_through_topics.set(pass_through)
    return focus


def topic_mark_good(*, focus: Focus, topic: Topic, by: User, replace: bool = False) -> Marked:
    """Mark a topic; with `replace`, good topics under it give way to it."""
    with edit_lock(focus.taxonomy) as tree:
        topic = live_topic(tree, topic.pk)
        if topic.pk == tree.root_id:
            raise FocusError("The whole tree can't be good. Choose a topic in it.")
        before = _good_ids(focus)
        clash = conflicts(_steps(topic), {_steps(mark.topic) for mark in _marks(focus)})
        if clash.ancestors or (clash.descendants and not replace):
            raise _conflict(focus, topic, clash)
        under = topic._get_children_path_interval(topic.path)
        focus.marks.filter(topic__path__range=under).delete()
        GoodTopic.objects.get_or_create(focus=focus, topic=topic, defaults={"marked_by": by})
        return Marked(f"{isolated(topic)} is good now.", _undo_token(focus, before))


def topic_unmark(*, focus: Focus, topic: Topic) -> Marked:
    with edit_lock(focus.taxonomy):
        before = _good_ids(focus)
        focus.marks.filter(topic=topic).delete()
        return Marked(f"{isolated(topic)} is not marked good any more.", _undo_token(focus, before))


def pass_through_set(*, focus: Focus, topic: Topic, is_on: bool) -> str:
    """Whether a topic counts for a crawl's priorities without being good."""
    with edit_lock(focus.taxonomy) as tree:
        topic = live_topic(tree, topic.pk)
        if not is_on:
            focus.pass_through_topics.remove(topic)
            return f"{isolated(topic)} does not count for priority any more."
        if topic.pk == tree.root_id:
            raise FocusError("The whole tree can't count for priority. Choose a topic in it.")
        focus.pass_through_topics.add(topic)
        return f"{isolated(topic)} counts for priority now. What you are shown stays narrow."


def focus_rename(*, focus: Focus, name: str) -> None:
    name = " ".join(name.split())[:120]
    if not name:
        raise FocusError("Give the focus a name.")
    if name != focus.name:
        focus.name, focus.slug = name, _free_slug(name)
        focus.save(update_fields=["name", "slug"])


def start_urls_set(*, focus: Focus, urls: Iterable[str]) -> None:
    focus.start_urls = list(urls)
    focus.save(update_fields=["start_urls"])


@transaction.atomic
def focus_duplicate(*, focus: Focus, by: User) -> Focus:
    """The same interest once more: marks, start URLs, examples and what was typed."""
    twin = focus_create(
        name=f"{focus.name[:110]} (copy)",
        taxonomy=focus.taxonomy,
        by=by,
        good=focus.good_topics.all(),
        pass_through=focus.pass_through_topics.all(),
        start_urls=focus.start_urls,
    )
    draft = FocusDraft.objects.filter(focus=focus).first() or FocusDraft()
    draft.focus, draft.reader_until = twin, None
    draft.save(force_insert=True)
    pages = list(focus.pages.examples())
    for page in pages:
        page.pk, page.focus, page.found_on = None, twin, None
    FocusPage.objects.bulk_create(pages, batch_size=200)
    return twin


def marks_restore(*, focus: Focus, token: str, by: User) -> None:
    """Bring the marks back that a token remembers, unless the tree has changed too much."""
    try:
        before = signing.loads(token, salt=_UNDO_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        raise FocusError("This can't be undone any more.") from None
    if before["focus"] != focus.pk:
        raise FocusError("This undo belongs to another focus.")
    with edit_lock(focus.taxonomy):
        focus.marks.all().delete()
        for topic in Topic.objects.of(focus.taxonomy).filter(pk__in=before["good"]):
            topic_mark_good(focus=focus, topic=topic, by=by)


def _good_ids(focus: Focus) -> list[int]:
    return list(focus.marks.values_list("topic_id", flat=True))


def _marks(focus: Focus) -> Iterable[GoodTopic]:
    return focus.marks.select_related("topic")


def _undo_token(focus: Focus, before: list[int]) -> str:
    return signing.dumps({"focus": focus.pk, "good": before}, salt=_UNDO_SALT)


def _steps(topic: Topic) -> tuple[str, ...]:
    """The materialised path cut into its steps, which is how core/marks.py knows a topic."""
    return tuple(
        topic.path[start : start + topic.steplen]
        for start in range(0, len(topic.path), topic.steplen)
    )


def _conflict(focus: Focus, topic: Topic, clash: Conflict[str]) -> MarkConflictError:
    if clash.ancestors:
        above = Topic.objects.get(path="".join(clash.ancestors[0]))
        return MarkConflictError(
            f"{isolated(above)} is good already, and {isolated(topic)} with it. "
            "Take the mark of the upper topic away to choose a narrower one.",
            replaceable=False,
        )
    paths = ["".join(steps) for steps in clash.descendants]
    names = ", ".join(isolated(other) for other in Topic.objects.filter(path__in=paths)[:5])
    return MarkConflictError(
        f"Under {isolated(topic)} there is good already: {names}. No good topic may hold "
        f"another: replace what is good under it by {isolated(topic)} itself?",
        replaceable=True,
    )


def _free_slug(name: str) -> str:
    base = slugify(name)[:60] or "focus"
    slug, number = base, 1
    while Focus.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug
