import pytest

from crawler.core.frontier.evolved import EvolvedParameters
from crawler.core.frontier.registry import StrategyError, build
from crawler.core.frontier.weights import NAMED, PAPER_SCORES, SCORES, resolve, spell


@pytest.mark.parametrize("name", NAMED)
def test_every_set_names_known_scores_and_sums_to_1(name: str):
    weights = resolve(name)
    assert tuple(weights) == SCORES
    assert sum(weights.values()) == pytest.approx(1.0)
    assert min(weights.values()) >= 0


def test_the_sets_of_the_paper_leave_its_wish_list_alone():
    for name in ("balanced", "johnson_2003", "best_first"):
        assert resolve(name)["context"] == resolve(name)["host"] == 0
    assert resolve("extended")["context"] > 0
    assert resolve("extended")["host"] > 0
    assert len(PAPER_SCORES) == 9


def test_weights_can_be_written_by_hand():
    assert resolve("parent_1=3, context = 1") == {
        **dict.fromkeys(SCORES, 0.0),
        "parent_1": 0.75,
        "context": 0.25,
    }


@pytest.mark.parametrize("name", NAMED)
def test_spelled_weights_read_back_the_same(name: str):
    assert resolve(spell(resolve(name))) == pytest.approx(resolve(name))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("best", "no weights best. Choose one of: balanced"),
        ("beauty=1", "no score beauty"),
        ("hub=-1", "hub must be 0 or more"),
        ("hub=nan", "hub must be 0 or more"),
        ("hub=inf", "hub must be 0 or more"),
        ("hub=lots", "hub must be a number"),
        ("hub=0", "At least one weight"),
        ("hub=1, hub=2", "hub is weighed twice"),
        ("hub=1, parent_1", "this does not: ' parent_1'"),
        ("hub=1,,", "this does not"),
        ("", "There are no weights"),
        (None, "weights must be text"),
    ],
)
def test_odd_weights_are_refused_in_plain_words(text, complaint: str):
    with pytest.raises(ValueError, match=complaint):
        EvolvedParameters(text)
    with pytest.raises(StrategyError, match=complaint):
        build("evolved", {"weights": text})
