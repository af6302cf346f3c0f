"""The words by which a model knows a topic."""

from collections.abc import Callable

import pytest

from taxonomy.core.classifier.base import TopicModel
from taxonomy.core.classifier.linear import LinearTopics
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.topic_words import telling_words
from tests.core.classifier.conftest import WORDS

ROWING, SPORTS = ("Sports", "Rowing"), ("Sports",)
MODELS: dict[str, Callable[[], TopicModel]] = {
    "naive Bayes": lambda: HierarchicalNaiveBayes(calibration_folds=0),
    "svm": lambda: LinearTopics(is_calibrated=False),
    "logistic": lambda: LinearTopics(kind="logistic", compare="siblings", is_calibrated=False),
}


def naive_bayes() -> TopicModel:
    return MODELS["naive Bayes"]()


@pytest.mark.parametrize("make", MODELS.values(), ids=list(MODELS))
def test_are_those_of_the_topic_and_not_of_its_siblings(make, examples):
    scorer = make().fit(examples, WORDS).scorer_
    found = telling_words(scorer, ROWING, most=6)
    assert len(found) == 6
    assert set(found) <= set(WORDS[ROWING].split())


def test_an_inner_topic_speaks_for_all_its_parts(examples):
    scorer = naive_bayes().fit(examples, WORDS).scorer_
    words = telling_words(scorer, SPORTS)
    assert {"oar", "boat"} & set(words)
    assert {"racket", "serve"} & set(words)


@pytest.mark.parametrize("topic", [(), ("Nowhere",), ("Empty",), ("Alone", "Child")])
def test_nothing_is_told_of_what_the_model_can_not_tell(examples, topic):
    topics = [*WORDS, ("Empty",), ("Alone", "Child")]
    scorer = naive_bayes().fit(examples, topics).scorer_
    assert telling_words(scorer, topic) == []


def test_siblings_without_evidence_do_not_count(examples):
    scorer = naive_bayes().fit(examples, WORDS).scorer_
    more = [*WORDS, *(("Sports", f"Empty {number}") for number in range(9))]
    wide = naive_bayes().fit(examples, more).scorer_
    assert telling_words(wide, ROWING) == telling_words(scorer, ROWING) != []


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        (("Science", "Biology"), {"species", "animals", "plants", "genes"}),
        (("Recreation", "Cycling", "Mountain_Biking"), {"singletrack", "downhill", "trails"}),
        (("Society", "History"), {"war", "empire", "battle", "ancient"}),
    ],
)
def test_of_the_shipped_tree_are_what_a_person_would_say(shipped_model, topic, expected):
    assert expected <= set(telling_words(shipped_model.scorer_, topic))
