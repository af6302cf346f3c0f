"""What somebody, or the distiller, wants a crawl to visit first."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from crawler.core.config import CrawlConfig
from crawler.core.nudges import HUBS, PEOPLE_FIRST, SITES, NudgeKind
from crawler.models import Crawl, CrawlEvent, Distillation, FrontierNudge, FrontierUrl
from crawler.selectors.hubs import due_hubs, unvisited_from_hubs
from focusadmin.accounts.models import User

NUMBERS_AT_ONCE = 500
CITATIONS_AT_MOST = 200  # of one distillation
BUDGET_SHARE = 4  # they may take one part in so many of what the budget has left


def nudges_make(
    *,
    crawl: Crawl,
    numbers: Sequence[int],
    kind: str,
    reason: str,
    by: User | None = None,
    distillation: Distillation | None = None,
    site: str = "",
) -> int:
    """Leave wishes for the engine, which takes them within a second, or when the crawl goes on.

    Only URLs of the crawl for which there is something to do, each once; returns how many.
    """
    wanted = _wanted(crawl, sorted(set(numbers)), NudgeKind(kind))
    made = FrontierNudge.objects.bulk_create(
        FrontierNudge(
            crawl=crawl,
            number=number,
            kind=kind,
            priority=_priority(NudgeKind(kind), by),
            reason=reason[:300],
            by=by,
            distillation=distillation,
            site=site,
        )
        for number in wanted
    )
    return len(made)


def nudges_withdraw(*, crawl: Crawl, site: str, reason: str) -> int:
    """What was wished for the sake of a site is not wished any more; returns how many wishes.

    Those that the engine has taken up lose their place when the frontier is ranked anew: the caller
    changes the crawl's settings for that.
    """
    made = FrontierNudge.objects.filter(crawl=crawl, site=site, reason=reason, withdrawn_at=None)
    return made.update(withdrawn_at=timezone.now())


def _wanted(crawl: Crawl, numbers: Sequence[int], kind: NudgeKind) -> list[int]:
    """URLs that wait, or that don't when they shall be visited again."""
    waiting = FrontierUrl.State.WAITING
    found: list[int] = []
    for start in range(0, len(numbers), NUMBERS_AT_ONCE):
        part = numbers[start : start + NUMBERS_AT_ONCE]
        urls = FrontierUrl.objects.filter(crawl=crawl, number__in=part)
        if kind is not NudgeKind.REVISIT:
            urls = urls.filter(state=waiting)
        pending = FrontierNudge.objects.filter(
            crawl=crawl, number__in=part, kind=kind, applied_at=None, withdrawn_at=None
        )
        known = set(pending.values_list("number", flat=True))
        rows = urls.order_by("number").values_list("number", flat=True)
        found += [number for number in rows if number not in known]
    return found


def _priority(kind: NudgeKind, by: User | None) -> float:
    if kind is NudgeKind.DEEPER:
        return SITES
    return HUBS if by is None else PEOPLE_FIRST


@transaction.atomic
def hubs_follow(*, distillation: Distillation) -> int:
    """Top hubs are due again, and what they cite comes first (1999 paper, section 3.2).

    A crawl that has ended, or visits known pages after its end, is left alone. Returns how many
    citations were raised.
    """
    crawl = distillation.crawl
    if crawl.state in (Crawl.State.FINISHED, Crawl.State.FAILED) or crawl.round_until is not None:
        return 0
    due = due_hubs(distillation)
    words = f"distillation {distillation.number}"
    again = nudges_make(
        crawl=crawl,
        numbers=[hub.place.number for hub in due],
        kind=NudgeKind.REVISIT,
        reason=f"a top hub that is due again, {words}",
        distillation=distillation,
    )
    raised = 0
    cited: dict[str, list[int]] = {}
    for link in unvisited_from_hubs(distillation, limit=_affordable(crawl)):
        if not link.is_first:
            cited.setdefault(link.hub.page.url, []).append(link.url.number)
    for url, numbers in cited.items():
        raised += nudges_make(
            crawl=crawl,
            numbers=numbers,
            kind=NudgeKind.VISIT,
            reason=f"hub boost: cited by {url[:240]}, {words}",
            distillation=distillation,
        )
    if raised or again:
        text = f"Hub boost: {raised} unvisited links of top hubs come first, {again} hubs due again"
        CrawlEvent.objects.create(
            crawl=crawl, seq=crawl.seq, kind="hub_boost", text=text, by=distillation.by
        )
    return raised


def _affordable(crawl: Crawl) -> int:
    most = CrawlConfig.from_json(crawl.config).budget.max_pages
    if most is None:
        return CITATIONS_AT_MOST
    return min(CITATIONS_AT_MOST, max(0, most - crawl.fetched - crawl.revisited) // BUDGET_SHARE)
