"""What the page of the label queue shows: the card, the progress, the precision, the agreement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from crawler.core.labels.precision import Agreement, Precision, agreement_of
from crawler.models import Crawl, LabelAnswer, LabelQueue, LabelTask, Page, PrecisionSample, Verdict
from crawler.selectors.feedback import Opinion, opinions_of
from crawler.selectors.pages import PageDetails, page_details
from crawler.selectors.surroundings import why_there
from focusadmin.accounts.models import User
from taxonomy.core.explain import WordEffect
from taxonomy.models import TrainedModel
from taxonomy.selectors.explanations import ShownJudgement
from taxonomy.selectors.models import current_model, is_held

TEXT_SHOWN = 3_000
WORDS_SHOWN = 8
DISAGREEMENTS_SHOWN = 10
SAMPLES_SHOWN = 10

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Piece:
    """A part of a text: plain, or a word that speaks for or against the topic."""

    text: str
    effect: str = ""


@dataclass(frozen=True)
class Card:
    """A page that somebody is asked about."""

    task: LabelTask
    details: PageDetails
    title: list[Piece]
    text: list[Piece]
    words_for: list[WordEffect]
    words_against: list[WordEffect]
    is_explained: bool


def card_of(crawl: Crawl, task: LabelTask) -> Card:
    details = page_details(crawl, task.page_seq, most=TEXT_SHOWN)
    judgement = why_there(crawl, details.page)
    for_, against = _deciding_words(judgement)
    effects = {word.word: "against" for word in against} | {word.word: "for" for word in for_}
    return Card(
        task=task,
        details=details,
        title=list(pieces(details.page.title, effects)),
        text=list(pieces(details.text, effects)),
        words_for=for_,
        words_against=against,
        is_explained=judgement is not None,
    )


def pieces(text: str, effects: dict[str, str]) -> Iterator[Piece]:
    """The text, cut at the words that decided."""
    end = 0
    for found in _WORD.finditer(text):
        effect = effects.get(found.group().lower())
        if effect:
            if found.start() > end:
                yield Piece(text[end : found.start()])
            yield Piece(found.group(), effect)
            end = found.end()
    if end < len(text):
        yield Piece(text[end:])


def _deciding_words(
    judgement: ShownJudgement | None,
) -> tuple[list[WordEffect], list[WordEffect]]:
    """The strongest words of all choices on the way to the page's topic."""
    choices = judgement.choices if judgement else []
    for_ = _strongest(word for choice in choices for word in choice.words_for)
    against = _strongest(word for choice in choices for word in choice.words_against)
    named = {word.word for word in for_}
    return for_, [word for word in against if word.word not in named]


def _strongest(words: Iterator[WordEffect]) -> list[WordEffect]:
    best: dict[str, WordEffect] = {}
    for word in words:
        if word.word not in best or abs(word.effect) > abs(best[word.word].effect):
            best[word.word] = word
    return sorted(best.values(), key=lambda word: -abs(word.effect))[:WORDS_SHOWN]


def answers_in_force(crawl: Crawl) -> QuerySet[LabelAnswer]:
    """Labels that were neither undone here nor where feedback is shown. Skips are no labels."""
    return LabelAnswer.objects.filter(
        Q(verdict__isnull=True) | Q(verdict__undone_at__isnull=True),
        task__crawl=crawl,
        undone_at=None,
    ).exclude(value=LabelAnswer.Value.SKIPPED)


@dataclass(frozen=True)
class Progress:
    """How far it is to the next training, and how the last one went."""

    given: int
    train_after: int
    training: TrainedModel | None  # the last that the queue began
    is_due: bool
    hindrance: str  # why the model is not trained by itself

    @property
    def is_training(self) -> bool:
        return self.training is not None and self.training.state == TrainedModel.State.TRAINING

    @property
    def has_failed(self) -> bool:
        return self.training is not None and self.training.state == TrainedModel.State.FAILED


def queue_seen(crawl: Crawl) -> LabelQueue:
    """As it is, or would be: looking at it writes nothing."""
    found = LabelQueue.objects.filter(crawl=crawl).select_related("training").first()
    return found or LabelQueue(crawl=crawl)


