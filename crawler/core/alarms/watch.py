"""The memory that the rules of one crawl share, and what each rule says about it.

Pages are taken in steps of fixed size and order, so what is told depends on the pages alone and not
on how often somebody looks. Time rules see the vitals of the moment.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from crawler.core.alarms.cusum import SPEED, SUCCESS, FallDetector
from crawler.core.alarms.rules import RuleKey
from crawler.core.alarms.states import Signal
from crawler.core.alarms.tilt import RelevanceDetector
from crawler.core.ports import OK

STEP_PAGES = 10  # one batch of the detectors
CAPTURE_WINDOW, CAPTURE_LEAST, CAPTURE_SHARE = 500, 200, 0.4
SITES_REMEMBERED = 500  # few crawls have more that could capture them
REFUSALS_IN_A_ROW = 5
FORGET_HOST_AFTER = 2_000  # pages without a word from it
FEW_URLS, FEW_SHARE, WARM_UP_PAGES = 20, 0.02, 100
BUDGET_NEARLY = 0.9
LOW_DISK_BYTES = 1024**3
BUCKET_SECONDS = 10.0
# What a host does that wants us gone, or is gone itself.
REFUSALS = frozenset(
    {
        "status_401", "status_403", "status_429", "status_451", "status_503",
        "connect_failed", "connect_timeout", "robots_unreachable",
    }
)  # fmt: skip
# Ends of a fetch that are our own decision, and no fault of anybody.
DECISIONS = ("excluded", "robots_denied", "redirects_to_known", "redirect_declined")


@dataclass(frozen=True, slots=True)
class PageSeen:
    """What the rules want to know of a page."""

    seq: int
    outcome: str
    relevance: float | None
    site: str
    host: str

    @property
    def is_ok(self) -> bool:
        return self.outcome == OK

    @property
    def is_decision(self) -> bool:
        return self.outcome.startswith(DECISIONS)


@dataclass(frozen=True)
class Vitals:
    """How the crawl and the machine fare at this moment."""

    is_active: bool  # should be at work
    is_running: bool  # is at work, as far as anybody knows
    reason: str
    fetched: int
    seconds_run: float
    seconds_quiet: float  # since the last commit
    frontier: int
    budget_share: float
    budget_pages_left: int | None
    disk_free: int
    seconds_unheld: float  # since the lease ran out


@dataclass(frozen=True)
class Reading:
    """What a rule says, and why. `began` is the page after which it began, where known."""

    signal: Signal
    text: str = ""
    began: int | None = None
    is_final: bool = False


NOTHING_YET = Reading(Signal.NO_DATA)


@dataclass
class HostStreak:
    """Refusals in a row."""

    refusals: int
    seq: int
    outcome: str


@dataclass
class Watch:
    """Everything that is remembered of a crawl between two looks."""

    relevance: RelevanceDetector = field(default_factory=RelevanceDetector)
    success: FallDetector = field(default_factory=FallDetector)
    speed: FallDetector = field(default_factory=FallDetector)
    sites: list[str] = field(default_factory=list)  # of the latest pages
    sites_before: dict[str, int] = field(default_factory=dict)  # the most frequent
    pages_before: int = 0
    streaks: dict[str, HostStreak] = field(default_factory=dict)
    frontier_peak: int = 0
    bucket_pages: int = 0  # figures at the end of the last bucket of the speed
    bucket_clock: float = 0.0
    clock: float = 0.0
    revision: int = 0
    good: list[list[str]] = field(default_factory=list)

    # pages

    def take(self, pages: Sequence[PageSeen]) -> None:
        for page in pages:
            if page.relevance is not None:
                self.relevance.add(page.relevance)
            if not page.is_decision:
                self.success.add(float(page.is_ok), SUCCESS)
            self._note_site(page)
            self._note_host(page)

    def _note_site(self, page: PageSeen) -> None:
        self.sites.append(page.site)
        if len(self.sites) > CAPTURE_WINDOW:
            old = self.sites.pop(0)
            self.pages_before += 1
            self.sites_before[old] = self.sites_before.get(old, 0) + 1
        if len(self.sites_before) > 2 * SITES_REMEMBERED:
            often = Counter(self.sites_before).most_common(SITES_REMEMBERED)
            self.sites_before = dict(often)

    def _note_host(self, page: PageSeen) -> None:
        if page.outcome in REFUSALS:
            before = self.streaks.get(page.host)
            count = before.refusals + 1 if before else 1
            self.streaks[page.host] = HostStreak(count, page.seq, page.outcome)
        elif page.is_ok or page.outcome == "status_404":
            self.streaks.pop(page.host, None)
        if page.seq % FORGET_HOST_AFTER == 0:
            old = page.seq - FORGET_HOST_AFTER
            self.streaks = {name: one for name, one in self.streaks.items() if one.seq > old}

    def settings_changed(self, revision: int, good: list[list[str]]) -> None:
        """The past stays what is usual, unless other good topics gave relevance another meaning."""
        if self.good and self.good != good:
            self.relevance = RelevanceDetector()
        self.relevance.forgive()
        self.revision, self.good = revision, good

    def page_readings(self, seq: int) -> dict[RuleKey, Reading]:
        return {
            RuleKey.RELEVANCE: self._relevance(seq),
            RuleKey.ERRORS: self._errors(seq),
            RuleKey.CAPTURE: self._capture(),
            RuleKey.BLOCKED: self._blocked(seq),
        }

    def _relevance(self, seq: int) -> Reading:
        past, held = self.relevance.past, self.relevance.held
        pages = self.relevance.since
        words = (
            f"Mean relevance {held.mean:.2f} over the last {pages} pages; "
            f"this crawl was used to {past.mean:.2f}",
            f"Mean relevance as usual, {past.mean:.2f}",
        )
        if not self.relevance.knows:
            return NOTHING_YET
        return _fall(self.relevance, max(seq - pages, 0), *words)

    def _errors(self, seq: int) -> Reading:
        past, held = self.success.past, self.success.held
        words = (
            f"{1 - held.mean:.0%} of the last {self.success.since(SUCCESS)} fetches failed; "
            f"this crawl was used to {1 - past.mean:.0%}",
            f"As usual, {1 - past.mean:.0%} of the fetches fail",
        )
        if not self.success.knows(SUCCESS):
            return NOTHING_YET
        return _fall(self.success, max(seq - self.success.since(SUCCESS), 0), *words)

    def _capture(self) -> Reading:
        """The latest pages against those before; of a young crawl, one half against the other."""
        is_young = self.pages_before < CAPTURE_LEAST
        late = self.sites[len(self.sites) // 2 :] if is_young else self.sites
        early = Counter(self.sites[: len(self.sites) - len(late)])
        early.update(self.sites_before)
        before = self.pages_before + len(self.sites) - len(late)
        if before < CAPTURE_LEAST:
            return NOTHING_YET
        site, pages = Counter(late).most_common(1)[0]
        share, usual = pages / len(late), early[site] / before
        text = f"{share:.0%} of the last {len(late)} pages are from {site}, {usual:.0%} before that"
        is_captured = share > max(CAPTURE_SHARE, 2 * usual)
        return Reading(Signal.BAD if is_captured else Signal.CLEAR, text)

    def _blocked(self, seq: int) -> Reading:
        refusing = self.refusing_hosts()
        if not refusing:
            return Reading(Signal.CLEAR if seq else Signal.NO_DATA, "No host refuses us")
        told = ", ".join(f"{name} ({one.refusals}: {one.outcome})" for name, one in refusing[:3])
        more = f" and {len(refusing) - 3} more" if len(refusing) > 3 else ""
        return Reading(Signal.BAD, f"Refused again and again by {told}{more}")

    def refusing_hosts(self) -> list[tuple[str, HostStreak]]:
        found = [
            (name, one) for name, one in self.streaks.items() if one.refusals >= REFUSALS_IN_A_ROW
        ]
        return sorted(found, key=lambda each: -each[1].refusals)

    # vitals

    def vital_readings(self, vitals: Vitals) -> dict[RuleKey, Reading]:
        self._note_speed(vitals)
        self.frontier_peak = max(self.frontier_peak, vitals.frontier)
        return {
            RuleKey.SPEED: self._speed() if vitals.is_running else NOTHING_YET,
            RuleKey.FRONTIER: self._frontier(vitals),
            RuleKey.RESOURCES: self._resources(vitals),
            RuleKey.WORKER: _worker(vitals),
        }

    def _note_speed(self, vitals: Vitals) -> None:
        """Pages a minute in buckets of ten seconds of work; pauses are no work, a stall is."""
        stalled = vitals.seconds_quiet if vitals.is_running else 0.0
        self.clock = max(self.clock, vitals.seconds_run + stalled)
        if self.clock < self.bucket_clock + BUCKET_SECONDS:
            return
        minutes = (self.clock - self.bucket_clock) / 60
        pages = max(vitals.fetched - self.bucket_pages, 0)
        self.speed.add(math.log((pages + 0.5) / minutes), SPEED)
        self.bucket_clock, self.bucket_pages = self.clock, vitals.fetched

    def _speed(self) -> Reading:
        usual, now = math.exp(self.speed.past.mean), math.exp(self.speed.held.mean)
        words = (
            f"{now:.0f} pages a minute; this crawl was used to {usual:.0f}",
            f"As usual, {usual:.0f} pages a minute",
        )
        return _fall(self.speed, None, *words) if self.speed.knows(SPEED) else NOTHING_YET

    def _frontier(self, vitals: Vitals) -> Reading:
        if not vitals.is_active:
            is_empty = "frontier empty" in vitals.reason
            text = "The frontier is empty: the crawl has ended with budget left"
            return Reading(Signal.BAD, text, is_final=True) if is_empty else NOTHING_YET
        if vitals.fetched < WARM_UP_PAGES:
            return NOTHING_YET
        few = max(FEW_URLS, FEW_SHARE * self.frontier_peak)
        left = vitals.budget_pages_left
        is_short = vitals.frontier < few and (left is None or left > vitals.frontier)
        text = f"{vitals.frontier:,} URLs wait; once there were {self.frontier_peak:,}"
        return Reading(Signal.BAD if is_short else Signal.CLEAR, text)

    def _resources(self, vitals: Vitals) -> Reading:
        if not vitals.is_active:
            return NOTHING_YET
        if vitals.disk_free < LOW_DISK_BYTES:
            text = f"{vitals.disk_free / 1024**2:,.0f} MB are free on the disk"
            return Reading(Signal.BAD, text)
        share = f"{vitals.budget_share:.0%} of the budget is used"
        is_fruitful = self.relevance.knows and not self.relevance.is_in_doubt
        if vitals.budget_share >= BUDGET_NEARLY and is_fruitful:
            return Reading(Signal.BAD, f"{share}, and relevant pages still come in")
        return Reading(Signal.CLEAR, share)

    # JSON

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        if not stored:
            return cls()
        detectors = {
            "relevance": RelevanceDetector.from_json(stored["relevance"]),
            "success": FallDetector.from_json(stored["success"]),
            "speed": FallDetector.from_json(stored["speed"]),
        }
        streaks = {name: HostStreak(**one) for name, one in stored["streaks"].items()}
        return cls(**{**stored, **detectors, "streaks": streaks})


def _fall(
    detector: FallDetector | RelevanceDetector, began: int | None, fallen: str, usual: str
) -> Reading:
    if not detector.is_in_doubt:
        return Reading(Signal.CLEAR, usual)
    return Reading(Signal.BAD if detector.has_fallen else Signal.DOUBT, fallen, began)


def _worker(vitals: Vitals) -> Reading:
    if not vitals.is_active:
        return NOTHING_YET
    if vitals.seconds_unheld > 0:
        return Reading(Signal.BAD, "No process holds this crawl; is a worker running?")
    return Reading(Signal.CLEAR, "A process is at work")
