"""People's judgement flows back: into the classifier, the distiller, and the frontier.

A verdict acts on the topic tree at once, as an example that can be undone like any edit. A round of
`feedback_settle` then lets the model learn it, hands that model to the crawl, which judges its
pages and ranks its frontier anew, and distils with the new weights. Undoing goes the same way.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import structlog
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone

from crawler.core.ports import OK
from crawler.models import Crawl, CrawlEvent, Page, PageBody, Verdict
from crawler.services.distillation import crawl_distil
from crawler.store import unpacked_text
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.core.classifier.base import TopicScorer
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.records import Skipped, make_example
from taxonomy.core.tree import join_path
from taxonomy.models import Topic, TrainedModel, TreeEdit
from taxonomy.selectors.models import current_model, is_held, judge_of
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.changes import EditError
from taxonomy.services.edits import edit_undo, example_add
from taxonomy.services.training import AUTOMATIC_EXAMPLES, catch_up

SITE_PAGES = 3  # of a site become examples: its most relevant ones
LEAVES_TRIED = 5  # the model may know topics that the tree has no more
DISTILLED_AT_ONCE = 20_000  # pages; a larger crawl waits for its next distillation

log = structlog.get_logger("focusadmin.feedback")


class FeedbackError(FocusAdminError):
    """A verdict that can't be given or undone; the text says why."""


@transaction.atomic
def verdict_give(
    *, crawl: Crawl, value: str, by: User, page_seq: int | None = None, site: str = ""
) -> Verdict:
    """Useful, or not: a page, or a whole site. It replaces what this person said before."""
    if value not in Verdict.Value.values:
        raise FeedbackError("Say useful or not useful.")
    pages = _pages(crawl, page_seq, site)
    number = pages[0].number if page_seq is not None else None
    own = Verdict.objects.filter(crawl=crawl, by=by, undone_at=None, number=number)
    before = own.first() if number is not None else own.filter(site=pages[0].site).first()
    if before is not None and before.value == value:
        raise FeedbackError(f"You said {before.get_value_display().lower()} already.")
    if before is not None:
        verdict_undo(verdict=before, by=by)
    edits, effect = _teach(crawl, pages, value, by)
    try:
        with transaction.atomic():
            return Verdict.objects.create(
                crawl=crawl,
                number=number,
                page_seq=page_seq,
                site=pages[0].site,
                value=value,
                by=by,
                edits=edits,
                effect=effect[:300],
            )
    except IntegrityError:
        raise FeedbackError("You have just said something about this. Reload the page.") from None


def _pages(crawl: Crawl, seq: int | None, site: str) -> list[Page]:
    found = Page.objects.filter(crawl=crawl, outcome=OK)
    found = found.filter(site=site) if seq is None else found.filter(seq=seq)
    pages = list(found.order_by("-relevance", "seq")[:SITE_PAGES])
    if not pages:
        raise FeedbackError("There is no such page in this crawl.")
    return pages


def _teach(crawl: Crawl, pages: Sequence[Page], value: str, by: User) -> tuple[list[int], str]:
    """Examples for the classifier; their edits, and what was done in words."""
    taxonomy = crawl.focus.taxonomy
    scorer = judge_of(taxonomy).scorer
    edits, topics = [], []
    for page in pages:
        text = _text(page)
        topic = text and _topic_for(crawl, scorer, f"{page.title}\n{text}", value)
        record = make_example(0, (), title=page.title, url=page.url, text=text)
        if not topic or isinstance(record, Skipped):
            continue
        try:
            edit = example_add(taxonomy=taxonomy, topic=topic, record=record, by=by)
        except EditError:
            continue  # it is an example of this topic already
        edits.append(edit.pk)
        topics.append(topic)
    return edits, _effect_words(topics, value)


def _text(page: Page) -> str:
    body = PageBody.objects.filter(crawl=page.crawl_id, seq=page.seq).first()
    return unpacked_text(body.text) if body else ""


def _effect_words(topics: Sequence[Topic], value: str) -> str:
    weight = "twice" if value == Verdict.Value.USEFUL else "a tenth"
    weighs = f"weighs {weight} in the distiller"
    if not topics:
        return f"{weighs}; the classifier has nothing to learn from it".capitalize()
    names = ", ".join(dict.fromkeys(isolated(topic) for topic in topics))
    return f"An example of {names}; {weighs}"


def _topic_for(crawl: Crawl, scorer: TopicScorer, text: str, value: str) -> Topic | None:
    """The best leaf among the good topics, or among those that are neither good nor on the way."""
    for lineage in _leaves_by_rank(crawl, scorer, text, value):
        try:
            return topic_by_path(taxonomy=crawl.focus.taxonomy, path=join_path(lineage))
        except Http404:
            continue
    return None


