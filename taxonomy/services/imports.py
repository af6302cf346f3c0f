"""Writes a tree that an importer reads: the whole of it, or nothing.

First the file is read to its end: the outline of the tree stays in memory, the rest goes to a
spool file. Only then is anything written, in batches, under a taxonomy that nobody sees until it is
complete. A crash leaves an invisible beginning, which the next import clears away.
"""

import json
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import IO

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from focusadmin.accounts.models import Team
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.outline import ROOT, Outline
from taxonomy.core.records import ExampleRecord, Record, Skipped, TopicRecord
from taxonomy.models import Example, Taxonomy, Topic
from taxonomy.services.changes import stored_key

SKIPPED_SHOWN = 1000
TOPIC_BATCH = 2000
EXAMPLE_BATCH = 2000
BEGINNINGS = 5  # tries to begin beside others
ABANDONED_AFTER = timedelta(minutes=2)  # a running import gives a sign of life every second or so

Progress = Callable[[str, int, int], None]  # what is being done, how much is done, of how much


class ImportRefusedError(FocusAdminError):
    """Nothing was imported; the text says why."""


@dataclass
class ImportReport:
    """What became of a file. `skipped` holds the first of what could not be used."""

    taxonomy: Taxonomy
    topics: int
    examples: int
    skipped: list[Skipped] = field(default_factory=list)
    skipped_count: int = 0


@dataclass
class _Reading:
    """A file, read: its outline, and the rest in the spool."""

    spool: IO[bytes]
    outline: Outline = field(default_factory=Outline)
    details_at: "array[int]" = field(default_factory=lambda: array("q"))  # by topic; -1: none
    examples: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    skipped_count: int = 0


def taxonomy_import(
    *,
    name: str,
    team: Team,
    records: Iterable[Record],
    slug: str = "",
    source: Example.Source = Example.Source.IMPORTED,
    on_progress: Progress = lambda what, done, total: None,
) -> ImportReport:
    slug = slug or slugify(name)
    abandoned_imports_discard()
    _require_free_slug(name, slug)
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as spool:
        reading = _read(records, _Reading(spool))
        with _unfinished_taxonomy(name, slug, team) as taxonomy:
            ids = _write_topics(taxonomy, reading, on_progress)
            _write_examples(taxonomy, reading, ids, source, on_progress)
    return ImportReport(
        taxonomy=taxonomy,
        topics=len(reading.outline) - 1,
        examples=reading.examples,
        skipped=reading.skipped,
        skipped_count=reading.skipped_count,
    )


def taxonomy_discard(taxonomy: Taxonomy) -> None:
    """Delete a taxonomy and everything in it, for good."""
    roots = Topic.objects.filter(pk__in=[taxonomy.root_id, taxonomy.trash_id])
    with transaction.atomic():
        paths = list(roots.values_list("path", flat=True))
        taxonomy.delete()
        for path in paths:
            topics = Topic.objects.filter(path__range=(path, f"{path}ZZZZ"))
            # Row by row, as the models' own delete would do it, takes hours for a large tree.
            Example.objects.filter(topic__in=topics)._raw_delete(DEFAULT_DB_ALIAS)
            topics._raw_delete(DEFAULT_DB_ALIAS)


def abandoned_imports_discard() -> int:
    """Clear away what imports that were killed have left."""
    old = timezone.now() - ABANDONED_AFTER
    abandoned = list(Taxonomy.objects.filter(ready_at=None, edited_at__lt=old))
    for taxonomy in abandoned:
        taxonomy_discard(taxonomy)
    return len(abandoned)


def _require_free_slug(name: str, slug: str) -> None:
    if not slug:
        raise ImportRefusedError(f"{name!r} has no letters or digits. Choose another name.")
    taken = Taxonomy.objects.filter(slug=slug).first()
    if taken is None:
        return
    if taken.ready_at is None:
        minutes = ABANDONED_AFTER // timedelta(minutes=1)
        raise ImportRefusedError(
            f"An import of {slug!r} is running. Wait for it to end; one that was killed is "
            f"cleared away {minutes} minutes after its last sign of life."
        )
    raise ImportRefusedError(f"There is a taxonomy {slug!r} already. Choose another name.")


def _read(records: Iterable[Record], reading: _Reading) -> _Reading:
    for record in records:
        if isinstance(record, Skipped):
            reading.skipped_count += 1
            if len(reading.skipped) < SKIPPED_SHOWN:
                reading.skipped.append(record)
        elif isinstance(record, TopicRecord):
            _keep_topic(reading, record)
        else:
            _keep_example(reading, record)
    if len(reading.outline) == 1:
        reasons = "; ".join(f"line {s.line}: {s.reason}" for s in reading.skipped[:3])
        raise ImportRefusedError(f"No topics were found in the file. {reasons}".strip())
    reading.outline.close()
    _reach(reading, len(reading.outline) - 1)
    return reading


def _keep_topic(reading: _Reading, record: TopicRecord) -> None:
    number = reading.outline.number_of(record.path)
    if not (record.description or record.terms or record.start_urls):
        return
    _reach(reading, number)
    if reading.details_at[number] < 0:  # of several accounts the first counts
        reading.details_at[number] = reading.spool.tell()
        _spool(reading, [record.description, record.terms, record.start_urls])


def _reach(reading: _Reading, number: int) -> None:
    """Room for the details of all topics up to this one."""
    missing = number + 1 - len(reading.details_at)
    reading.details_at.extend(array("q", [-1]) * missing)


