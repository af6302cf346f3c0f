"""Small topics with clear words, and the shipped tree."""

import pytest

from benchmarks.classifier_corpora import SHIPPED
from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.corpus import training_examples
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.shipped import shipped_records

WORDS = {
    ("Science", "Physics"): "quark electron photon energy field particle wave momentum",
    ("Science", "Biology"): "cell gene protein species enzyme organism membrane evolution",
    ("Sports", "Tennis"): "racket serve volley court match umpire backhand set",
    ("Sports", "Rowing"): "oar boat river crew stroke regatta cox scull",
}


def small_examples() -> list[TrainingExample]:
    examples = []
    for lineage, words in WORDS.items():
        listed = words.split()
        for start in range(4):
            text = " ".join(listed[start:] + listed[: start // 2]) + " the of and in"
            examples.append(TrainingExample(lineage, text * 3, title=listed[start]))
    return examples


@pytest.fixture(scope="session")
def examples() -> list[TrainingExample]:
    return small_examples()


@pytest.fixture(scope="session")
def shipped() -> tuple[list[TrainingExample], list[Lineage]]:
    return training_examples(shipped_records(SHIPPED))


@pytest.fixture(scope="session")
def shipped_model(shipped) -> HierarchicalNaiveBayes:
    return HierarchicalNaiveBayes().fit(*shipped)
