"""Questions in SQL about one crawl, for operators."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from crawler.core.questions.asking import LONGEST_SQL, ROWS_KEPT, ROWS_SHOWN, SECONDS
from crawler.core.questions.schema import VIEWS
from crawler.models import Crawl
from crawler.selectors.questions import (
    answer_shown,
    copy_of,
    examples_for,
    is_being_made,
    question_get,
    questions_of,
)
from crawler.services.questions import (
    copy_renew,
    question_ask,
    question_csv,
    question_remove,
    question_save,
)
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The question and, once it is sent, its answer. Sent: only so can a link not ask."""
    crawl = steered_crawl(request, crawl_id)
    examples = examples_for(crawl)
    chosen = next((e.sql for e in examples if e.key == request.POST.get("example")), None)
    saved = _number(request.POST.get("saved", ""))
    if saved is not None:
        chosen = question_get(crawl=crawl, question_id=saved).sql
    sql = chosen if chosen is not None else request.POST.get("sql", "")
    if request.method == "POST" and request.POST.get("do") == "csv":
        return _file(request, crawl, sql)
    context: dict[str, Any] = {"sql": sql, "examples": examples}
    status = 200
    if request.method == "POST":
        try:
            context["answer"] = answer_shown(question_ask(crawl=crawl, sql=sql))
        except FocusAdminError as error:
            context["error"] = str(error)
            status = 422
    return _page(request, crawl, context, status)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _page(
    request: UserRequest, crawl: Crawl, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    shown = {
        "views": VIEWS,
        "copy": copy_of(crawl),
        "is_being_made": is_being_made(crawl),
        "saved_questions": questions_of(crawl),
        "seconds": int(SECONDS),
        "rows_shown": ROWS_SHOWN,
        "rows_kept": ROWS_KEPT,
        "longest": LONGEST_SQL,
        **context,
    }
    answer = crawl_page(request, crawl, "questions", "crawler/questions.html", shown)
    answer.status_code = status
    return answer


def _file(request: UserRequest, crawl: Crawl, sql: str) -> HttpResponse:
    try:
        content, has_more = question_csv(crawl=crawl, sql=sql)
    except FocusAdminError as error:
        return _page(
            request, crawl, {"sql": sql, "error": str(error), "examples": examples_for(crawl)}, 422
        )
    name = f"{crawl.slug}-answer{'-first-rows' if has_more else ''}.csv"
    return HttpResponse(
        content,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_POST
def save(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = steered_crawl(request, crawl_id)
    sql = request.POST.get("sql", "")
    try:
        made = question_save(
            crawl=crawl,
            name=request.POST.get("name", ""),
            sql=sql,
            is_shared=request.POST.get("shared") == "1",
            by=request.user,
        )
    except FocusAdminError as error:
        context = {"sql": sql, "error": str(error), "examples": examples_for(crawl)}
        return _page(request, crawl, context, 422)
    messages.success(request, f"Saved: {made.name}")
    return redirect("crawler:questions", crawl_id)


@require_POST
def remove(request: UserRequest, crawl_id: int, question_id: int) -> HttpResponse:
    crawl = steered_crawl(request, crawl_id)
    question = question_get(crawl=crawl, question_id=question_id)
    question_remove(question=question)
    messages.success(request, f"Removed: {question.name}")
    return redirect("crawler:questions", crawl_id)


@require_POST
def renew(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Questions ask the crawl as it is now."""
    crawl = steered_crawl(request, crawl_id)
    if copy_renew(crawl):
        messages.success(request, "Questions ask the crawl as it is now.")
    else:
        messages.info(request, "A worker copies the crawl; that takes a minute or two.")
    return redirect("crawler:questions", crawl_id)
