"""The sites of a crawl: how dense they are, whether they are in or out, and how we treat them."""

from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from crawler.core.config import CrawlConfig
from crawler.core.sites import EVIDENCE_PAGES
from crawler.forms.sites import CapForm, SitesForm
from crawler.models import Crawl, CrawlSite, SiteDecision
from crawler.selectors.crawls import crawl_get
from crawler.selectors.site_details import site_details
from crawler.selectors.sites import (
    DENSITY,
    PREDICTED,
    count_of,
    decisions_of,
    shown_sites,
    site_get,
    site_place_in,
    sites_effect,
    sites_found,
)
from crawler.services.sites import (
    DEEPER_RAISES,
    IN_RAISES,
    SiteError,
    site_allow,
    site_cap,
    site_decide,
    site_deepen,
    site_deepen_undo,
    site_exclude,
    site_undo,
)
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError

ACTIONS = ("cap", "uncap", "exclude", "allow", "deeper")
LONGEST_SITE = 300


@require_safe
def index(request: UserRequest, crawl_id: int) -> HttpResponse:
    """A screenful of sites; everything that decides over it stands in the address."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    form = SitesForm(request.GET)
    after = site_place_in(request.GET.get("after", ""))
    found = sites_found(crawl, form.wanted, request.user, after)
    context = {
        **_frame(request, crawl),
        "form": form,
        "found": found,
        "chips": form.chips,
        "count": count_of(crawl),
        "is_begun": after is not None,
        "first_query": form.query(),
        "next_query": form.query(after=str(found.next)) if found.next else "",
        "views": _views(form),
        "history": decisions_of(crawl),
    }
    return crawl_page(request, crawl, "sites", "crawler/sites.html", context)


def _views(form: SitesForm) -> list[dict[str, object]]:
    """The two lists that people come for."""
    triage = {"state": CrawlSite.State.NEW.value, "sort": PREDICTED}
    now = (form.value("state"), form.wanted.sort)
    return [
        {
            "label": "By density",
            "query": SitesForm({}).query(),
            "is_current": now == (None, DENSITY),
        },
        {
            "label": "To decide",
            "query": SitesForm({}).query(**triage),
            "is_current": now == (triage["state"], PREDICTED),
        },
    ]


def _frame(request: UserRequest, crawl: Crawl) -> dict[str, object]:
    return {
        "may_triage": has_role(user=request.user, team=crawl.team, wanted=Role.CURATOR),
        "effect": sites_effect(crawl),
        "in_raises": IN_RAISES,
        "deeper_raises": DEEPER_RAISES,
        "evidence_pages": round(EVIDENCE_PAGES),
        "common_cap": CrawlConfig.from_json(crawl.config).caps.max_pages_per_site,
    }


@require_safe
def site(request: UserRequest, crawl_id: int, name: str) -> HttpResponse:
    """One site: its hosts' ledger, its best pages, the sites it links to and that link to it."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    row = site_get(crawl, name)
    if row is None:
        raise Http404("no such site in this crawl")
    (shown,) = shown_sites(crawl, [row], request.user)
    context = {
        **_frame(request, crawl),
        "shown": shown,
        "details": site_details(crawl, row.site),
        "history": decisions_of(crawl, row.site),
    }
    return crawl_page(request, crawl, "sites", "crawler/site.html", context)


