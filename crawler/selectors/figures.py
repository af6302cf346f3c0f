"""The figures beside the chart: what a crawl tells about itself, and what follows from it."""

from collections import Counter
from itertools import pairwise
from typing import Any

from django.utils import timezone

from crawler.core.config import CrawlConfig
from crawler.core.outcome_kinds import LABELS, Kind, kind_of
from crawler.models import Crawl, CrawlEvent
from crawler.selectors.crawls import harvest_average
from crawler.selectors.system import system_status

_UNITS = (("max_pages", "pages"), ("max_seconds", "seconds"), ("max_bytes", "bytes"))


def live_state(crawl: Crawl) -> dict[str, Any]:
    """Everything beside the chart that moves; the same for all who may see the crawl."""
    status = crawl.status
    return {
        "state": crawl.state,
        "label": crawl.get_state_display(),
        "reason": crawl.reason,
        "is_active": crawl.is_active,
        "is_held": crawl.lease_until is not None and crawl.lease_until > timezone.now(),
        "revision": crawl.settings_revision,
        "seq": crawl.seq,
        "fetched": crawl.fetched,
        "failed": crawl.failed,
        "relevant": crawl.relevant,
        "frontier": crawl.frontier_size,
        "mean_relevance": round(crawl.mean_relevance, 4),
        "harvest_average": round(harvest_average(crawl), 4),
        "pages_per_minute": status.get("pages_per_minute", 0.0) if crawl.is_active else 0.0,
        "baseline_per_minute": _baseline(crawl),
        "in_flight": status.get("in_flight", 0) if crawl.is_active else 0,
        "retries": status.get("retries", 0),
        "hosts": status.get("hosts", 0),
        "hosts_resting": status.get("hosts_resting", 0) if crawl.is_active else 0,
        "bands": _bands(crawl),
        "outcomes": _outcomes(status),
        "budget": _budget(crawl),
        "workers": system_status().workers_alive,
    }


def _baseline(crawl: Crawl) -> float:
    """Pages a minute over all the time that the crawl has run."""
    return round(60.0 * crawl.fetched / crawl.seconds_run, 1) if crawl.seconds_run >= 1 else 0.0


def _bands(crawl: Crawl) -> list[dict[str, Any]]:
    """Waiting URLs by priority, the most urgent first; some strategies leave the range 0 to 1."""
    bands = crawl.status.get("bands", {"edges": [], "counts": []})
    edges, counts = bands["edges"], bands["counts"]
    labels = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    rows = list(zip(labels, counts, strict=True))[::-1]
    if (outside := bands.get("waiting", 0) - sum(counts)) > 0:
        rows.append(("below 0 or above 1", outside))
    most = max((count for _, count in rows), default=0) or 1
    return [{"label": label, "urls": count, "share": count / most} for label, count in rows]


def _outcomes(status: dict[str, Any]) -> list[dict[str, Any]]:
    counts: Counter[Kind] = Counter()
    for outcome, count in status.get("outcomes", {}).items():
        counts[kind_of(outcome)] += count
    total = sum(counts.values())
    return [
        {"kind": kind.value, "label": LABELS[kind], "pages": counts[kind],
         "share": counts[kind] / total if total else 0.0}
        for kind in Kind
    ]  # fmt: skip


def _budget(crawl: Crawl) -> dict[str, Any]:
    """How much of the bound that is nearest is used up; no share without a bound."""
    budget = CrawlConfig.from_json(crawl.config).budget
    pages = crawl.fetched + crawl.revisited
    used = {"pages": pages, "seconds": crawl.seconds_run, "bytes": crawl.bytes_fetched}
    bounds = {unit: getattr(budget, name) for name, unit in _UNITS}
    bounded = {unit: bound for unit, bound in bounds.items() if bound is not None}
    if not bounded:
        return {
            "share": None,
            "percent": None,
            "unit": "pages",
            "used": pages,
            "bound": None,
        }
    unit = max(bounded, key=lambda name: used[name] / bounded[name])
    share = budget.share_used(pages, crawl.seconds_run, crawl.bytes_fetched)
    return {
        "share": round(share, 4),
        "percent": round(100 * share),
        "unit": unit,
        "used": round(used[unit]),
        "bound": bounded[unit],
    }


def event_values(event: CrawlEvent) -> dict[str, Any]:
    """A flag of the chart as scripts get it."""
    return {
        "id": event.pk,
        "seq": event.seq,
        "kind": event.kind,
        "text": event.text,
        "at": event.at.isoformat(),
        "by": event.by.get_username() if event.by else "",
    }
