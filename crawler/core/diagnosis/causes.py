"""The other causes: nothing left, traps, hosts that refuse us, drift, errors."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from crawler.core.diagnosis.record import (
    RELEVANT_FROM,
    Cause,
    CrawlRecord,
    Diagnosis,
    Finding,
    Harvest,
    RecordedPage,
    Remedy,
    RemedyKind,
)
from crawler.core.diagnosis.widening import is_within, kinship, stray_topics, widening
from crawler.core.traps import path_pattern
from taxonomy.core.tree import join_path

WINDOW = 100
LATE_PAGES = 200
TRAP_PAGES, TRAP_RELEVANCE = 30, 0.1
DRIFT_SHARE, DRIFT_PAGES = 0.25, 20
ERROR_SHARE = 0.2
PROMISING_SHARE = 0.05
HOSTS_SHOWN = 5


def diagnosed(record: CrawlRecord) -> Diagnosis:
    """Why the harvest fell or the crawl ended, as far as the recorded pages tell."""
    checks: Sequence[Callable[[CrawlRecord], Finding | None]] = (
        widening,
        _exhausted,
        _trap,
        _blocked,
        _drift,
        _errors,
    )
    found = [finding for check in checks if (finding := check(record))]
    return Diagnosis(
        harvest_of(record.pages),
        sorted(_agreed(found), key=lambda finding: -finding.weight),
        stray_topics(record),
        len(record.pages),
        sum(page.is_stray for page in record.pages),
    )


def _agreed(found: Sequence[Finding]) -> list[Finding]:
    """Nobody is told to stop the crawl while widening would help it."""
    can_widen = any(finding.cause is Cause.MIXED_TOPICS for finding in found)
    return [
        replace(finding, remedy=None) if can_widen and _stops(finding) else finding
        for finding in found
    ]


def _stops(finding: Finding) -> bool:
    return finding.remedy is not None and finding.remedy.kind is RemedyKind.STOP


def harvest_of(pages: Sequence[RecordedPage]) -> Harvest:
    values = [page.relevance for page in pages if page.is_ok]
    if not values:
        return Harvest(0.0, 0.0, 0.0, 0)
    window = min(WINDOW, len(values))
    total = sum(values[:window])
    best = total
    for arriving, leaving in zip(values[window:], values, strict=False):
        total += arriving - leaving
        best = max(best, total)
    latest = sum(values[-window:]) / window
    return Harvest(sum(values) / len(values), best / window, latest, window)


def _exhausted(record: CrawlRecord) -> Finding | None:
    """No URL is left, or none that was found on a relevant page."""
    if not record.pages:
        return None
    strays = {page.number for page in record.pages if page.is_stray}
    promising = sum(found_on not in strays for found_on in record.waiting.values())
    share = promising / len(record.waiting) if record.waiting else 0.0
    if share >= PROMISING_SHARE:
        return _nearly_all_found(record)
    if record.waiting:
        evidence = (
            f"{len(record.waiting):,} URLs wait; {promising:,} of them were found on a page that "
            "is not irrelevant.",
        )
        title = "What is left in the frontier promises little"
        return Finding(Cause.EXHAUSTED, title, 0.4, evidence, _way_out(record))
    told = f"The crawl ended: {record.reason}." if record.reason else "No URL waits any more."
    return Finding(Cause.EXHAUSTED, "The frontier is empty", 0.5, (told,), _way_out(record))


def _nearly_all_found(record: CrawlRecord) -> Finding | None:
    """URLs of good pages wait, too, and still hardly any of them is expected to be relevant."""
    if record.left is None or not record.waiting or not harvest_of(record.pages).has_fallen:
        return None
    share = record.left.expected / len(record.waiting)
    if share >= PROMISING_SHARE:
        return None
    evidence = (
        f"About {record.left.expected:,.0f} of the {len(record.waiting):,} URLs that wait are "
        "expected to be relevant, by how links like theirs fared.",
        f"At least {math.floor(100 * record.left.found)} % of what can be reached is found.",
    )
    title = "Nearly everything that can be reached is found"
    return Finding(Cause.EXHAUSTED, title, 0.4, evidence, _way_out(record))


def _way_out(record: CrawlRecord) -> Remedy | None:
    if record.strategy == "hard_focus":
        label = "Follow pages that nearly match too: soft focus"
        return Remedy(RemedyKind.STRATEGY, label, ("soft_focus",))
    return Remedy(RemedyKind.STOP, "Stop the crawl") if record.is_active else None


def _trap(record: CrawlRecord) -> Finding | None:
    """Many pages of one address pattern, none of them relevant."""
    patterns: defaultdict[str, list[RecordedPage]] = defaultdict(list)
    for page in record.pages:
        if page.is_ok:
            patterns[path_pattern(page.url)].append(page)
    suspects = [(name, pages) for name, pages in patterns.items() if _is_trap(name, pages)]
    if not suspects:
        return None
    name, pages = max(suspects, key=lambda each: len(each[1]))
    mean = sum(page.relevance for page in pages) / len(pages)
    entry = name.partition("#")[0].rstrip("?")
    return Finding(
        Cause.TRAP,
        f"{pages[0].host} may be a trap",
        len(pages) / len(record.pages),
        (
            f"{len(pages):,} pages have addresses like {name}; their mean relevance is {mean:.2f}.",
            f"The latest is {pages[-1].url}.",
        ),
        Remedy(RemedyKind.STAY_AWAY, f"Stay away from {entry}", (entry,)),
    )


def _is_trap(name: str, pages: Sequence[RecordedPage]) -> bool:
    mean = sum(page.relevance for page in pages) / len(pages)
    return "#" in name and len(pages) >= TRAP_PAGES and mean < TRAP_RELEVANCE


def _blocked(record: CrawlRecord) -> Finding | None:
    if not record.refusing_hosts:
        return None
    hosts = [host for host, _, _ in record.refusing_hosts]
    relevant = sum(page.is_relevant and page.host in hosts for page in record.pages)
    evidence = [
        f"{host} refused {count} requests in a row ({outcome})."
        for host, count, outcome in record.refusing_hosts[:HOSTS_SHOWN]
    ]
    evidence.append(f"They gave {relevant:,} of the relevant pages so far.")
    entries = tuple(dict.fromkeys(host.partition(":")[0] for host in hosts))
    title = "A host refuses us" if len(hosts) == 1 else f"{len(hosts)} hosts refuse us"
    remedy = (
        Remedy(RemedyKind.SLOWER, "Visit every host half as often")
        if relevant
        else Remedy(RemedyKind.STAY_AWAY, "Stay away from them", entries)
    )
    return Finding(Cause.BLOCKED, title, 0.3, tuple(evidence), remedy)


def _drift(record: CrawlRecord) -> Finding | None:
    """Of late one foreign topic takes a large share of the fetches, and it did not before."""
    fetched = [page for page in record.pages if page.is_ok]
    late, early = fetched[-LATE_PAGES:], fetched[:-LATE_PAGES]
    wanted = [*record.good, *record.pass_through]
    foreign = Counter(
        page.topic
        for page in late
        if page.is_stray and not kinship(page.topic, record.good)
        if not any(is_within(page.topic, topic) for topic in wanted)
    )
    if not foreign or not early:
        return None
    topic, count = foreign.most_common(1)[0]
    share, before = count / len(late), sum(p.topic == topic for p in early) / len(early)
    if count < DRIFT_PAGES or share < max(DRIFT_SHARE, 2 * before):
        return None
    sites = Counter(page.site for page in late if page.topic == topic and page.is_stray)
    site, pages = sites.most_common(1)[0]
    remedy = None
    if pages >= count / 2 and not _is_fruitful(fetched, site):
        remedy = Remedy(RemedyKind.STAY_AWAY, f"Stay away from {site}", (site, f"*.{site}"))
    elif record.strategy != "hard_focus":
        label = "Follow pages on the good topics only: hard focus"
        remedy = Remedy(RemedyKind.STRATEGY, label, ("hard_focus",))
    return Finding(
        Cause.DRIFT,
        f"The crawl drifts to {join_path(topic)}",
        share,
        (
            f"{share:.0%} of the last {len(late)} pages are about it, {before:.0%} before that.",
            f"{pages} of these {count} pages are on {site}.",
        ),
        remedy,
    )


def _is_fruitful(pages: Sequence[RecordedPage], site: str) -> bool:
    own = [page.relevance for page in pages if page.site == site]
    return sum(value >= RELEVANT_FROM for value in own) > 0.2 * len(own)


def _errors(record: CrawlRecord) -> Finding | None:
    late = record.pages[-LATE_PAGES:]
    failed = Counter(page.outcome for page in late if not page.is_ok)
    count = failed.total()
    if not late or count / len(late) < ERROR_SHARE:
        return None
    told = ", ".join(f"{outcome} {number}" for outcome, number in failed.most_common(4))
    hosts = Counter(page.host for page in late if not page.is_ok)
    host, most = hosts.most_common(1)[0]
    is_one = most >= 0.6 * count
    slower = Remedy(RemedyKind.SLOWER, "Visit every host half as often")
    away = Remedy(RemedyKind.STAY_AWAY, f"Stay away from {host}", (host.partition(":")[0],))
    return Finding(
        Cause.ERRORS,
        f"{count / len(late):.0%} of the last {len(late)} fetches failed",
        count / len(late),
        (f"By kind: {told}.", f"{most} of {count} are on {host}."),
        away if is_one else slower,
    )