@require_POST
def decide(request: UserRequest, crawl_id: int) -> HttpResponse:
    """In, out or undecided."""
    crawl = steered_crawl(request, crawl_id, Role.CURATOR)
    name, value = _name(request), request.POST.get("value", "")
    try:
        said = site_decide(crawl=crawl, site=name, value=value, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        text = f"{said.get_value_display()}: {said.site}. {_sentence(said.effect)}"
        _told(request, crawl, text, f"decision:{said.pk}")
    return redirect(_back(request, crawl, name))


@require_POST
def act(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Cap a site, exclude it, allow it again, or crawl it deeper."""
    crawl = steered_crawl(request, crawl_id)
    name, action = _name(request), request.POST.get("action", "")
    cap = CrawlConfig.from_json(crawl.config).site_caps.get(name, 0)
    try:
        text = _done(request, crawl, name, action)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        undoing = {"exclude": "allow", "allow": "exclude", "deeper": f"deeper:{cap}"}
        _told(request, crawl, text, f"{undoing.get(action, f'cap:{cap}')}:{name}")
    return redirect(_back(request, crawl, name))


def _done(request: UserRequest, crawl: Crawl, name: str, action: str) -> str:
    by = request.user
    if action == "exclude":
        return site_exclude(crawl=crawl, site=name, by=by)
    if action == "allow":
        return site_allow(crawl=crawl, site=name, by=by)
    if action == "deeper":
        return site_deepen(crawl=crawl, site=name, by=by)
    if action == "uncap":
        return site_cap(crawl=crawl, site=name, most=None, by=by)
    if action != "cap":
        raise SiteError("There is no such action.")
    form = CapForm(request.POST)
    if not form.is_valid():
        raise SiteError(form.errors["pages"][0])
    return site_cap(crawl=crawl, site=name, most=form.cleaned_data["pages"], by=by)


@require_POST
def undo(request: UserRequest, crawl_id: int) -> HttpResponse:
    """What a toast or a line of the history takes back: a decision, or what was done to a site."""
    kind, _, rest = request.POST.get("token", "").partition(":")
    is_decision = kind == "decision"
    crawl = steered_crawl(request, crawl_id, Role.CURATOR if is_decision else Role.OPERATOR)
    name = rest
    try:
        if is_decision:
            said = get_object_or_404(SiteDecision, crawl=crawl, pk=_number(rest))
            name = said.site
            text = f"{name}: {site_undo(decision=said, by=request.user)}."
        else:
            cap, _, name = rest.partition(":") if kind in ("cap", "deeper") else ("", "", rest)
            text = _undone(request, crawl, kind, name, _number(cap))
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Undone. {text}")
    return redirect(_back(request, crawl, name))


def _undone(request: UserRequest, crawl: Crawl, kind: str, name: str, cap: int) -> str:
    by = request.user
    if kind == "allow":
        return site_allow(crawl=crawl, site=name, by=by)
    if kind == "exclude":
        return site_exclude(crawl=crawl, site=name, by=by)
    if kind == "deeper":
        return site_deepen_undo(crawl=crawl, site=name, cap=cap or None, by=by)
    if kind == "cap":
        return site_cap(crawl=crawl, site=name, most=cap or None, by=by)
    raise SiteError("This can't be undone.")


@require_safe
def effect(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The fragment that tells how far the crawl has followed."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    part = {"crawl": crawl, "effect": sites_effect(crawl)}
    return render(request, "crawler/_sites_effect.html", part)


def _name(request: UserRequest) -> str:
    return request.POST.get("site", "")[:LONGEST_SITE].strip().lower()


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _told(request: UserRequest, crawl: Crawl, text: str, token: str) -> None:
    undo_url = reverse("crawler:sites-undo", args=[crawl.pk])
    messages.success(request, text, extra_tags=undo_tag(undo_url, token))


def _back(request: UserRequest, crawl: Crawl, name: str) -> str:
    """To the site's own page, or to its row in the list as it was, wherever it was asked from."""
    row, came = site_get(crawl, name), urlsplit(request.headers.get("Referer", ""))
    listed = reverse("crawler:sites", args=[crawl.pk])
    if row is not None:
        own = reverse("crawler:site", args=[crawl.pk, row.site])
        if came.path == own:
            return own
    given = QueryDict(came.query[:1_000] if came.path == listed else "")
    place = site_place_in(given.get("after", ""))
    query = SitesForm(given).query(after=place)
    anchor = f"#site-{row.pk}" if row else ""
    return listed + (f"?{query}" if query else "") + anchor
