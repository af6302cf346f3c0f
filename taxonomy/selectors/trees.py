"""Reads of the tree: exactly what its screens and commands need."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from focusadmin.accounts.models import User
from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.core.tree import TopicNameError, join_path, name_key, split_path
from taxonomy.models import Example, Taxonomy, Topic

# What a row shows; the rest of a topic is long (terms, start URLs) and read on its own page only.
ROW_FIELDS = ("path", "depth", "numchild", "name", "name_key", "parent", "example_count")


def taxonomies_of(user: User) -> QuerySet[Taxonomy]:
    return Taxonomy.objects.visible_to(user).select_related("root", "team")


def taxonomies_ready() -> list[Taxonomy]:
    """Every taxonomy of the installation, for commands; screens ask with a user."""
    return list(Taxonomy.objects.ready().select_related("root"))


def taxonomy_named(name: str) -> Taxonomy | None:
    """By id or slug, for commands."""
    by_id = Q(pk=int(name)) if name.isascii() and name.isdigit() else Q()
    known = Taxonomy.objects.ready().select_related("root", "trash", "team")
    return known.filter(slug=name).first() or (known.filter(by_id).first() if by_id else None)


def taxonomy_get(*, user: User | AnonymousUser, slug: str) -> Taxonomy:
    visible = Taxonomy.objects.visible_to(user).select_related("root", "trash", "team")
    return get_object_or_404(visible, slug=slug)


def topic_get(*, taxonomy: Taxonomy, topic_id: int) -> Topic:
    """A topic that people see, or 404; the root too, which stands for the whole tree."""
    if topic_id == taxonomy.root_id:
        return taxonomy.root
    topic: Topic = get_object_or_404(Topic.objects.of(taxonomy), pk=topic_id)
    return topic


def topic_by_path(*, taxonomy: Taxonomy, path: str) -> Topic:
    """The topic at "/Arts/Music", or 404."""
    try:
        names = split_path(path)
    except TopicNameError:
        raise Http404 from None
    topic = taxonomy.root
    for name in names:
        topic = get_object_or_404(Topic.objects.filter(parent=topic), name_key=name_key(name))
    return topic


def lineage(topic: Topic) -> list[Topic]:
    """From the top level down to the topic itself; nothing for the root."""
    paths = [*topic.ancestor_paths()[1:], topic.path] if topic.parent_id else []
    return list(Topic.objects.filter(path__in=paths).order_by("path"))


def path_of(topic: Topic) -> str:
    return join_path(each.name for each in lineage(topic))


def paths_of(topics: Sequence[Topic]) -> dict[int, str]:
    """The paths of many topics in one query."""
    wanted = {path for topic in topics for path in [*topic.ancestor_paths()[1:], topic.path]}
    names = dict(Topic.objects.filter(path__in=wanted).values_list("path", "name"))
    return {
        topic.pk: join_path(names[path] for path in [*topic.ancestor_paths()[1:], topic.path])
        for topic in topics
    }


def subtree(topic: Topic, *, depth: int | None = None) -> Iterator[tuple[str, Topic]]:
    """The topic and everything under it with paths, down to `depth` levels below it."""
    names = [each.name for each in lineage(topic)]
    yield join_path(names), topic
    below = Topic.objects.below(topic).order_by("path")
    if depth is not None:
        below = below.filter(depth__lte=topic.depth + depth)
    for each in below.iterator(chunk_size=2000):
        del names[each.depth - 2 :]
        names.append(each.name)
        yield join_path(names), each


def topic_records(taxonomy: Taxonomy) -> Iterator[TopicRecord | ExampleRecord]:
    """The whole tree in the order of its paths, each topic followed by its examples."""
    for record, examples in topics_with_examples(taxonomy):
        yield record
        yield from (ExampleRecord(record.path, e.title, e.url, e.text) for e in examples)


def topics_with_examples(taxonomy: Taxonomy) -> Iterator[tuple[TopicRecord, Iterator[Example]]]:
    """Each topic in the order of the paths; its examples must be read before the next topic."""
    names: list[str] = []
    examples = _examples_by_topic(taxonomy)
    number, own = next(examples, (0, iter(())))
    for topic in Topic.objects.of(taxonomy).order_by("path").iterator(chunk_size=2000):
        del names[topic.depth - 2 :]
        names.append(topic.name)
        record = TopicRecord(
            tuple(names), topic.description, tuple(topic.terms), tuple(topic.start_urls)
        )
        if topic.pk == number:
            yield record, own
            number, own = next(examples, (0, iter(())))
        else:
            yield record, iter(())


def _examples_by_topic(taxonomy: Taxonomy) -> Iterator[tuple[int, Iterator[Example]]]:
    examples = Example.objects.in_subtree(taxonomy.root).order_by("topic__path", "pk")
    return groupby(examples.iterator(chunk_size=500), key=lambda example: example.topic_id)
