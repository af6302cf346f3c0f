"""Why a text goes where it goes, in the shape that a screen shows."""

from collections.abc import Iterator
from dataclasses import dataclass

from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.language import guessed_language
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.explain import FEWEST_WORDS, Choice, Doubt, Explanation, WordEffect, explain
from taxonomy.core.routing import RankedTopic
from taxonomy.core.tree import split_path
from taxonomy.models import Focus, TrainedModel
from taxonomy.selectors.focuses import good_topics_of
from taxonomy.selectors.judgements import Opinion, lineages_named, opinions
from taxonomy.selectors.lineages import NamedTopic, TopicNames
from taxonomy.selectors.models import Judge
from taxonomy.selectors.trees import paths_of

LEAVES_SHOWN = 5
CHILDREN_SHOWN = 5
UNKNOWN_SHOWN = 20

DOUBTS = {
    Doubt.TOO_SHORT: (
        f"The text is too short to judge: fewer than {FEWEST_WORDS} words. Paste more of the page."
    ),
    Doubt.NO_KNOWN_WORDS: (
        "The model knows none of these words, so it can't tell where the text belongs."
    ),
    Doubt.OTHER_LANGUAGE: (
        "The text seems to be in another language than the examples, or about something else "
        "altogether. A judgement about it is worth little."
    ),
}


@dataclass(frozen=True)
class ShownTopic:
    topic: NamedTopic
    probability: float
    is_chosen: bool = False


@dataclass(frozen=True)
class ShownChoice:
    """One level: the best children, how many more there were, and the words that decided."""

    parent: NamedTopic
    chosen: NamedTopic
    best: NamedTopic  # another than the chosen one where somebody asked for the way elsewhere
    children: list[ShownTopic]
    others: int
    words_for: tuple[WordEffect, ...]
    words_against: tuple[WordEffect, ...]


@dataclass(frozen=True)
class ShownJudgement:
    model: TrainedModel
    steps: list[ShownTopic]
    runner_up: ShownTopic | None
    leaves: list[ShownTopic]
    choices: list[ShownChoice]
    toward: ShownTopic | None  # the topic that somebody asked about instead of the routed one
    toward_unknown: str  # what was wrong with the path they gave
    relevance: float | None
    good_missing: int  # good topics that the model does not know yet
    length: int
    language: str  # a guess, as a two-letter code; empty where there is too little text
    known_share: float
    unknown_words: tuple[tuple[str, int], ...]
    doubts: list[str]
    is_blind: bool  # no known word: there is nothing to show a figure for

    @property
    def place(self) -> ShownTopic | None:
        return self.steps[-1] if self.steps else None


def judgement_of(
    judge: Judge, text: str, focus: Focus | None = None, *, toward: str = ""
) -> ShownJudgement:
    """What the model says about one text, with its reasons and its doubts.

    With a path in `toward` the reasons are those for and against that topic.
    """
    wanted = _good_lineages(focus) if focus else []
    good = [lineage for lineage in wanted if lineage in judge.scorer.tree.columns]
    opinion = next(opinions(judge, [text], good=good, leaves=LEAVES_SHOWN))
    asked, unknown = _asked(judge, toward)
    why = explain(judge.scorer, text, toward=asked)
    names = TopicNames(judge.model.taxonomy, _named(opinion, why))
    runner_up = opinion.route.runner_up
    return ShownJudgement(
        model=judge.model,
        steps=[_shown(names, step) for step in opinion.route.steps],
        runner_up=_shown(names, runner_up) if runner_up else None,
        leaves=[_shown(names, leaf) for leaf in opinion.leaves],
        choices=[_choice(names, choice) for choice in why.choices],
        toward=_shown(names, why.toward) if why.toward else None,
        toward_unknown=unknown,
        relevance=opinion.relevance,
        good_missing=len(wanted) - len(good),
        length=why.length,
        language=guessed_language(text),
        known_share=why.known_share,
        unknown_words=why.unknown_words[:UNKNOWN_SHOWN],
        doubts=[DOUBTS[doubt] for doubt in why.doubts],
        is_blind=Doubt.NO_KNOWN_WORDS in why.doubts,
    )


def _asked(judge: Judge, path: str) -> tuple[Lineage | None, str]:
    """The topic at the path, and what is wrong with the path."""
    try:
        lineages = lineages_named(judge, [path]) if path.strip() else []
    except FocusAdminError as error:
        return None, str(error)
    return next((lineage for lineage in lineages if lineage), None), ""


def _good_lineages(focus: Focus) -> list[Lineage]:
    return [split_path(path) for path in paths_of(good_topics_of(focus)).values()]


def _named(opinion: Opinion, why: Explanation) -> Iterator[Lineage]:
    """Every topic that is shown, so that they are looked up together."""
    yield from (step.lineage for step in opinion.route.steps)
    yield from (leaf.lineage for leaf in opinion.leaves)
    if opinion.route.runner_up:
        yield opinion.route.runner_up.lineage
    for choice in why.choices:
        yield choice.chosen
        yield from (child.lineage for child in choice.children[:CHILDREN_SHOWN])


def _choice(names: TopicNames, choice: Choice) -> ShownChoice:
    shown = [
        child
        for place, child in enumerate(choice.children)
        if place < CHILDREN_SHOWN or child.lineage == choice.chosen
    ]
    return ShownChoice(
        parent=names[choice.parent],
        chosen=names[choice.chosen],
        best=names[choice.children[0].lineage],
        children=[
            _shown(names, child, is_chosen=child.lineage == choice.chosen) for child in shown
        ],
        others=len(choice.children) - len(shown),
        words_for=choice.words_for,
        words_against=choice.words_against,
    )


def _shown(names: TopicNames, ranked: RankedTopic, *, is_chosen: bool = False) -> ShownTopic:
    return ShownTopic(names[ranked.lineage], ranked.probability, is_chosen)
