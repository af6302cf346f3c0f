"""In, out or undecided: what people say of sites, and what it does to the crawl at once.

Out puts the site on the stay-away list, by the same change of settings as on the crawl's own page,
so a running engine drops its URLs within a second or two. In raises its best waiting URLs by
nudges; undone, or outvoted, both are taken back; URLs that had left come back.
"""

from dataclasses import replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from crawler.core.config import CrawlConfig
from crawler.core.nudges import NudgeKind
from crawler.core.sites import in_force, stay_away_entries
from crawler.models import Crawl, CrawlHost, CrawlSite, FrontierNudge, SiteDecision
from crawler.selectors.site_urls import waiting_count, waiting_numbers
from crawler.services.crawls import crawl_change, crawl_rank_anew
from crawler.services.nudges import nudges_make, nudges_withdraw
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError

IN_RAISES = 50  # of a site's waiting URLs, by priority
DEEPER_RAISES = 500
IN_REASON = "its site is in"
DEEPER_REASON = "crawl this site deeper"
_State = CrawlSite.State


class SiteError(FocusAdminError):
    """Something that can't be said of, or done with, a site; the text says why."""


@transaction.atomic
def site_decide(*, crawl: Crawl, site: str, value: str, by: User) -> SiteDecision:
    """What this person says of the site now; it replaces what he or she said before."""
    if value not in SiteDecision.Value.values:
        raise SiteError("Say in, out or undecided.")
    site = _known(crawl, site)
    locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
    own = SiteDecision.objects.filter(crawl=locked, site=site, by=by, undone_at=None)
    before = own.first()
    if before is not None and before.value == value:
        raise SiteError(f"You said {before.get_value_display().lower()} of {site} already.")
    own.update(undone_at=timezone.now(), undone_by=by)
    try:
        with transaction.atomic():
            said = SiteDecision.objects.create(
                crawl=locked, site=site, value=value, by=by, at=timezone.now()
            )
    except IntegrityError:
        raise SiteError("You have just said something about this site. Reload the page.") from None
    said.effect = _followed(locked, site, by)[:300]
    said.save(update_fields=["effect"])
    return said


@transaction.atomic
def site_undo(*, decision: SiteDecision, by: User) -> str:
    """As if it had never been said; returns what that does."""
    locked = Crawl.objects.select_for_update().get(pk=decision.crawl_id)
    open_ = SiteDecision.objects.filter(pk=decision.pk, undone_at=None)
    if not open_.update(undone_at=timezone.now(), undone_by=by):
        raise SiteError("This was undone already.")
    return _followed(locked, decision.site, by)


def _known(crawl: Crawl, site: str) -> str:
    site = site.strip().lower()
    is_known = CrawlSite.objects.filter(crawl=crawl, site=site).exists()
    if not is_known and not CrawlHost.objects.filter(crawl=crawl, site=site).exists():
        raise SiteError("This crawl has not met such a site.")
    return site


def _followed(crawl: Crawl, site: str, by: User) -> str:
    """Let the crawl follow the majority; what that does, in words."""
    row, _ = CrawlSite.objects.select_for_update().get_or_create(crawl=crawl, site=site)
    said = SiteDecision.objects.filter(crawl=crawl, site=site, undone_at=None)
    state = in_force(said.values_list("value", flat=True))
    if state == row.state:
        return "the majority says the same as before, so nothing moves"
    parts = [_left(crawl, row, by), _entered(crawl, row, state, by)]
    row.state = state
    row.save(update_fields=["state", "entries"])
    return "; ".join(part for part in parts if part) or "nothing moves"


def _left(crawl: Crawl, row: CrawlSite, by: User) -> str:
    if row.state == _State.OUT:
        gone, row.entries = row.entries, []
        _exclude_less(crawl, gone, by, f"{row.site} is not out any more")
        return "what had left for it comes back"
    if row.state == _State.IN:
        return _take_back(crawl, row.site, IN_REASON, by)
    return ""


def _entered(crawl: Crawl, row: CrawlSite, state: str, by: User) -> str:
    if state == _State.OUT:
        waiting = waiting_count(crawl, row.site)
        row.entries = _exclude(crawl, row.site, by, f"{row.site} is out")
        return f"{_urls(waiting)} removed, and nothing more is fetched from it"
    if state == _State.IN:
        return _raised(crawl, row.site, IN_RAISES, IN_REASON, by)
    return ""


def _urls(count: int) -> str:
    return f"{count:,} frontier URL{'' if count == 1 else 's'}"


def _raised(crawl: Crawl, site: str, most: int, reason: str, by: User) -> str:
    made = nudges_make(
        crawl=crawl,
        numbers=waiting_numbers(crawl, site, most),
        kind=NudgeKind.DEEPER,
        reason=reason,
        by=by,
        site=site,
    )
    return f"{_urls(made)} moved to the front" if made else "it has no URLs that wait"