def labels_since_training(queue: LabelQueue) -> int:
    return answers_in_force(queue.crawl).filter(pk__gt=queue.counted_from).count()


def progress_of(queue: LabelQueue, most_examples: int) -> Progress:
    return Progress(
        given=labels_since_training(queue),
        train_after=queue.train_after,
        training=queue.training,
        is_due=queue.is_due,
        hindrance=hindrance_of(queue.crawl, most_examples),
    )


def hindrance_of(crawl: Crawl, most_examples: int) -> str:
    """Why no training begins by itself; empty where one does."""
    model = current_model(crawl.focus.taxonomy)
    if model is None:
        return "There is no model yet. Train one first."
    if is_held(model):
        return (
            "The model in use was chosen by a person, so it is not replaced by itself. "
            "Labels are kept, and the next training learns them."
        )
    if model.example_count > most_examples:
        return f"Above {most_examples:,} examples the model is trained when somebody asks for it."
    return ""


@dataclass(frozen=True)
class Estimate:
    """What the sample for one model tells."""

    sample: PrecisionSample
    precision: Precision
    skipped: int
    tied: int  # as many useful as not useful: left out

    @property
    def model(self) -> TrainedModel:
        return self.sample.model


def judged_model_id(crawl: Crawl) -> int | None:
    """The model by which the pages are judged; None while they are judged anew."""
    if not crawl.judged_with:
        return crawl.model_id
    key = str(crawl.judged_with.get("model", "")).split("/")[0]
    return int(key) if key.isdigit() else None


def sample_in_force(crawl: Crawl) -> PrecisionSample | None:
    """The sample of the judgements of now, if it is drawn."""
    drawn = PrecisionSample.objects.filter(crawl=crawl, model=judged_model_id(crawl)).first()
    return drawn if drawn is not None and drawn.good == crawl.good else None


def estimates_of(crawl: Crawl) -> list[Estimate]:
    """The newest first."""
    samples = PrecisionSample.objects.filter(crawl=crawl).select_related("model")[:SAMPLES_SHOWN]
    return [estimate_of(sample) for sample in samples]


def estimate_of(sample: PrecisionSample) -> Estimate:
    """Only what was answered as a part of the sample counts."""
    answers = answers_in_force(sample.crawl).filter(task__sample=sample)
    balance: dict[int, int] = {}
    for task, value in answers.values_list("task", "value"):
        balance[task] = balance.get(task, 0) + (1 if value == LabelAnswer.Value.USEFUL else -1)
    skipped = LabelAnswer.objects.filter(
        task__sample=sample, undone_at=None, value=LabelAnswer.Value.SKIPPED
    ).exclude(task__in=list(balance))
    tied = sum(not one for one in balance.values())
    precision = Precision(
        useful=sum(one > 0 for one in balance.values()),
        labelled=len(balance) - tied,
        asked=min(sample.asked, len(sample.pages)),
        population=sample.population,
    )
    return Estimate(sample, precision, skipped.values("task").distinct().count(), tied)


@dataclass(frozen=True)
class Disagreement:
    page: Page
    opinion: Opinion


@dataclass(frozen=True)
class Agreed:
    """How far curators agree about pages, here and wherever else they say it."""

    agreement: Agreement
    disagreements: list[Disagreement]


def agreed_about(crawl: Crawl) -> Agreed:
    opinions, _ = opinions_of(crawl)
    agreement = agreement_of(
        (len(opinion.useful), len(opinion.not_useful)) for opinion in opinions.values()
    )
    apart = {number: one for number, one in opinions.items() if one.useful and one.not_useful}
    said = Verdict.objects.filter(crawl=crawl, undone_at=None, number__in=list(apart))
    pages = Page.objects.filter(crawl=crawl, seq__in=list(said.values_list("page_seq", flat=True)))
    found = {page.number: page for page in pages.order_by("seq")}
    shown = [Disagreement(found[number], apart[number]) for number in apart if number in found]
    return Agreed(agreement, shown[:DISAGREEMENTS_SHOWN])


def last_answer(crawl: Crawl, by: User) -> LabelAnswer | None:
    """What this person can take back."""
    answers = LabelAnswer.objects.filter(task__crawl=crawl, by=by, undone_at=None)
    return answers.select_related("task", "verdict").last()