def _leaves_by_rank(crawl: Crawl, scorer: TopicScorer, text: str, value: str) -> Iterator[Lineage]:
    is_useful = value == Verdict.Value.USEFUL
    chosen = crawl.good if is_useful else [*crawl.good, *crawl.pass_through]
    wanted = [tuple(lineage) for lineage in chosen]
    logs = scorer.judge([text]).log_probabilities[0]
    leaves = np.flatnonzero(scorer.tree.is_leaf)
    found = 0
    for column in leaves[np.argsort(-logs[leaves], kind="stable")].tolist():
        leaf = scorer.tree.lineages[column]
        if any(leaf[: len(topic)] == topic for topic in wanted) == is_useful:
            yield leaf
            found += 1
            if found == LEAVES_TRIED:
                return


@transaction.atomic
def verdict_undo(*, verdict: Verdict, by: User) -> Verdict:
    """As if it had never been said: the examples go, the weight and the ranking follow."""
    open_ = Verdict.objects.filter(pk=verdict.pk, undone_at=None)
    if not open_.update(undone_at=timezone.now(), undone_by=by, revision=None):
        raise FeedbackError("This was undone already.")
    for edit in TreeEdit.objects.filter(pk__in=verdict.edits, undone_by=None):
        edit_undo(edit=edit, by=by)
    verdict.refresh_from_db()
    return verdict


def learning_words(crawl: Crawl) -> str:
    """When the classifier will know, said before anybody clicks."""
    model = current_model(crawl.focus.taxonomy)
    if model is None or is_held(model):
        return "The model in use was chosen by a person and learns nothing until that changes"
    if model.kind == TrainedModel.Kind.NAIVE_BAYES:
        return "The classifier learns it within seconds"
    if model.example_count <= AUTOMATIC_EXAMPLES:
        return "The classifier is trained anew in the background, which takes some minutes"
    return "The classifier learns it when you train it anew"


def feedback_settle() -> None:
    """Whatever was said and not yet followed; called every second."""
    crawls = Verdict.objects.filter(revision=None).values_list("crawl", flat=True)
    for crawl in Crawl.objects.filter(pk__in=set(crawls)).order_by("pk"):
        try:
            crawl_settle(crawl=crawl)
        except Exception:
            # One crawl's trouble must not keep the others waiting.
            log.exception("feedback not settled", crawl=crawl.pk)


def crawl_settle(*, crawl: Crawl) -> bool:
    """Let the model learn what was said of a crawl, and the crawl follow it; False: not yet."""
    said = list(Verdict.objects.filter(crawl=crawl, revision=None).order_by("id"))
    model = _learnt(crawl, said)
    if model is None:
        return False
    with transaction.atomic():
        locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
        if any(verdict.edits for verdict in said):
            _take(locked, model)
        for verdict in said:  # but for those that were undone in the meantime
            same = Verdict.objects.filter(pk=verdict.pk, undone_at=verdict.undone_at)
            same.update(revision=locked.settings_revision)
        _note(locked, said)
    if locked.fetched and locked.seq <= DISTILLED_AT_ONCE:
        crawl_distil(crawl=locked, by=said[-1].undone_by or said[-1].by if said else None)
    return True


@transaction.atomic
def model_take(*, crawl: Crawl, model: TrainedModel) -> bool:
    """Let a crawl judge by a model that was trained for it; False if it can't, or does already."""
    locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
    return locked.model_id != model.pk and _take(locked, model)


def _take(locked: Crawl, model: TrainedModel) -> bool:
    if not _can_judge(locked, model):
        return False
    locked.model = model
    locked.settings_revision += 1
    locked.save(update_fields=["model", "settings_revision"])
    return True


def _learnt(crawl: Crawl, said: Iterable[Verdict]) -> TrainedModel | None:
    """The model that knows all of it; None while it is to come."""
    taxonomy = crawl.focus.taxonomy
    model = current_model(taxonomy)
    if model is None or is_held(model) or model.example_count > AUTOMATIC_EXAMPLES:
        return crawl.model
    named = [pk for verdict in said for pk in verdict.edits]
    edits = TreeEdit.objects.filter(pk__in=named) | TreeEdit.objects.filter(undoes__in=named)
    newest = max(edits.values_list("revision", flat=True), default=0)
    if model.taxonomy_revision < newest and model.kind == TrainedModel.Kind.NAIVE_BAYES:
        catch_up(model)
        model = current_model(taxonomy)
    return model if model is not None and model.taxonomy_revision >= newest else None


def _can_judge(crawl: Crawl, model: TrainedModel) -> bool:
    """A model of a tree that has moved on may not know the crawl's topics any more."""
    scorer = judge_of(crawl.focus.taxonomy)
    topics = [tuple(topic) for topic in (*crawl.good, *crawl.pass_through)]
    is_same = scorer.model.pk == model.pk
    return is_same and all(topic in scorer.scorer.tree.columns for topic in topics)


def _note(crawl: Crawl, said: Sequence[Verdict]) -> None:
    undone = sum(verdict.undone_at is not None for verdict in said)
    given = len(said) - undone
    parts = [f"{given} given"] if given else []
    parts += [f"{undone} undone"] if undone else []
    text = f"Feedback: {', '.join(parts)}"
    CrawlEvent.objects.create(crawl=crawl, seq=crawl.seq, kind="feedback", text=text)
