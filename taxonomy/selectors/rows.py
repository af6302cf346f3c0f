"""The rows of the tree as its screen shows them, in as few queries as the shape allows."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import QuerySet

from taxonomy.core.marks import Mark
from taxonomy.core.tree import join_path
from taxonomy.models import Focus, Taxonomy, Topic
from taxonomy.selectors.search import MATCHES_SHOWN, matches, name_parts
from taxonomy.selectors.trees import ROW_FIELDS, lineage, path_of

CHILDREN_SHOWN = 200
ROWS_MAX = 3_000  # opened by earlier visits; what leads to the selected topic is always there


@dataclass
class TreeRow:
    """A topic as the tree shows it; `children` is nothing while they are not loaded."""

    topic: Topic
    path: str
    position: int
    siblings: int
    mark: Mark = Mark.NULL
    is_selected: bool = False
    is_tab_stop: bool = False
    parts: list[tuple[str, bool]] = field(default_factory=list)  # of the name, found or not
    children: "Branch | None" = None

    @property
    def level(self) -> int:
        return self.topic.depth - 1


@dataclass
class Branch:
    """Children of a topic in order of their names, and where the next page of them begins."""

    parent: Topic
    path: str  # of the parent
    rows: list[TreeRow] = field(default_factory=list)
    next_offset: int | None = None
    hidden: int = 0


@dataclass(frozen=True)
class Marks:
    """The good topics of a focus, by materialised path, for marking the topics shown."""

    good: frozenset[str] = frozenset()
    on_the_way: frozenset[str] = frozenset()

    def of(self, topic: Topic) -> Mark:
        if topic.path in self.good:
            return Mark.GOOD
        if not self.good.isdisjoint(topic.ancestor_paths()):
            return Mark.SUBSUMED
        return Mark.PATH if topic.path in self.on_the_way else Mark.NULL


@dataclass(frozen=True)
class Found:
    """The part of the tree that holds what was searched for."""

    top: Branch
    count: int
    has_more: bool


def marks_of(focus: Focus | None) -> Marks:
    if focus is None:
        return Marks()
    good = list(focus.good_topics.only("path"))
    return Marks(
        good=frozenset(topic.path for topic in good),
        on_the_way=frozenset(path for topic in good for path in topic.ancestor_paths()),
    )


def branch_of(
    parent: Topic, *, marks: Marks, offset: int = 0, limit: int = CHILDREN_SHOWN
) -> Branch:
    """One page of the children of a topic."""
    children = _children(parent)[offset : offset + limit]
    return _branch(parent, path_of(parent), children, marks, offset)


def tree_around(
    taxonomy: Taxonomy,
    selected: Topic,
    marks: Marks,
    *,
    opened: Collection[int] | None = None,
    limit: int = CHILDREN_SHOWN,
) -> Branch:
    """The top level, opened where the person left it open, and down to the selected topic.

    Without a memory of what was open, the selected topic is opened too; `limit` is how many
    children of the selected topic to show.
    """
    way = lineage(selected)
    to_open = {step.pk: step for step in (way[:-1] if opened is not None else way)}
    to_open |= _opened_before(taxonomy, opened or ())
    pages = _first_pages([taxonomy.root, *to_open.values()])
    if limit != CHILDREN_SHOWN:
        pages[selected.pk] = list(_children(selected)[:limit])
    on_the_way = {step.pk: step for step in way}

    def branch(parent: Topic, path: str) -> Branch:
        made = _branch(parent, path, pages[parent.pk], marks)
        _add_hidden_step(made, on_the_way, marks)
        for row in made.rows:
            row.is_selected = row.topic.pk == selected.pk
            if row.topic.pk in to_open and row.topic.numchild:
                row.children = branch(row.topic, row.path)
        return made

    return with_tab_stop(branch(taxonomy.root, ""))


def tree_of_matches(taxonomy: Taxonomy, query: str, selected: Topic, marks: Marks) -> Found:
    """The topics whose names hold the query, with their ancestors so that they keep their place."""
    found = matches(taxonomy, query, limit=MATCHES_SHOWN + 1)
    shown = found[:MATCHES_SHOWN]
    paths = {path for topic in shown for path in [*topic.ancestor_paths()[1:], topic.path]}
    by_parent: dict[int | None, list[Topic]] = {}
    for topic in Topic.objects.filter(path__in=paths).only(*ROW_FIELDS).order_by("name_key"):
        by_parent.setdefault(topic.parent_id, []).append(topic)
    found_ids = {topic.pk for topic in shown}

    def branch(parent: Topic, path: str) -> Branch:
        made = Branch(parent, path)
        topics = by_parent.get(parent.pk, [])
        for position, topic in enumerate(topics, start=1):
            row = _row(topic, path, position, len(topics), marks)
            row.is_selected = topic.pk == selected.pk
            row.parts = name_parts(topic.shown, query) if topic.pk in found_ids else []
            if topic.pk in by_parent:
                row.children = branch(topic, row.path)
            made.rows.append(row)
        return made

    top = with_tab_stop(branch(taxonomy.root, ""))
    return Found(top, len(shown), len(found) > len(shown))


def with_tab_stop(top: Branch) -> Branch:
    """Exactly one row takes the Tab key: the selected one, or the first."""
    chosen = next((row for row in _rows_in(top) if row.is_selected), None)
    if chosen is None and top.rows:
        chosen = top.rows[0]
    if chosen is not None:
        chosen.is_tab_stop = True
    return top


def _rows_in(branch: Branch) -> Iterator[TreeRow]:
    for row in branch.rows:
        yield row
        if row.children is not None:
            yield from _rows_in(row.children)


def _children(parent: Topic) -> "QuerySet[Topic]":
    return Topic.objects.filter(parent=parent).only(*ROW_FIELDS).order_by("name_key")  # type: ignore[no-any-return]


def _opened_before(taxonomy: Taxonomy, opened: Collection[int]) -> dict[int, Topic]:
    """Those of the opened topics that still have children, as long as the page stays small."""
    if not opened:
        return {}
    topics = Topic.objects.of(taxonomy).filter(pk__in=opened, numchild__gt=0)
    kept: dict[int, Topic] = {}
    rows = 0
    for topic in topics.only(*ROW_FIELDS).order_by("depth", "path"):
        rows += min(topic.numchild, CHILDREN_SHOWN)
        if rows <= ROWS_MAX:
            kept[topic.pk] = topic
    return kept


def _first_pages(parents: Iterable[Topic]) -> dict[int, list[Topic]]:
    """The first children of many topics: one query for the narrow ones, one for each wide one."""
    pages: dict[int, list[Topic]] = {}
    narrow: list[int] = []
    for parent in parents:
        pages[parent.pk] = []
        if parent.numchild > CHILDREN_SHOWN:
            pages[parent.pk] = list(_children(parent)[:CHILDREN_SHOWN])
        else:
            narrow.append(parent.pk)
    topics = Topic.objects.filter(parent__in=narrow).only(*ROW_FIELDS)
    for topic in topics.order_by("parent_id", "name_key"):
        pages[topic.parent_id].append(topic)
    return pages


def _branch(
    parent: Topic, path: str, children: Iterable[Topic], marks: Marks, offset: int = 0
) -> Branch:
    rows = [
        _row(topic, path, position, parent.numchild, marks)
        for position, topic in enumerate(children, start=offset + 1)
    ]
    made = Branch(parent, path, rows)
    end = offset + len(rows)
    if end < parent.numchild:
        made.next_offset, made.hidden = end, parent.numchild - end
    return made


def _row(topic: Topic, above: str, position: int, siblings: int, marks: Marks) -> TreeRow:
    path = f"{above.rstrip('/')}{join_path([topic.name])}"
    return TreeRow(topic, path, position, siblings, marks.of(topic))


def _add_hidden_step(branch: Branch, way: dict[int, Topic], marks: Marks) -> None:
    """The topic that leads on to the selected one, when it is beyond the children shown."""
    if branch.next_offset is None or any(row.topic.pk in way for row in branch.rows):
        return
    for step in way.values():
        if step.parent_id == branch.parent.pk:
            before = Topic.objects.filter(parent=branch.parent, name_key__lt=step.name_key)
            position = 1 + before.count()
            branch.rows.append(_row(step, branch.path, position, branch.parent.numchild, marks))
