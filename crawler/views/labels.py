"""The label queue of a crawl: one page after the other, by keyboard if one likes."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from crawler.forms.labels import LabelsForm
from crawler.models import Crawl, LabelAnswer
from crawler.selectors.crawls import crawl_get
from crawler.selectors.feedback import effect_of
from crawler.selectors.labels import (
    agreed_about,
    card_of,
    estimates_of,
    last_answer,
    progress_of,
    queue_seen,
    sample_in_force,
)
from crawler.services.feedback import learning_words
from crawler.services.labels import (
    label_give,
    label_undo,
    labels_train,
    queue_change,
    sample_renew,
    sample_widen,
    task_next,
)
from crawler.views.judging import judged_crawl, may_judge
from crawler.views.places import crawl_page
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.services.training import AUTOMATIC_EXAMPLES

LONGEST_NUMBER = 18


@require_safe
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The next page for who may label; how far it is, and how often the crawl is right, for all."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    is_judge = may_judge(request, crawl)
    task = task_next(crawl=crawl, by=request.user) if is_judge and crawl.fetched else None
    queue = queue_seen(crawl)
    estimates = estimates_of(crawl)
    in_force = sample_in_force(crawl)
    context = {
        **_progress(crawl),
        "card": card_of(crawl, task) if task else None,
        "taxonomy": crawl.focus.taxonomy,
        "may_judge": is_judge,
        "last": last_answer(crawl, request.user) if is_judge else None,
        "estimate": next((one for one in estimates if one.sample == in_force), None),
        "estimates": estimates,
        "agreed": agreed_about(crawl),
        "wants_agreement": queue.wants_agreement,
        "learning_words": learning_words(crawl),
        "page_shortcuts": "crawler/_label_shortcuts.html",
        "form": LabelsForm(
            initial={"train_after": queue.train_after, "wants_agreement": queue.wants_agreement}
        ),
    }
    return crawl_page(request, crawl, "labels", "crawler/labels.html", context)


@require_safe
def progress(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The fragment with the way to the next training, asked for while one is under way."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    context = {"crawl": crawl, "may_judge": may_judge(request, crawl), **_progress(crawl)}
    return render(request, "crawler/_label_progress.html", context)


def _progress(crawl: Crawl) -> dict[str, Any]:
    return {
        "progress": progress_of(queue_seen(crawl), AUTOMATIC_EXAMPLES),
        "effect": effect_of(crawl),
    }


def _number(request: UserRequest, name: str) -> int:
    given = request.POST.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= LONGEST_NUMBER else 0


def _on(crawl_id: int) -> HttpResponse:
    return redirect(reverse("crawler:labels", args=[crawl_id]) + "#card")


@require_POST
def answer(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Useful, not useful, or skipped; then the next page."""
    crawl = judged_crawl(request, crawl_id)
    try:
        given = label_give(
            crawl=crawl,
            task_id=_number(request, "task"),
            value=request.POST.get("value", ""),
            by=request.user,
        )
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        tag = undo_tag(reverse("crawler:label-undo", args=[crawl_id]), str(given.pk))
        messages.success(request, _words(given), extra_tags=tag)
    return _on(crawl_id)


def _words(given: LabelAnswer) -> str:
    if given.value == LabelAnswer.Value.SKIPPED:
        return "Skipped. You are not asked about this page again."
    effect = given.verdict.effect if given.verdict else "you had said so before"
    return f"{given.get_value_display()}: {effect}."


@require_POST
def undo(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = judged_crawl(request, crawl_id)
    given = get_object_or_404(
        LabelAnswer.objects.select_related("task", "verdict"),
        task__crawl=crawl,
        by=request.user,
        pk=_number(request, "token"),
    )
    try:
        label_undo(crawl=crawl, answer=given, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Undone. Here is the page again.")
    return _on(crawl_id)


@require_POST
def sample(request: UserRequest, crawl_id: int) -> HttpResponse:
    """More pages of the sample, or another sample."""
    crawl = judged_crawl(request, crawl_id)
    try:
        if request.POST.get("do") == "anew":
            drawn = sample_renew(crawl=crawl)
            text = f"A new sample is drawn from {drawn.population:,} pages."
        else:
            text = f"{sample_widen(crawl=crawl).asked} pages of the sample will be asked about."
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, text)
    return redirect(reverse("crawler:labels", args=[crawl_id]) + "#precision")


@require_POST
def train(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = judged_crawl(request, crawl_id)
    try:
        model = labels_train(crawl=crawl, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Version {model.version} is being trained.")
    return redirect("crawler:labels", crawl_id)


@require_POST
def settings(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = judged_crawl(request, crawl_id)
    form = LabelsForm(request.POST)
    if form.is_valid():
        queue_change(crawl=crawl, **form.cleaned_data)
        messages.success(request, "Settings saved.")
    else:
        messages.error(request, f"Not saved. Labels until the next training: {_why(form)}")
    return redirect("crawler:labels", crawl_id)


def _why(form: LabelsForm) -> str:
    return " ".join(str(error) for errors in form.errors.values() for error in errors)
