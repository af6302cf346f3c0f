"""What a model learns from: examples, and each topic's own description and terms.

A topic's description (with the names on its lineage) and its list of terms count as one example
each. Measured on encyclopedia pages with the shipped tree: without descriptions 85.8 % right at the
top, with them 87.1 %; half or double weight for the terms changes it by 0.2 points at most.
"""

from collections.abc import Iterable, Iterator

from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.records import ExampleRecord, TopicRecord


def topic_profile(
    lineage: Lineage, description: str, terms: Iterable[str] = ()
) -> Iterator[TrainingExample]:
    """The examples that a topic is by itself; they are never held out."""
    names = " ".join(lineage).replace("_", " ")
    yield TrainingExample(lineage, description, names, is_page=False)
    listed = ", ".join(terms)
    if listed:
        yield TrainingExample(lineage, listed, is_page=False)


def training_examples(
    records: Iterable[TopicRecord | ExampleRecord],
) -> tuple[list[TrainingExample], list[Lineage]]:
    """All that `records` teach, and all topics they name."""
    examples: list[TrainingExample] = []
    topics: list[Lineage] = []
    for record in records:
        if isinstance(record, TopicRecord):
            topics.append(record.path)
            examples.extend(topic_profile(record.path, record.description, record.terms))
        else:
            examples.append(TrainingExample(record.path, record.text, record.title))
    return examples, topics
