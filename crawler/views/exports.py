"""Files to take home: small ones at once, large ones written by a worker."""

import tempfile
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.core.exports.formats import FORMATS, Format, Of
from crawler.forms.pages import PagesForm
from crawler.models import Crawl, Export
from crawler.selectors.crawls import crawl_get
from crawler.selectors.exports import export_get, export_path, exports_of, format_of
from crawler.services.bundles import why_no_bundle
from crawler.services.exports import export_ask, export_cancel, export_write, wanted_by
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError

AT_ONCE = 5_000  # pages of a crawl whose exports need no worker


@require_http_methods(["GET", "HEAD", "POST"])
def index(request: UserRequest, crawl_id: int) -> HttpResponse:
    """What there is and what is being written; sent, another one is asked for."""
    if request.method == "POST":
        return _asked(request, steered_crawl(request, crawl_id, Role.VIEWER))
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    form = PagesForm(request.GET, crawl=crawl)
    context = {
        "chips": form.chips,
        "query": form.query(),
        "formats": [each for each in FORMATS.values() if each.of is not Of.BUNDLE],
        "chosen": request.GET.get("format") if request.GET.get("format") in FORMATS else "csv",
        "why_no_bundle": why_no_bundle(crawl),
        "is_small": crawl.seq <= AT_ONCE,
        **_written(request, crawl),
    }
    return crawl_page(request, crawl, "pages", "crawler/exports.html", context)


@require_safe
def written(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The fragment with the files, asked for again while one is being written."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    context = {"crawl": crawl, **_written(request, crawl)}
    return render(request, "crawler/_exports.html", context)


def _written(request: UserRequest, crawl: Crawl) -> dict[str, Any]:
    found = exports_of(crawl)
    is_operator = has_role(user=request.user, team=crawl.team, wanted=Role.OPERATOR)
    return {
        "exports": [
            {
                "export": export,
                "format": format_of(export),
                "chips": PagesForm.of_query(export.query, crawl=crawl).chips,
                "may_cancel": is_operator or export.by_id == request.user.pk,
            }
            for export in found
        ],
        "is_going": any(export.is_going for export in found),
    }


def _asked(request: UserRequest, crawl: Crawl) -> HttpResponse:
    query = request.POST.get("query", "")
    try:
        export_ask(
            crawl=crawl, kind=_format(request.POST.get("format", "")), query=query, by=request.user
        )
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('crawler:exports', args=[crawl.pk])}?{query}")


def _format(key: str) -> Format:
    if key not in FORMATS:
        raise Http404("no such format")
    return FORMATS[key]


@require_safe
def at_once(request: UserRequest, crawl_id: int) -> HttpResponseBase:
    """The file of a small crawl. It is written first: what is sent is whole."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    kind = _format(request.GET.get("format", ""))
    query = request.GET.get("query", "")
    address = f"{reverse('crawler:exports', args=[crawl.pk])}?{query}"
    if crawl.seq > AT_ONCE:
        messages.info(request, "This crawl is large: let a worker write the file.")
        return redirect(address)
    if kind.of is Of.BUNDLE:
        messages.info(request, "A bundle is written by a worker: ask for it here.")
        return redirect(address)
    if kind.of is Of.BEST and not crawl.distillations.exists():
        messages.error(request, "Hubs and authorities are not known yet: distil the crawl first.")
        return redirect(address)
    out = tempfile.SpooledTemporaryFile(max_size=1_000_000)  # noqa: SIM115 - the answer closes it
    try:
        export_write(crawl, kind, wanted_by(crawl, query), out)
    except FocusAdminError as error:
        out.close()
        messages.error(request, str(error))
        return redirect(address)
    out.seek(0)
    return _file(out, crawl, kind)


@require_safe
def download(request: UserRequest, crawl_id: int, export_id: int) -> HttpResponseBase:
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    export = export_get(crawl=crawl, export_id=export_id)
    try:
        if export.state != Export.State.DONE:
            raise Http404("not written")
        return _file(export_path(export).open("rb"), crawl, format_of(export))
    except FileNotFoundError:
        raise Http404("the file is gone") from None


def _file(content: Any, crawl: Crawl, kind: Format) -> HttpResponseBase:
    """To be kept, never shown: some formats are pages made of strangers' words."""
    name = f"{crawl.slug}.{kind.extension}"
    return FileResponse(content, as_attachment=True, filename=name, content_type=kind.content_type)


@require_POST
def cancel(request: UserRequest, crawl_id: int, export_id: int) -> HttpResponse:
    """By whoever asked for it, and by operators."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    export = export_get(crawl=crawl, export_id=export_id)
    if export.by_id != request.user.pk:
        require_role(user=request.user, team=crawl.team, wanted=Role.OPERATOR)
    if export_cancel(export=export):
        messages.success(request, "The export is cancelled.")
    else:
        messages.info(request, "It was over already.")
    return redirect("crawler:exports", crawl_id)
