"""What people decided about sites stays with the focus: its next crawl begins with it."""

from collections import defaultdict

from crawler.core.config import CrawlConfig
from crawler.core.sites import in_force, stay_away_entries
from crawler.models import Crawl, CrawlSite, SiteDecision

_State = CrawlSite.State


def sites_carry(*, crawl: Crawl) -> int:
    """Take over the decisions of the latest crawl of the focus that has any.

    Sites that are out stay on the stay-away list from the first page on; those that are in have no
    URLs to raise yet, and are shown as in. Returns how many are in or out.
    """
    said = SiteDecision.objects.filter(crawl__focus=crawl.focus, undone_at=None)
    latest = said.exclude(crawl=crawl).order_by("-crawl_id").first()
    if latest is None:
        return 0
    by_site: dict[str, list[SiteDecision]] = defaultdict(list)
    for decision in said.filter(crawl=latest.crawl_id).order_by("id"):
        by_site[decision.site].append(decision)
    SiteDecision.objects.bulk_create(
        SiteDecision(
            crawl=crawl, site=one.site, value=one.value, by_id=one.by_id, at=one.at,
            kept_from_id=one.kept_from_id or one.crawl_id,
        )
        for decisions in by_site.values()
        for one in decisions
    )  # fmt: skip
    sites = [_site(crawl, name, decisions) for name, decisions in by_site.items()]
    CrawlSite.objects.bulk_create(sites)
    _stay_away(crawl, [entry for site in sites for entry in site.entries])
    return sum(site.state in (_State.IN, _State.OUT) for site in sites)


def _site(crawl: Crawl, name: str, decisions: list[SiteDecision]) -> CrawlSite:
    state = in_force(decision.value for decision in decisions)
    excluded = CrawlConfig.from_json(crawl.config).exclusions
    entries = stay_away_entries(name) if state == _State.OUT else []
    fresh = [entry for entry in entries if entry not in excluded]
    return CrawlSite(crawl=crawl, site=name, state=state, entries=fresh)


def _stay_away(crawl: Crawl, entries: list[str]) -> None:
    if not entries:
        return
    config = CrawlConfig.from_json(crawl.config).to_json()
    crawl.config = config | {"exclusions": [*config["exclusions"], *entries]}
    crawl.save(update_fields=["config"])
