"""Where does this page belong, and why: judging a text, and adding it as an example."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.core.records import TEXT_MAX, TITLE_MAX, URL_MAX, clean_text
from taxonomy.forms.classify import ClassifyForm, FetchForm
from taxonomy.models import FocusPage
from taxonomy.selectors.explanations import judgement_of
from taxonomy.selectors.focuses import focuses_visible_to
from taxonomy.selectors.guide import browsed_count
from taxonomy.selectors.history import edit_get
from taxonomy.selectors.models import NoModelError, judge_of
from taxonomy.selectors.sharing import focus_edited, may_edit_focus
from taxonomy.selectors.trees import path_of, taxonomies_of
from taxonomy.services.drafts import page_keep
from taxonomy.services.edits import edit_undo, example_add
from taxonomy.services.pages import page_at
from taxonomy.views.pages import is_partial
from taxonomy.views.places import edited_taxonomy, edited_topic, tree_url

KEPT_AS = {
    FocusPage.Standing.EXAMPLE.value: "is an example of",
    FocusPage.Standing.BROWSED.value: "has its topics marked in",
}
ENOUGH_BROWSED = 3  # pages, to propose good topics from


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def classify(request: UserRequest) -> HttpResponse:
    """The form, and under a sent text the judgement; the text is never in the address."""
    form = _form(request)
    if not form.taxonomies:
        return render(request, "taxonomy/classify.html")
    return _page(request, form)


@require_POST
def fetch(request: UserRequest) -> HttpResponse:
    """The page at an address, in the form and judged. Nothing is fetched by a mere link."""
    asked, form = FetchForm(request.POST), _form(request)
    if not form.taxonomies:
        return render(request, "taxonomy/classify.html")
    if asked.is_valid():
        try:
            page = page_at(asked.cleaned_data["url"], by=request.user)
        except FocusAdminError as error:
            asked.add_error("url", str(error))
        else:
            content = page.content
            found = {"title": content.title[:TITLE_MAX], "text": content.text[:TEXT_MAX]}
            form = _form(request, {"by": form.by_key, "source": page.url, **found})
    return _whole_page(request, form, asked)


@require_POST
def example(request: UserRequest, slug: str, topic_id: int) -> HttpResponse:
    """Adds the judged text to a topic; without a script the answer leads there."""
    taxonomy, topic = edited_topic(request, slug, topic_id)
    form = _form(request)
    if not form.is_valid() or not form.cleaned_data["text"]:
        form.add_error(None, "An example needs a text. Paste one, then add it.")
        return _page(request, form)
    try:
        edit = example_add(taxonomy=taxonomy, topic=topic, record=form.record, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
        return _page(request, form)
    undo_url = reverse("taxonomy:classify-undo", args=[slug, edit.pk])
    messages.success(request, f"{edit.summary}.", extra_tags=undo_tag(undo_url, "edit"))
    if is_partial(request):
        return _page(request, form)
    return redirect(tree_url(taxonomy, path_of(topic)))


@require_POST
def keep(request: UserRequest) -> HttpResponse:
    """Keeps the judged page for the focus: an example of it, or its topics marked on the way."""
    form = _form(request, request.POST.dict())
    if not form.taxonomies:
        return render(request, "taxonomy/classify.html")
    wanted = request.POST.get("as", "")
    if not form.is_valid() or form.focus is None or wanted not in KEPT_AS:
        form.add_error(None, "Choose a focus to judge with, then keep the page for it.")
        return _page(request, form)
    focus = focus_edited(user=request.user, focus_id=form.focus.pk)
    try:
        page = page_keep(focus=focus, record=form.record, standing=wanted, by=request.user)
    except FocusAdminError as error:
        form.add_error(None, str(error))
        return _page(request, form)
    undo_url = reverse("taxonomy:classify-forget", args=[focus.pk, page.pk])
    text = f"{isolated(page)} {KEPT_AS[wanted]} {isolated(focus)}."
    messages.success(request, text, extra_tags=undo_tag(undo_url, "page"))
    return _page(request, form)


@require_POST
def forget(request: UserRequest, focus_id: int, page_id: int) -> HttpResponse:
    """Takes back that a page was kept."""
    focus = focus_edited(user=request.user, focus_id=focus_id)
    focus.pages.filter(pk=page_id, source=FocusPage.Source.CLASSIFIED).delete()
    messages.success(request, "The page is not kept any more.")
    if is_partial(request):
        return render(request, "taxonomy/_toasts_oob.html")
    return redirect("taxonomy:classify")


@require_POST
def undo(request: UserRequest, slug: str, edit_id: int) -> HttpResponse:
    """Takes an added example back without leaving the text that is being looked at."""
    taxonomy = edited_taxonomy(request, slug)
    edit = edit_get(taxonomy=taxonomy, edit_id=edit_id)
    try:
        undone = edit_undo(edit=edit, by=request.user)
        messages.success(request, f"{undone.summary}.")
    except FocusAdminError as error:
        messages.error(request, str(error))
    if is_partial(request):
        return render(request, "taxonomy/_toasts_oob.html")
    return redirect("taxonomy:classify")


def _form(request: UserRequest, data: Mapping[str, str] | None = None) -> ClassifyForm:
    """What was found or sent, or a form prefilled from the address, as bookmarklets do (`t`)."""
    asked = request.GET
    by = "/".join(filter(None, [asked.get("taxonomy"), asked.get("focus")]))
    initial = {"title": clean_text(asked.get("t", ""), TITLE_MAX), **({"by": by} if by else {})}
    if data is None and "by" in request.POST:
        data = request.POST.dict()
    return ClassifyForm(
        data,
        taxonomies=taxonomies_of(request.user),
        focuses=focuses_visible_to(request.user),
        initial=initial,
    )


def _page(request: UserRequest, form: ClassifyForm) -> HttpResponse:
    """The whole page, or the judgement alone for a script, which shows reasons in place."""
    if is_partial(request):
        return render(request, "taxonomy/_judgement.html", _context(request, form))
    asked = FetchForm(initial={"url": clean_text(request.GET.get("url", ""), URL_MAX)})
    return _whole_page(request, form, asked)


def _whole_page(request: UserRequest, form: ClassifyForm, asked: FetchForm) -> HttpResponse:
    address = request.build_absolute_uri(reverse("taxonomy:classify"))
    context = {**_context(request, form), "fetch_form": asked, "classify_address": address}
    is_refused = bool(form.errors or asked.errors) and not is_partial(
        request
    )  # htmx swaps only 200
    status = 422 if is_refused else 200
    return render(request, "taxonomy/classify.html", context, status=status)


def _context(request: UserRequest, form: ClassifyForm) -> dict[str, Any]:
    return {"form": form, "may_edit": False, **_judged(request, form)}


def _judged(request: UserRequest, form: ClassifyForm) -> dict[str, Any]:
    if not form.is_bound or not form.is_valid():
        return {}
    taxonomy = form.taxonomy
    may_edit = has_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR)
    browsed = browsed_count(form.focus) if form.focus else 0
    standing = {
        "taxonomy": taxonomy,
        "focus": form.focus,
        "may_edit": may_edit,
        "may_keep": form.focus and may_edit_focus(user=request.user, focus=form.focus),
        "browsed": browsed,
        "has_browsed_enough": browsed >= ENOUGH_BROWSED,
    }
    if not form.has_text:
        return {**standing, "is_empty": True}
    try:
        judge = judge_of(taxonomy)
        judgement = judgement_of(judge, form.full_text, form.focus, toward=form.asked_path)
        return {**standing, "judgement": judgement, "asked_path": form.asked_path}
    except NoModelError:
        return {**standing, "has_no_model": True}
    except FocusAdminError as error:  # a damaged file
        return {**standing, "failure": str(error)}