def _keep_example(reading: _Reading, record: ExampleRecord) -> None:
    if not record.path:
        record = ExampleRecord(("Unsorted",), record.title, record.url, record.text)
    number = reading.outline.number_of(record.path)
    reading.outline.add_example(number)
    reading.examples += 1
    _spool(reading, [number, record.title, record.url, record.text])


def _spool(reading: _Reading, values: list[object]) -> None:
    reading.spool.write(json.dumps(values).encode("ascii") + b"\n")


@contextmanager
def _unfinished_taxonomy(name: str, slug: str, team: Team) -> Iterator[Taxonomy]:
    taxonomy = _begin(name, slug, team)
    try:
        yield taxonomy
        _show_life(taxonomy, ready_at=timezone.now())
    except BaseException:  # Ctrl-C too
        taxonomy_discard(taxonomy)
        raise


def _begin(name: str, slug: str, team: Team) -> Taxonomy:
    """Another import may take the name, or the next place for a root, at the same moment."""
    for _ in range(BEGINNINGS):
        try:
            return _make_unfinished(name, slug, team)
        except IntegrityError:
            _require_free_slug(name, slug)
    raise ImportRefusedError("Too many imports begin at once. Try again in a moment.")


@transaction.atomic
def _make_unfinished(name: str, slug: str, team: Team) -> Taxonomy:
    root, trash = Topic.objects.add_root({}), Topic.objects.add_root({})
    return Taxonomy.objects.create(name=name, slug=slug, team=team, root=root, trash=trash)


def _show_life(taxonomy: Taxonomy, **values: object) -> None:
    """In the transaction of each batch: what was cleared away meanwhile gets no more rows."""
    unfinished = Taxonomy.objects.filter(pk=taxonomy.pk, ready_at=None)
    if not unfinished.update(edited_at=timezone.now(), **values):
        raise ImportRefusedError(
            "The import stood still for too long and was cleared away. Nothing was imported; "
            "start it again."
        )
    taxonomy.refresh_from_db(fields=["ready_at", "edited_at"])


def _write_topics(taxonomy: Taxonomy, reading: _Reading, on_progress: Progress) -> "array[int]":
    """Every topic with its final counts; returns the id of each topic by its number."""
    outline, totals = reading.outline, reading.outline.subtree_counts()
    root = taxonomy.root
    root.numchild, root.example_count = outline.child_counts[ROOT], totals[ROOT]
    root.save(update_fields=["numchild", "example_count"])
    ids, paths = array("q", [root.pk]), [root.path]
    for first in range(1, len(outline), TOPIC_BATCH):
        numbers = range(first, min(first + TOPIC_BATCH, len(outline)))
        topics = []
        for number in numbers:
            topic = _topic(reading, number, totals[number], paths, ids)
            paths.append(topic.path)
            ids.append(0)
            topics.append(topic)
        _insert_topics(taxonomy, topics, first, ids, outline)
        on_progress("Writing topics", numbers[-1], len(outline) - 1)
    return ids


def _topic(
    reading: _Reading, number: int, total: int, paths: list[str], ids: "array[int]"
) -> Topic:
    outline = reading.outline
    parent_path = paths[outline.parents[number]]
    depth = len(parent_path) // Topic.steplen + 1
    topic = Topic(
        name=outline.names[number],
        name_key=stored_key(outline.names[number]),
        path=Topic._get_path(parent_path, depth, outline.steps[number]),
        depth=depth,
        numchild=outline.child_counts[number],
        example_count=total,
    )
    if reading.details_at[number] >= 0:
        reading.spool.seek(reading.details_at[number])
        topic.description, topic.terms, topic.start_urls = json.loads(reading.spool.readline())
    return topic


def _insert_topics(
    taxonomy: Taxonomy, topics: list[Topic], first: int, ids: "array[int]", outline: Outline
) -> None:
    """Level by level, since a row needs the id of its parent."""
    waiting = list(enumerate(topics, start=first))
    while waiting:
        ready = [(n, topic) for n, topic in waiting if ids[outline.parents[n]]]
        for number, topic in ready:
            topic.parent_id = ids[outline.parents[number]]
        with transaction.atomic():
            _show_life(taxonomy)
            made = Topic.objects.bulk_create([topic for _, topic in ready])
        for (number, _), topic in zip(ready, made, strict=True):
            ids[number] = topic.pk
        waiting = [(n, topic) for n, topic in waiting if not ids[n]]


def _write_examples(
    taxonomy: Taxonomy,
    reading: _Reading,
    ids: "array[int]",
    source: Example.Source,
    on_progress: Progress,
) -> None:
    done = 0
    rows = _spooled_examples(reading.spool)
    while batch := list(islice(rows, EXAMPLE_BATCH)):
        examples = [
            Example(topic_id=ids[number], title=title, url=url, text=text, source=source)
            for number, title, url, text in batch
        ]
        with transaction.atomic():
            _show_life(taxonomy)
            Example.objects.bulk_create(examples)
        done += len(batch)
        on_progress("Writing examples", done, reading.examples)


def _spooled_examples(spool: IO[bytes]) -> Iterator[tuple[int, str, str, str]]:
    spool.seek(0)
    for line in spool:
        values = json.loads(line)
        if len(values) == 4:  # the details of a topic are three
            yield tuple(values)
