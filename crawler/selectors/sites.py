"""The sites of a crawl as a list, in order, a screenful at a time, and what people said of them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Q

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, CrawlEvent, CrawlSite, SiteCount, SiteDecision
from focusadmin.accounts.models import User

SITES_SHOWN = 50
HISTORY = 30
DENSITY, PREDICTED, PAGES, WAITING = "density", "predicted", "pages", "waiting"
_COLUMNS = {
    DENSITY: "density_low",
    PREDICTED: "predicted",
    PAGES: "pages",
    WAITING: "waiting",
}


@dataclass(frozen=True)
class SiteFilter:
    """Which sites are wanted, and in which order; all of it stands in the address."""

    words: str = ""
    state: str = ""
    only_refused: bool = False
    sort: str = DENSITY


@dataclass(frozen=True)
class SitePlace:
    """The key of a site in the order of the list."""

    value: float
    id: int

    def __str__(self) -> str:
        return f"{self.value!r}_{self.id}"


def site_place_in(text: str) -> SitePlace | None:
    """The place that an address names; None for the beginning, and for what is no place."""
    value, _, id_ = text.rpartition("_")
    if not (id_.isascii() and id_.isdigit() and len(id_) < 16 and len(value) < 40):
        return None
    try:
        return SitePlace(float(value), int(id_))
    except ValueError:
        return None


@dataclass
class SiteOpinion:
    """What people say of a site, one vote each."""

    said: list[SiteDecision] = field(default_factory=list)
    mine: SiteDecision | None = None

    @property
    def words(self) -> str:
        """The names while everybody agrees, else how many of how many."""
        if not self.said:
            return ""
        values = [decision.get_value_display().lower() for decision in self.said]
        if len(values) == 1:
            return f"{values[0]}, says {self.said[0].by or 'somebody'}"
        if len(set(values)) == 1:
            return f"all {len(values)} say {values[0]}"
        best = max(dict.fromkeys(values), key=values.count)
        return f"{values.count(best)} of {len(values)} say {best}"


@dataclass(frozen=True)
class ShownSite:
    site: CrawlSite
    opinion: SiteOpinion
    cap: int | None  # of its own
    is_excluded: bool

    @property
    def percents(self) -> dict[str, int]:
        """Of the bar: where the interval begins, how wide it is, and the density itself."""
        low, high = round(100 * self.site.density_low), round(100 * self.site.density_high)
        return {"low": low, "width": max(1, high - low), "at": round(100 * self.site.density)}


@dataclass(frozen=True)
class FoundSites:
    sites: list[ShownSite]
    next: SitePlace | None


def sites_found(
    crawl: Crawl, wanted: SiteFilter, user: User, after: SitePlace | None = None
) -> FoundSites:
    """The next screenful behind a place."""
    column = _COLUMNS[wanted.sort]
    sites = CrawlSite.objects.filter(_conditions(wanted), crawl=crawl)
    if after is not None:
        # The first condition alone says nothing new: it is the one that an index can follow.
        behind = Q(**{f"{column}__lt": after.value}) | Q(id__gt=after.id)
        sites = sites.filter(behind, **{f"{column}__lte": after.value})
    rows = list(sites.order_by(f"-{column}", "id")[: SITES_SHOWN + 1])
    shown = shown_sites(crawl, rows[:SITES_SHOWN], user)
    if len(rows) <= SITES_SHOWN:
        return FoundSites(shown, None)
    last = rows[SITES_SHOWN - 1]
    return FoundSites(shown, SitePlace(float(getattr(last, column)), last.pk))


def _conditions(wanted: SiteFilter) -> Q:
    found = Q()
    if wanted.words:
        found &= Q(site__contains=wanted.words.lower())
    if wanted.state:
        found &= Q(state=wanted.state)
    if wanted.only_refused:
        found &= Q(refused__gt=0)
    return found


def shown_sites(crawl: Crawl, sites: Iterable[CrawlSite], user: User) -> list[ShownSite]:
    rows = list(sites)
    config = CrawlConfig.from_json(crawl.config)
    opinions = site_opinions(crawl, [row.site for row in rows], user)
    return [
        ShownSite(
            site=row,
            opinion=opinions.get(row.site, SiteOpinion()),
            cap=config.site_caps.get(row.site),
            is_excluded=bool(config.is_excluded(f"http://{row.site}/")),
        )
        for row in rows
    ]


def site_opinions(crawl: Crawl, sites: list[str], user: User) -> dict[str, SiteOpinion]:
    opinions: dict[str, SiteOpinion] = defaultdict(SiteOpinion)
    said = SiteDecision.objects.filter(crawl=crawl, site__in=sites, undone_at=None)
    for decision in said.select_related("by").order_by("id"):
        opinion = opinions[decision.site]
        opinion.said.append(decision)
        if decision.by_id == user.pk:
            opinion.mine = decision
    return dict(opinions)


def site_get(crawl: Crawl, site: str) -> CrawlSite | None:
    return CrawlSite.objects.filter(crawl=crawl, site=site.lower()).first()


def count_of(crawl: Crawl) -> SiteCount | None:
    return SiteCount.objects.filter(crawl=crawl).first()


def decisions_of(crawl: Crawl, site: str | None = None) -> list[SiteDecision]:
    """The latest, those that were undone among them."""
    said = SiteDecision.objects.filter(crawl=crawl).select_related("by", "undone_by", "kept_from")
    if site is not None:
        said = said.filter(site=site)
    return list(said[:HISTORY])


@dataclass(frozen=True)
class SitesEffect:
    """How far the crawl has followed the latest change."""

    is_ranking: bool  # the engine is about to rank its frontier anew
    is_resting: bool  # the crawl does not work, so its frontier waits for that
    outcome: str  # what the last ranking did

    @property
    def is_on_its_way(self) -> bool:
        return self.is_ranking and not self.is_resting


def sites_effect(crawl: Crawl) -> SitesEffect:
    ranked = CrawlEvent.objects.filter(crawl=crawl, kind="ranked").last()
    return SitesEffect(
        is_ranking=crawl.seq > 0 and crawl.ranked_revision != crawl.settings_revision,
        is_resting=not crawl.is_active,
        outcome=ranked.text if ranked else "",
    )