def _take_back(crawl: Crawl, site: str, reason: str, by: User) -> str:
    mine = FrontierNudge.objects.filter(crawl=crawl, site=site, reason=reason, withdrawn_at=None)
    was_applied = mine.exclude(applied_at=None).exists()
    gone = nudges_withdraw(crawl=crawl, site=site, reason=reason)
    if was_applied:
        crawl_rank_anew(crawl=crawl, by=by, why=f"wishes for {site} taken back")
    return f"{_urls(gone)} moved back to where they were" if gone else ""


def _exclude(crawl: Crawl, site: str, by: User, why: str) -> list[str]:
    """Returns the entries that were not on the list before."""
    config = _config(crawl)
    fresh = [entry for entry in stay_away_entries(site) if entry not in config.exclusions]
    changed = replace(config, exclusions=(*config.exclusions, *fresh))
    crawl_change(crawl=crawl, by=by, config=changed, why=why)
    return fresh


def _exclude_less(crawl: Crawl, entries: list[str], by: User, why: str) -> None:
    config = _config(crawl)
    kept = tuple(entry for entry in config.exclusions if entry not in entries)
    crawl_change(crawl=crawl, by=by, config=replace(config, exclusions=kept), why=why)


def _config(crawl: Crawl) -> CrawlConfig:
    return CrawlConfig.from_json(Crawl.objects.values_list("config", flat=True).get(pk=crawl.pk))


@transaction.atomic
def site_exclude(*, crawl: Crawl, site: str, by: User) -> str:
    """On the stay-away list, whatever people say of it."""
    site = _known(crawl, site)
    waiting = waiting_count(crawl, site)
    if not _exclude(crawl, site, by, f"{site} excluded"):
        raise SiteError(f"{site} is on the stay-away list already.")
    return f"{site} is excluded: {_urls(waiting)} removed."


@transaction.atomic
def site_allow(*, crawl: Crawl, site: str, by: User) -> str:
    """Off the stay-away list; not while people say that the site is out."""
    site = _known(crawl, site)
    if CrawlSite.objects.filter(crawl=crawl, site=site, state=_State.OUT).exists():
        raise SiteError(f"{site} is out. Decide in or undecided instead.")
    entries = [entry for entry in stay_away_entries(site) if entry in _config(crawl).exclusions]
    if not entries:
        raise SiteError(f"{site} is not on the stay-away list by its name. See the settings.")
    _exclude_less(crawl, entries, by, f"{site} allowed again")
    return f"{site} is allowed again: what had left for it comes back."


@transaction.atomic
def site_cap(*, crawl: Crawl, site: str, most: int | None, by: User) -> str:
    """The most pages of this site instead of the cap that holds for all; None: that one again."""
    site = _known(crawl, site)
    config = _config(crawl)
    caps = {name: cap for name, cap in config.site_caps.items() if name != site}
    if most is not None:
        caps[site] = most
    if caps == config.site_caps:
        raise SiteError(f"{site} has this cap already.")
    why = f"{site}: at most {most:,} pages" if most else f"{site}: no cap of its own"
    crawl_change(crawl=crawl, by=by, config=replace(config, site_caps=caps), why=why)
    return _cap_words(crawl, site, most or config.caps.max_pages_per_site)


def _cap_words(crawl: Crawl, site: str, most: int) -> str:
    hosts = CrawlHost.objects.filter(crawl=crawl, site=site)
    pages, waiting = sum(hosts.values_list("pages", flat=True)), waiting_count(crawl, site)
    left = max(0, most - pages)
    if not left:
        return f"{site} has its {most:,} pages: {_urls(waiting)} removed."
    share = f"of {_urls(waiting)} at most {left:,} will be fetched" if waiting > left else ""
    return f"{site}: {pages:,} of at most {most:,} pages are fetched{share and '; '}{share}."


@transaction.atomic
def site_deepen(*, crawl: Crawl, site: str, by: User) -> str:
    """Its own cap goes, and its waiting URLs come before what the strategy asks for."""
    site = _known(crawl, site)
    config = _config(crawl)
    if config.is_excluded(f"http://{site}/"):
        raise SiteError(f"{site} is on the stay-away list. Allow it again first.")
    words = _raised(crawl, site, DEEPER_RAISES, DEEPER_REASON, by)
    if site in config.site_caps:
        words += f", and {site_cap(crawl=crawl, site=site, most=None, by=by)}"
    return f"{site} is crawled deeper: {words.removesuffix('.')}."


@transaction.atomic
def site_deepen_undo(*, crawl: Crawl, site: str, cap: int | None, by: User) -> str:
    words = _take_back(crawl, site, DEEPER_REASON, by)
    if cap is not None and _config(crawl).site_caps.get(site) != cap:
        site_cap(crawl=crawl, site=site, most=cap, by=by)
    return f"{site}: {words or 'nothing had moved'}."
