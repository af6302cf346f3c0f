"""What people do to a tree. Each edit acts at once, is in the history, and can be undone."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.db import transaction

from focusadmin.accounts.models import User
from focusadmin.lib.text import isolated
from taxonomy.core import changes as reversible
from taxonomy.core.changes import (
    Change,
    ExamplesMoved,
    TopicDescribed,
    TopicMoved,
    TopicRenamed,
)
from taxonomy.core.records import START_URLS_MAX, TERMS_MAX, ExampleRecord
from taxonomy.core.tree import clean_name
from taxonomy.models import Example, Taxonomy, Topic, TreeEdit
from taxonomy.services.changes import (
    EditError,
    apply_all,
    live_topic,
    require_depth,
    require_free_name,
    stored_key,
)

Kind = TreeEdit.Kind
SUMMARY_MAX = 500


@contextmanager
def edit_lock(taxonomy: Taxonomy) -> Iterator[Taxonomy]:
    """One edit of a tree at a time: two at once could both find a name free.

    The row is locked on PostgreSQL; on SQLite every transaction is IMMEDIATE, which locks more.
    """
    with transaction.atomic():
        locked = Taxonomy.objects.select_for_update(of=("self",)).get(pk=taxonomy.pk)
        yield locked


def topic_create(*, taxonomy: Taxonomy, parent: Topic, name: str, by: User) -> TreeEdit:
    name = clean_name(name)
    with edit_lock(taxonomy) as tree:
        parent = live_topic(tree, parent.pk)
        topic = _new_topic(tree, parent, name)
        changes: list[Change] = [TopicMoved(topic.pk, None, parent.pk)]
        return _edit(tree, Kind.CREATE, f"New topic {_path(topic, parent)}", changes, topic, by)


def topic_rename(*, taxonomy: Taxonomy, topic: Topic, name: str, by: User) -> TreeEdit:
    name = clean_name(name)
    with edit_lock(taxonomy) as tree:
        topic = _movable(tree, topic)
        if topic.name == name:
            raise EditError("This is its name already.")
        summary = f"{isolated(topic)} renamed to {isolated(name.replace('_', ' '))}"
        changes: list[Change] = [TopicRenamed(topic.pk, topic.name, name)]
        return _edit(tree, Kind.RENAME, summary, changes, topic, by)


def topic_move(*, taxonomy: Taxonomy, topic: Topic, to: Topic, by: User) -> TreeEdit:
    with edit_lock(taxonomy) as tree:
        topic, to = _movable(tree, topic), live_topic(tree, to.pk)
        if topic.parent_id == to.pk:
            raise EditError(f"{isolated(topic)} is there already.")
        summary = f"{isolated(topic)} moved from {_place(topic.parent)} to {_place(to)}"
        changes: list[Change] = [TopicMoved(topic.pk, topic.parent_id, to.pk)]
        return _edit(tree, Kind.MOVE, summary, changes, topic, by)


def topic_merge(*, taxonomy: Taxonomy, topic: Topic, into: Topic, by: User) -> TreeEdit:
    """Sub-topics, examples, terms and start URLs of `topic` join those of `into`; `topic` goes."""
    with edit_lock(taxonomy) as tree:
        topic, into = _movable(tree, topic), _movable(tree, into)
        if into.pk == topic.pk or into.is_under(topic):
            raise EditError(f"{isolated(topic)} can't be merged into itself or what is under it.")
        summary = f"{isolated(topic)} merged into {isolated(into)}"
        return _edit(tree, Kind.MERGE, summary, list(_merging(topic, into)), into, by)


def topic_split(
    *, taxonomy: Taxonomy, topic: Topic, name: str, examples: Iterable[int], by: User
) -> TreeEdit:
    """A new sub-topic made of chosen examples."""
    name = clean_name(name)
    with edit_lock(taxonomy) as tree:
        topic = _movable(tree, topic)
        chosen = _examples_of(topic, examples)
        part = _new_topic(tree, topic, name)
        changes: list[Change] = [
            TopicMoved(part.pk, None, topic.pk),
            ExamplesMoved(chosen, topic.pk, part.pk),
        ]
        summary = f"{_number(chosen)} of {isolated(topic)} made into {isolated(part)}"
        return _edit(tree, Kind.SPLIT, summary, changes, part, by)


def topic_delete(
    *, taxonomy: Taxonomy, topic: Topic, examples_to: Topic | None, by: User
) -> TreeEdit:
    """With everything under it; the examples go to another topic, or with it."""
    with edit_lock(taxonomy) as tree:
        topic = _movable(tree, topic)
        changes: list[Change] = []
        summary = f"{isolated(topic)} deleted with its examples"
        if examples_to is not None:
            examples_to = _movable(tree, examples_to)
            if examples_to.pk == topic.pk or examples_to.is_under(topic):
                raise EditError("The examples can't go to a topic that is deleted with them.")
            changes += _emptying(topic, examples_to)
            summary = f"{isolated(topic)} deleted, its examples moved to {_place(examples_to)}"
        changes.append(TopicMoved(topic.pk, topic.parent_id, None))
        return _edit(tree, Kind.DELETE, summary, changes, examples_to or topic.parent, by)


def topic_describe(
    *,
    taxonomy: Taxonomy,
    topic: Topic,
    by: User,
    description: str | None = None,
    start_urls: Sequence[str] | None = None,
) -> TreeEdit:
    wanted = {"description": description, "start_urls": start_urls}
    after = {field: value for field, value in wanted.items() if value is not None}
    with edit_lock(taxonomy) as tree:
        topic = _movable(tree, topic)
        before = {field: getattr(topic, field) for field in after}
        if before == after:
            raise EditError("Nothing was changed.")
        what = "start URLs" if "start_urls" in after else "description"
        changes: list[Change] = [TopicDescribed(topic.pk, before, after)]
        return _edit(
            tree,
            Kind.DESCRIBE,
            f"{what.capitalize()} of {_place(topic)} changed",
            changes,
            topic,
            by,
        )


def example_add(*, taxonomy: Taxonomy, topic: Topic, record: ExampleRecord, by: User) -> TreeEdit:
    with edit_lock(taxonomy) as tree:
        topic = _movable(tree, topic)
        require_new_address(topic, record.url)
        example = Example.objects.create(
            topic=topic,
            title=record.title,
            url=record.url,
            text=record.text,
            source=Example.Source.ADDED,
            is_removed=True,  # until the change below is applied
            added_by=by,
        )
        changes: list[Change] = [ExamplesMoved((example.pk,), None, topic.pk)]
        return _edit(
            tree, Kind.EXAMPLES, f"An example added to {isolated(topic)}", changes, topic, by
        )


def require_new_address(topic: Topic, url: str) -> None:
    if url and topic.examples.kept().filter(url=url).exists():
        raise EditError(f"This address is an example of {isolated(topic)} already.")


def examples_move(
    *, taxonomy: Taxonomy, topic: Topic, examples: Iterable[int], to: Topic, by: User
) -> TreeEdit:
    with edit_lock(taxonomy) as tree:
        topic, to = live_topic(tree, topic.pk), _movable(tree, to)
        if topic.pk == to.pk:
            raise EditError("The examples are there already.")
        chosen = _examples_of(topic, examples)
        summary = f"{_number(chosen)} moved from {_place(topic)} to {isolated(to)}"
        changes: list[Change] = [ExamplesMoved(chosen, topic.pk, to.pk)]
        return _edit(tree, Kind.EXAMPLES, summary, changes, topic, by)


def examples_remove(
    *, taxonomy: Taxonomy, topic: Topic, examples: Iterable[int], by: User
) -> TreeEdit:
    with edit_lock(taxonomy) as tree:
        topic = live_topic(tree, topic.pk)
        chosen = _examples_of(topic, examples)
        summary = f"{_number(chosen)} removed from {_place(topic)}"
        changes: list[Change] = [ExamplesMoved(chosen, topic.pk, None)]
        return _edit(tree, Kind.EXAMPLES, summary, changes, topic, by)


def edit_undo(*, edit: TreeEdit, by: User) -> TreeEdit:
    """Bring back what was before; an undo is an edit itself and can be undone too."""
    with edit_lock(edit.taxonomy) as tree:
        edit = TreeEdit.objects.select_related("topic").get(pk=edit.pk)
        if TreeEdit.objects.filter(undoes=edit).exists():
            raise EditError("This was undone already. See the history.")
        changes = reversible.inverse(reversible.from_json(edit.changes))
        summary = f"Undone: {edit.summary}"
        if edit.undoes is not None:
            summary = f"Done again: {edit.undoes.summary}"
        topic = _brought_back(changes) or edit.topic
        return _edit(tree, Kind.UNDO, summary, changes, topic, by, undoes=edit)


def _brought_back(changes: Sequence[Change]) -> Topic | None:
    """The topic that an undo takes out of the trash: what people then want to see."""
    moves = (change for change in changes if isinstance(change, TopicMoved))
    back = next((move.topic for move in moves if move.before is None), None)
    found: Topic | None = Topic.objects.filter(pk=back).first()
    return found


def _edit(
    tree: Taxonomy,
    kind: TreeEdit.Kind,
    summary: str,
    changes: Sequence[Change],
    topic: Topic | None,
    by: User,
    undoes: TreeEdit | None = None,
) -> TreeEdit:
    apply_all(tree, changes)
    tree.revision += 1
    tree.save(update_fields=["revision", "edited_at"])
    return TreeEdit.objects.create(
        taxonomy=tree,
        revision=tree.revision,
        kind=kind,
        summary=summary[:SUMMARY_MAX],
        changes=reversible.to_json(changes),
        topic=topic,
        by=by,
        undoes=undoes,
    )


def _new_topic(tree: Taxonomy, parent: Topic, name: str) -> Topic:
    """Made in the trash, so that taking it out is the one change that an undo reverses."""
    require_free_name(parent, name)
    require_depth(parent.depth + 1)
    topic: Topic = Topic.objects.add_child(
        Topic.objects.get(pk=tree.trash_id), {"name": name, "name_key": stored_key(name)}
    )
    return topic


def _movable(tree: Taxonomy, topic: Topic) -> Topic:
    """Any topic but the root, which has no name and holds no examples."""
    topic = live_topic(tree, topic.pk)
    if topic.pk == tree.root_id:
        raise EditError("The whole tree can't be used here. Choose a topic in it.")
    return topic


def _merging(topic: Topic, into: Topic) -> Iterator[Change]:
    examples = tuple(topic.examples.kept().values_list("pk", flat=True))
    if examples:
        yield ExamplesMoved(examples, topic.pk, into.pk)
    yield from _joined_details(topic, into)
    twins = {child.name_key: child for child in into.children.all()}
    for child in topic.children.all():
        twin = twins.get(child.name_key)
        if twin is None:
            yield TopicMoved(child.pk, topic.pk, into.pk)
        elif twin.pk == topic.pk:
            raise EditError(f"Rename {isolated(child)} inside {isolated(topic)} first.")
        else:
            yield from _merging(child, twin)
    yield TopicMoved(topic.pk, topic.parent_id, None)


def _joined_details(topic: Topic, into: Topic) -> Iterator[Change]:
    """Those of `into` come first; nobody's start URLs are lost with the topic."""
    before = {"terms": into.terms, "start_urls": into.start_urls}
    terms = list(dict.fromkeys([*into.terms, *topic.terms]))[:TERMS_MAX]
    urls = list(dict.fromkeys([*into.start_urls, *topic.start_urls]))[:START_URLS_MAX]
    after = {"terms": terms, "start_urls": urls}
    if after != before:
        yield TopicDescribed(into.pk, before, after)


def _emptying(topic: Topic, to: Topic) -> Iterator[Change]:
    for part in [topic, *Topic.objects.below(topic).order_by("path")]:
        examples = tuple(part.examples.kept().values_list("pk", flat=True))
        if examples:
            yield ExamplesMoved(examples, part.pk, to.pk)


def _examples_of(topic: Topic, examples: Iterable[int]) -> tuple[int, ...]:
    chosen = tuple(topic.examples.kept().filter(pk__in=list(examples)).values_list("pk", flat=True))
    if not chosen:
        raise EditError("Choose at least one example first.")
    return chosen


def _place(topic: Topic | None) -> str:
    return isolated(topic) if topic is not None and topic.parent_id else "the top level"


def _path(topic: Topic, parent: Topic) -> str:
    return f"{isolated(topic)} in {_place(parent)}"


def _number(examples: Sequence[int]) -> str:
    return "1 example" if len(examples) == 1 else f"{len(examples)} examples"
