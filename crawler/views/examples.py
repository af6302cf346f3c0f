"""The first step of the guided path: a draft is made, and gets its examples."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.forms.guide import ContactForm, NewFocusForm, PasteForm, UploadForm
from crawler.selectors.focuses import drafts_of
from crawler.services.demo import demo_draft
from crawler.views.steps import edited_focus, step_page
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import require_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.targets import demo_port
from taxonomy.core.bookmarks.types import MAX_BYTES
from taxonomy.models import Focus, FocusDraft
from taxonomy.selectors.guide import draft_get, folder_tree, reading_of
from taxonomy.selectors.trees import taxonomies_of
from taxonomy.services.drafts import (
    bookmarks_keep,
    bookmarks_kept,
    bookmarks_read,
    draft_new,
    draft_of,
    draft_remember,
    folders_choose,
    pasted_add,
    upload_cancel,
    waiting_again,
    waiting_skip,
)
from taxonomy.services.pages import known_contact
from taxonomy.views.pages import is_partial

ROUTE = "focus-examples"


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: UserRequest) -> HttpResponse:
    """A new draft, or one that was left."""
    taxonomies = list(taxonomies_of(request.user))
    form = NewFocusForm(request.POST or None, taxonomies=taxonomies)
    if request.method != "POST" or not taxonomies or not form.is_valid():
        return _new_page(request, form, status=422 if form.errors else 200)
    taxonomy = form.taxonomy
    require_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR)
    try:
        if request.POST.get("with") == "demo":
            draft = demo_draft(taxonomy=taxonomy, by=request.user)
        else:
            draft = draft_new(taxonomy=taxonomy, by=request.user, name=form.cleaned_data["name"])
    except FocusAdminError as error:
        messages.error(request, str(error))
        return _new_page(request, form, status=200 if is_partial(request) else 409)  # as htmx wants
    return redirect("crawler:focus-examples", draft.focus_id)


def _new_page(request: UserRequest, form: NewFocusForm, *, status: int) -> HttpResponse:
    context = {
        "form": form,
        "has_demo": demo_port() is not None,
        "drafts": drafts_of(request.user),
    }
    return render(request, "crawler/focus_new.html", context, status=status)


@require_safe
def examples(request: UserRequest, focus_id: int) -> HttpResponse:
    return _page(request, edited_focus(request, focus_id))


@require_safe
def reading(request: UserRequest, focus_id: int) -> HttpResponse:
    """The fragment that renews itself while pages are fetched."""
    focus = edited_focus(request, focus_id)
    return render(request, "crawler/_reading.html", _reading_context(request, focus))


@require_POST
def keep(request: UserRequest, focus_id: int) -> HttpResponse:
    """Remembers what is being typed, so that a step can be left at any moment."""
    draft = draft_of(edited_focus(request, focus_id))
    if "pasted" in request.POST:
        draft_remember(draft=draft, pasted=request.POST["pasted"])
    else:
        typed = request.POST.dict()
        typed.pop("csrfmiddlewaretoken", None)
        draft_remember(draft=draft, plan=typed)
    return HttpResponse(status=204)


@require_POST
def bring(request: UserRequest, focus_id: int) -> HttpResponse:
    """Everything that this step does: a file, a list, folders, a contact, and the reading."""
    focus = edited_focus(request, focus_id)
    deed = _DEEDS.get(request.POST.get("do", ""))
    try:
        form = deed(request, draft_of(focus)) if deed else None
    except FocusAdminError as error:
        messages.error(request, str(error))
        return _page(request, focus, status=422)
    if form is not None:
        return _page(request, focus, form=form, status=422)
    return redirect("crawler:focus-examples", focus.pk)


def _upload(request: UserRequest, draft: FocusDraft) -> UploadForm | None:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return form
    file = form.cleaned_data["file"]
    found = bookmarks_read(file.read(MAX_BYTES + 1), file.name)
    upload = request.POST.get("upload", "")
    bookmarks_keep(draft=draft, found=found, name=file.name, upload=upload)
    return None


def _cancel(request: UserRequest, draft: FocusDraft) -> None:
    upload_cancel(draft=draft, upload=request.POST.get("upload", ""))


def _paste(request: UserRequest, draft: FocusDraft) -> PasteForm | None:
    form = PasteForm(request.POST)
    if not form.is_valid():
        return form
    found = pasted_add(draft=draft, text=form.cleaned_data["pasted"], by=request.user)
    if skipped := ", ".join(f"{each.count} {each.reason}" for each in found.skipped):
        messages.warning(request, f"Left out of what you pasted: {skipped}.")
    return None


def _choose(request: UserRequest, draft: FocusDraft) -> None:
    chosen = [int(n) for n in request.POST.getlist("folder") if n.isascii() and n.isdigit()]
    added = folders_choose(draft=draft, chosen=set(chosen), by=request.user)
    messages.success(request, f"{added} page{'' if added == 1 else 's'} added to your examples.")


def _contact(request: UserRequest, draft: FocusDraft) -> ContactForm | None:
    form = ContactForm(request.POST)
    if not form.is_valid():
        return form
    draft_remember(draft=draft, contact=form.cleaned_data["contact"])
    waiting_again(focus=draft.focus)
    return None


def _skip(request: UserRequest, draft: FocusDraft) -> None:
    skipped = waiting_skip(focus=draft.focus)
    messages.info(request, f"{skipped} skipped: judged by title and address alone.")


def _again(request: UserRequest, draft: FocusDraft) -> None:
    waiting_again(focus=draft.focus)


def _remove(request: UserRequest, draft: FocusDraft) -> None:
    page_id = request.POST.get("page", "")
    if page_id.isascii() and page_id.isdigit():
        draft.focus.pages.examples().filter(pk=int(page_id)).delete()
        messages.success(request, "The example is removed.")


_DEEDS: dict[str, Callable[[UserRequest, FocusDraft], Any]] = {
    "upload": _upload,
    "cancel": _cancel,
    "paste": _paste,
    "choose": _choose,
    "contact": _contact,
    "skip": _skip,
    "again": _again,
    "remove": _remove,
}


def _page(
    request: UserRequest, focus: Focus, *, form: Any = None, status: int = 200
) -> HttpResponse:
    draft = draft_get(focus)
    content = bookmarks_kept(draft)
    context = {
        "draft": draft,
        "upload_form": form if isinstance(form, UploadForm) else UploadForm(),
        "paste_form": form
        if isinstance(form, PasteForm)
        else PasteForm(initial={"pasted": draft.pasted}),
        "folders": folder_tree(content["folders"], content["bookmarks"], draft.chosen),
        "page_count": len(content["bookmarks"]),
        **_reading_context(request, focus, draft, form),
    }
    return step_page(request, focus, ROUTE, "crawler/focus_examples.html", context, status=status)


def _reading_context(
    request: UserRequest, focus: Focus, draft: FocusDraft | None = None, form: Any = None
) -> dict[str, Any]:
    draft = draft or draft_get(focus)
    found = reading_of(focus)
    urls = [page.url for page in found.pages]
    return {
        "focus": focus,
        "reading": found,
        "needs_contact": not (draft.contact or known_contact(focus.owner, urls)),
        "contact_form": form if isinstance(form, ContactForm) else ContactForm(),
    }
