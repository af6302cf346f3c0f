"""What a change of settings would do, told before it is done."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.core.config import CrawlConfig
from crawler.core.frontier import registry
from crawler.core.revisits import Revisit
from crawler.models import Crawl, FrontierUrl

URLS_COUNTED = 200_000


@dataclass(frozen=True)
class ChangedSetting:
    label: str
    before: str
    after: str


@dataclass(frozen=True)
class Preview:
    """The settings that differ, and what follows from that."""

    changes: list[ChangedSetting]
    effects: list[str]

    def __bool__(self) -> bool:
        return bool(self.changes)


def change_preview(
    crawl: Crawl, config: CrawlConfig, good: Sequence[str], pass_through: Sequence[str]
) -> Preview:
    """`good` and `pass_through` are paths of topics."""
    now = CrawlConfig.from_json(crawl.config)
    told = {
        "Strategy": (_strategy(now), _strategy(config)),
        "Good topics": (_listed(_paths(crawl.good)), _listed(good)),
        "Pass-through topics": (_listed(_paths(crawl.pass_through)), _listed(pass_through)),
        "Stay away from": (_listed(now.exclusions), _listed(config.exclusions)),
        "Budget": (_budget(now), _budget(config)),
        "Fetches at a time": (str(now.concurrency), str(config.concurrency)),
        "Pages kept as fetched": (_yes(now.keep_bodies), _yes(config.keep_bodies)),
        "Known pages visited again": (_revisit(now.revisit), _revisit(config.revisit)),
        "Seconds between requests": (f"{now.delay_seconds:g}", f"{config.delay_seconds:g}"),
    }
    changes = [
        ChangedSetting(label, before, after)
        for label, (before, after) in told.items()
        if before != after
    ]
    return Preview(changes, _effects(crawl, now, config, {change.label for change in changes}))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _revisit(rules: Revisit) -> str:
    hours = f"every {rules.least_hours:g} to {rules.most_hours:g} hours"
    on = f"{100 * rules.share:g} % of the pages, {hours}" if rules.on else f"no ({hours} when on)"
    return f"{on}, rounds of {rules.round_pages} pages"


def _strategy(config: CrawlConfig) -> str:
    return registry.entry(config.strategy).label


def _paths(lineages: Iterable[Sequence[str]]) -> list[str]:
    return ["/" + "/".join(lineage) for lineage in lineages]


def _listed(entries: Iterable[str]) -> str:
    return ", ".join(sorted(entries)) or "none"


def _budget(config: CrawlConfig) -> str:
    budget = config.budget
    bounds = [
        (budget.max_pages, 1, "pages"),
        (budget.max_seconds, 60, "minutes"),
        (budget.max_bytes, 1024 * 1024, "MB"),
    ]
    shown = [f"{bound / size:,g} {unit}" for bound, size, unit in bounds if bound is not None]
    return ", ".join(shown) or "no bound"


def _effects(crawl: Crawl, now: CrawlConfig, config: CrawlConfig, changed: set[str]) -> list[str]:
    effects = []
    if changed & {"Strategy", "Good topics", "Pass-through topics"}:
        effects.append(f"{crawl.frontier_size:,} waiting addresses are ranked anew.")
    if "Good topics" in changed:
        effects.append(
            f"{crawl.fetched:,} stored pages are judged anew: relevances and averages move."
        )
    if fresh := [entry for entry in config.exclusions if entry not in now.exclusions]:
        effects.append(_excluded(crawl, config, fresh))
    if why := config.budget.why_spent(crawl.fetched, crawl.seconds_run, crawl.bytes_fetched):
        ends = "The crawl ends within" if crawl.is_active else "Once resumed, the crawl ends within"
        effects.append(f"{ends} a second or two ({why}).")
    if changed and crawl.is_active:
        effects.append("The engine takes the new settings up within a few seconds.")
    elif changed:
        effects.append("The new settings are in force when the crawl is resumed.")
    return effects


def _excluded(crawl: Crawl, config: CrawlConfig, fresh: Sequence[str]) -> str:
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    urls = waiting.values_list("url", flat=True)[:URLS_COUNTED]
    count = sum(config.is_excluded(url) in fresh for url in urls.iterator(chunk_size=5_000))
    more = " at least" if crawl.frontier_size > URLS_COUNTED else ""
    return f"{count:,} waiting addresses{more} leave the queue."
