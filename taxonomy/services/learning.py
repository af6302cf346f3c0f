"""Learns edits of examples into a naive Bayes model without training anew.

A worker keeps the counts of the models that it brought up to date lately, and where each example
stood when it was counted. An edit then costs the examples it names: what stands elsewhere by now is
taken out of the counts there and added here. It does not matter which edits were seen before, so
an edit made while the examples are read, or learnt by another worker, is never counted twice.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from taxonomy.core.changes import Change, ExamplesMoved, from_json
from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.corpus import topic_profile
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.tree import split_path
from taxonomy.models import Example, Taxonomy, TrainedModel
from taxonomy.selectors.trees import paths_of, topics_with_examples

KEPT = 2
ROWS = 500


@dataclass(frozen=True)
class Lesson:
    """All that a tree teaches, and the revision that is surely in it.

    The revision is read first: an edit made while the examples are read counts as not learnt yet.
    """

    revision: int
    examples: list[TrainingExample]
    topics: list[Lineage]
    places: dict[int, Lineage]  # of the examples, by their id


def lesson_of(taxonomy: Taxonomy) -> Lesson:
    lesson = Lesson(Taxonomy.objects.get(pk=taxonomy.pk).revision, [], [], {})
    for topic, examples in topics_with_examples(taxonomy):
        lesson.topics.append(topic.path)
        lesson.examples.extend(topic_profile(topic.path, topic.description, topic.terms))
        for example in examples:
            lesson.places[example.pk] = topic.path
            lesson.examples.append(_taught(example, topic.path))
    return lesson


@dataclass
class Learner:
    """The counts of one model, and what is in them."""

    model: HierarchicalNaiveBayes
    places: dict[int, Lineage]
    revision: int

    @classmethod
    def of(cls, taxonomy: Taxonomy, *, temperature: float) -> "Learner":
        """Counts everything once, keeping the calibration of a model that was judged."""
        lesson = lesson_of(taxonomy)
        model = HierarchicalNaiveBayes(temperature=temperature, calibration_folds=0)
        model.fit(lesson.examples, lesson.topics)
        return cls(model, lesson.places, lesson.revision)

    def follow(self, taxonomy: Taxonomy) -> bool:
        """Learn the edits made since; False if they changed more than examples."""
        revision = Taxonomy.objects.get(pk=taxonomy.pk).revision
        changes = changes_after(taxonomy, self.revision)
        if not concern_examples_only(changes):
            return False
        named = {pk for each in changes if isinstance(each, ExamplesMoved) for pk in each.examples}
        self._recount(named)
        self.revision = revision
        return True

    def _recount(self, named: Iterable[int]) -> None:
        """Move those that stand elsewhere by now."""
        added: list[TrainingExample] = []
        removed: list[TrainingExample] = []
        for example, after in _standing(named):
            before = self.places.pop(example.pk, None)
            if after is not None:
                self.places[example.pk] = after
            if before != after:
                removed += [_taught(example, before)] if before is not None else []
                added += [_taught(example, after)] if after is not None else []
        if added or removed:
            self.model.change(added=added, removed=removed)


_learners: dict[tuple[int, datetime], Learner] = {}


def learner_take(model: TrainedModel) -> Learner | None:
    """A learner is in one hand at a time, and lost when its work fails: then all is counted."""
    return _learners.pop((model.pk, model.started_at), None)


def learner_keep(model: TrainedModel, learner: Learner) -> None:
    _learners[model.pk, model.started_at] = learner
    while len(_learners) > KEPT:
        _learners.pop(next(iter(_learners)), None)


def changes_after(taxonomy: Taxonomy, revision: int) -> list[Change]:
    edits = taxonomy.edits.filter(revision__gt=revision)
    return [change for edit in edits for change in from_json(edit.changes)]


def concern_examples_only(changes: Iterable[Change]) -> bool:
    return all(isinstance(change, ExamplesMoved) for change in changes)


def _standing(named: Iterable[int]) -> Iterator[tuple[Example, Lineage | None]]:
    """Those examples and where they stand; nothing for one that was removed."""
    waiting = iter(sorted(named))
    while numbers := list(islice(waiting, ROWS)):
        examples = list(Example.objects.filter(pk__in=numbers).select_related("topic"))
        paths = paths_of([example.topic for example in examples])
        for example in examples:
            yield example, None if example.is_removed else split_path(paths[example.topic_id])


def _taught(example: Example, lineage: Lineage) -> TrainingExample:
    return TrainingExample(lineage, example.text, example.title)
