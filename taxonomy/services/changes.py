"""Applies the reversible changes of core/changes.py to the database.

Always called under the taxonomy's lock (services/edits.py): the checks here and the writes that
follow them see the same tree.
"""

from collections.abc import Sequence
from functools import singledispatch

from django.db.models import F, Max

from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.core.changes import (
    Change,
    ExamplesMoved,
    TopicDescribed,
    TopicMoved,
    TopicRenamed,
)
from taxonomy.core.tree import DEPTH_MAX, name_key
from taxonomy.models import Example, GoodTopic, Taxonomy, Topic


class EditError(FocusAdminError):
    """An edit that can't be made; the text says why and what to do."""


def apply_all(taxonomy: Taxonomy, changes: Sequence[Change]) -> None:
    for change in changes:
        apply(change, taxonomy)


@singledispatch
def apply(change: Change, taxonomy: Taxonomy) -> None:
    raise NotImplementedError(type(change))


@apply.register
def _topic_moved(change: TopicMoved, taxonomy: Taxonomy) -> None:
    topic = topic_anywhere(taxonomy, change.topic)
    if topic.parent_id != change.before:
        raise EditError(f"{isolated(topic)} is no longer where it was. See the history.")
    target = taxonomy.trash if change.after is None else live_topic(taxonomy, change.after)
    if change.after is None:
        _refuse_if_good(topic)
    else:
        _require_room(topic, target)
        _refuse_good_under_good(topic, target)
    _count(topic.ancestor_paths(), -topic.example_count)
    Topic.objects.move(topic, Topic.objects.get(pk=target.pk), "last-child")
    topic.refresh_from_db()
    topic.parent_id = change.after
    topic.save(update_fields=["parent"])
    _count(topic.ancestor_paths(), topic.example_count)


@apply.register
def _topic_renamed(change: TopicRenamed, taxonomy: Taxonomy) -> None:
    topic = live_topic(taxonomy, change.topic)
    if topic.name != change.before:
        raise EditError(f"{isolated(topic)} has another name by now. See the history.")
    if topic.parent is not None:
        require_free_name(topic.parent, change.after, ignoring=topic)
    topic.name, topic.name_key = change.after, stored_key(change.after)
    topic.save(update_fields=["name", "name_key"])


@apply.register
def _topic_described(change: TopicDescribed, taxonomy: Taxonomy) -> None:
    topic = live_topic(taxonomy, change.topic)
    for field, value in change.after.items():
        setattr(topic, field, value)
    topic.save(update_fields=list(change.after))


@apply.register
def _examples_moved(change: ExamplesMoved, taxonomy: Taxonomy) -> None:
    """Those that somebody moved on in the meantime stay where they are."""
    examples = Example.objects.filter(pk__in=change.examples)
    if change.before is None:
        examples = examples.filter(is_removed=True)
    else:
        source = topic_anywhere(taxonomy, change.before)
        examples = examples.kept().filter(topic=source)
    if change.after is None:
        moved = examples.update(is_removed=True)
    else:
        target = live_topic(taxonomy, change.after)
        moved = examples.update(topic=target, is_removed=False)
        _count([*target.ancestor_paths(), target.path], moved)
    if change.before is not None:
        _count([*source.ancestor_paths(), source.path], -moved)


def topic_anywhere(taxonomy: Taxonomy, topic_id: int) -> Topic:
    """Of this taxonomy, removed or not."""
    topic: Topic | None = Topic.objects.filter(pk=topic_id).first()
    if topic is None or not (topic.is_under(taxonomy.root) or topic.is_under(taxonomy.trash)):
        if topic is not None and topic.pk == taxonomy.root_id:
            return topic
        raise EditError("This topic is not in the tree any more.")
    return topic


def live_topic(taxonomy: Taxonomy, topic_id: int) -> Topic:
    topic = topic_anywhere(taxonomy, topic_id)
    if topic.is_under(taxonomy.trash):
        raise EditError(f"{isolated(topic)} was deleted. Bring it back from the history first.")
    return topic


def require_free_name(parent: Topic, name: str, *, ignoring: Topic | None = None) -> None:
    others = Topic.objects.filter(parent=parent, name_key=stored_key(name))
    if ignoring is not None:
        others = others.exclude(pk=ignoring.pk)
    if other := others.first():
        place = isolated(parent) if parent.parent_id else "the top level"
        raise EditError(
            f"There is a topic {isolated(other)} in {place} already. "
            "Choose another name, or merge the two."
        )


def stored_key(name: str) -> str:
    """The key, cut to its column: two names equal over hundreds of letters count as one."""
    length = Topic._meta.get_field("name_key").max_length
    return name_key(name)[:length]


def require_depth(depth: int) -> None:
    if depth - 1 > DEPTH_MAX:
        raise EditError(f"A tree can have {DEPTH_MAX} levels. Choose a place further up.")


def _require_room(topic: Topic, target: Topic) -> None:
    if target.pk == topic.pk or target.is_under(topic):
        raise EditError(f"{isolated(topic)} can't be moved under itself.")
    require_free_name(target, topic.name, ignoring=topic)
    deepest = Topic.objects.below(topic).aggregate(depth=Max("depth"))["depth"] or topic.depth
    require_depth(target.depth + 1 + deepest - topic.depth)


def _refuse_if_good(topic: Topic) -> None:
    paths = [topic.path, *Topic.objects.below(topic).values_list("path", flat=True)]
    mark = GoodTopic.objects.filter(topic__path__in=paths).select_related("topic", "focus").first()
    if mark is not None:
        raise EditError(
            f"The focus {isolated(mark.focus)} marks {isolated(mark.topic)} good. "
            "Take the mark away there first."
        )


def _refuse_good_under_good(topic: Topic, target: Topic) -> None:
    """No good topic may come to lie under another good one of the same focus."""
    above = GoodTopic.objects.filter(topic__path__in=[*target.ancestor_paths(), target.path])
    for mark in above.select_related("focus", "topic"):
        inside = mark.focus.marks.filter(
            topic__path__range=topic._get_children_path_interval(topic.path)
        )
        if inside.exists() or mark.focus.marks.filter(topic=topic).exists():
            raise EditError(
                f"The focus {isolated(mark.focus)} marks {isolated(mark.topic)} good, and a good "
                "topic can't hold another. Take one of the marks away first."
            )


def _count(paths: Sequence[str], difference: int) -> None:
    if difference:
        Topic.objects.filter(path__in=paths).update(example_count=F("example_count") + difference)
