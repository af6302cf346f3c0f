"""Several people edit one tree at once, at random: it stays a tree."""

import random
import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from focusadmin.accounts.models import User
from taxonomy.core.records import ExampleRecord
from taxonomy.core.tree import TopicNameError
from taxonomy.models import Taxonomy, Topic
from taxonomy.services import edits
from taxonomy.services.changes import EditError
from tests.taxonomy.checks import assert_sound

PEOPLE = 4
EDITS_EACH = 500
NAMES = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"]


class Editor(threading.Thread):
    """One person's random edits, on a connection of their own."""

    def __init__(self, taxonomy: Taxonomy, by: User, seed: int) -> None:
        super().__init__()
        self.taxonomy, self.by, self.dice = taxonomy, by, random.Random(seed)
        self.outcomes: Counter[str] = Counter()
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            for _ in range(EDITS_EACH):
                self.edit_once()
        except Exception as error:  # noqa: BLE001 - told to the test
            self.failure = error
        finally:
            connection.close()

    def edit_once(self) -> None:
        kind = self.dice.choice([self.create, self.move, self.rename, self.examples, self.rework])
        try:
            kind()
            self.outcomes["done"] += 1
        except (EditError, TopicNameError, IndexError):  # IndexError: nothing left to choose from
            self.outcomes["refused"] += 1

    def topic(self) -> Topic:
        topics = list(Topic.objects.of(self.taxonomy).order_by("?")[:1])
        return topics[0]

    def arguments(self) -> dict[str, Any]:
        return {"taxonomy": self.taxonomy, "by": self.by}

    def create(self) -> None:
        parent = self.dice.choice([self.taxonomy.root, self.topic()])
        edits.topic_create(parent=parent, name=self.dice.choice(NAMES), **self.arguments())

    def move(self) -> None:
        edits.topic_move(topic=self.topic(), to=self.topic(), **self.arguments())

    def rename(self) -> None:
        edits.topic_rename(topic=self.topic(), name=self.dice.choice(NAMES), **self.arguments())

    def examples(self) -> None:
        topic = self.topic()
        own = list(topic.examples.kept().values_list("pk", flat=True)[:2])
        if own and self.dice.random() < 0.5:
            edits.examples_move(topic=topic, examples=own, to=self.topic(), **self.arguments())
        else:
            record = ExampleRecord((), "Some page", "", "some words")
            edits.example_add(topic=topic, record=record, **self.arguments())

    def rework(self) -> None:
        dice = self.dice.random()
        if dice < 0.3:
            edits.topic_merge(topic=self.topic(), into=self.topic(), **self.arguments())
        elif dice < 0.5:
            target = self.dice.choice([None, self.topic()])
            edits.topic_delete(topic=self.topic(), examples_to=target, **self.arguments())
        else:
            edit = self.taxonomy.edits.filter(undone_by=None).order_by("?")[:1]
            edits.edit_undo(edit=edit[0], by=self.by)


@pytest.mark.django_db(transaction=True)
def test_thousands_of_random_edits_leave_a_sound_tree(taxonomy, owner):
    people = [Editor(taxonomy, owner, seed) for seed in range(PEOPLE)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert [person.failure for person in people] == [None] * PEOPLE
    done = sum(person.outcomes["done"] for person in people)
    assert done > PEOPLE * EDITS_EACH / 4
    taxonomy.refresh_from_db()
    assert taxonomy.revision == done == taxonomy.edits.count()
    assert_sound(taxonomy)
