import numpy as np
import pytest

from taxonomy.core.classifier.linear import LinearTopics
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.explain import Doubt, doubts, explain
from taxonomy.core.routing import best_leaves, most_probable_leaves, route
from tests.core.classifier.conftest import WORDS

GERMAN = (
    "Der Hund ist ein Haustier und wird als Heimtier gehalten. Seine wilde Stammform ist der Wolf, "
    "dem er als Unterart zugeordnet wird. Wann die Domestizierung stattfand, ist umstritten; die "
    "wissenschaftlichen Schätzungen liegen weit auseinander, und neue Funde ändern das Bild oft."
)
ENGLISH = (
    "The otter is a mammal that lives in rivers and lakes, where it hunts fish at night. It has a "
    "long body, webbed feet and dense fur, and the female raises two or three cubs in a den under "
    "the bank. Pesticides made the species rare in the last century, but it has recovered since."
)


@pytest.fixture(scope="module", params=["leaves", "siblings", "svm"])
def scorer(request, examples):
    if request.param == "svm":
        return LinearTopics().fit(examples, WORDS).scorer_
    return HierarchicalNaiveBayes(compare=request.param).fit(examples, WORDS).scorer_


def test_each_step_has_probabilities_and_words_for_and_against(scorer):
    found = explain(scorer, "quark quark electron boat")
    assert [choice.chosen for choice in found.choices] == [("Science",), ("Science", "Physics")]
    first = found.choices[0]
    assert sum(child.probability for child in first.children) == pytest.approx(1)
    assert first.children[0].lineage == ("Science",)
    assert "quark" in [word.word for word in first.words_for]
    assert "boat" in [word.word for word in first.words_against]
    quark = next(word for word in first.words_for if word.word == "quark")
    assert quark.occurrences == 2
    assert quark.effect > 0 > first.words_against[0].effect


def test_another_path_can_be_asked_for(scorer):
    found = explain(scorer, "quark boat", toward=("Sports", "Rowing"))
    assert [choice.chosen for choice in found.choices] == [("Sports",), ("Sports", "Rowing")]
    assert "boat" in [word.word for word in found.choices[0].words_for]


def test_unknown_words_and_length_are_told(scorer):
    found = explain(scorer, "quark zzz zzz yyy")
    assert found.unknown_words == (("zzz", 2), ("yyy", 1))
    assert (found.length, found.known_share) == (4, 0.25)


def test_empty_text_can_be_explained(scorer):
    found = explain(scorer, "")
    assert found.doubts == (Doubt.TOO_SHORT, Doubt.NO_KNOWN_WORDS)
    assert all(choice.words_for == () for choice in found.choices)


def test_the_effects_of_a_pair_of_topics_add_up_to_its_log_odds(examples):
    scorer = HierarchicalNaiveBayes(compare="siblings").fit(examples, WORDS).scorer_
    found = explain(scorer, "quark electron boat oar").choices[0]
    total = sum(word.effect for word in (*found.words_for, *found.words_against))
    odds = found.children[0].probability / found.children[1].probability
    signed = np.log(odds) if found.children[0].lineage == found.chosen else -np.log(odds)
    assert total == pytest.approx(signed, abs=1e-4)


def test_other_languages_are_doubted_and_get_little_confidence(shipped_model):
    scorer = shipped_model.scorer_
    assert doubts(scorer, GERMAN) == (Doubt.OTHER_LANGUAGE,)
    assert doubts(scorer, ENGLISH) == ()
    german, english = (explain(scorer, text).route for text in (GERMAN, ENGLISH))
    assert german.probability < 0.2
    assert english.lineage == ("Science", "Biology", "Animals", "Mammals")
    assert english.probability > 0.8


@pytest.mark.parametrize(
    "text", ["собака " * 40, "狗是一种常见的犬科哺乳动物。" * 20, "\ud800 ☃ " * 9]
)
def test_other_scripts_give_the_prior_and_say_so(shipped_model, text):
    scorer = shipped_model.scorer_
    assert Doubt.NO_KNOWN_WORDS in doubts(scorer, text)
    assert explain(scorer, text).route.probability < 0.05


def test_one_word_alone_proves_little(shipped_model):
    found = explain(shipped_model.scorer_, "bicycle")
    assert found.doubts == (Doubt.TOO_SHORT,)
    assert found.route.probability < 0.5


def test_routes_name_the_runner_up_and_the_best_leaves(scorer):
    row = scorer.judge(["quark electron boat"]).log_probabilities[0]
    found = route(row, scorer.tree)
    assert found.lineage == ("Science", "Physics")
    assert found.runner_up is not None
    assert found.runner_up.lineage != found.lineage
    leaves = best_leaves(row, scorer.tree, 4)
    assert [leaf.probability for leaf in leaves] == sorted(
        (leaf.probability for leaf in leaves), reverse=True
    )
    best = most_probable_leaves(row[None, :], scorer.tree)
    assert scorer.tree.lineages[best[0]] == leaves[0].lineage
