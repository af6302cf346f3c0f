"""Taking in what visits bring: records for the ledger, lessons for the strategy, the frontier."""

from collections import Counter
from typing import TYPE_CHECKING

from crawler.core import pipeline
from crawler.core.expansion import LearntPage, expand, learn, link_slots
from crawler.core.hosts import Host
from crawler.core.keyindex import UNKNOWN, Slots
from crawler.core.pipeline import JudgedVisit, Visited
from crawler.core.ports import PageRecord
from crawler.core.ranking import BOOST
from crawler.core.retries import Dead, Refusal, after_failure
from crawler.core.types import Merge, url_key
from crawler.core.urlrows import NewUrl, UrlState
from focusadmin.lib.parsing_worker import WorkFailure

if TYPE_CHECKING:
    from crawler.core.engine import Parts
    from crawler.core.status import StatusBoard

NEW_LINKS_FIRST = 20  # of a page that was visited again
SLOWED_SECONDS = 60.0  # a host of near-duplicates gets a turn this often


class Intake:
    """Synchronous: everything here happens between two steps of the event loop."""

    def __init__(self, parts: "Parts", board: "StatusBoard", *, keeps_bodies: bool = False) -> None:
        self.parts, self.board = parts, board
        self.keeps_bodies = keeps_bodies
        self.records: list[PageRecord] = []
        self._rests: Counter[int] = Counter()  # how often a host put a URL off

    def pages(self, visits: list[JudgedVisit]) -> None:
        """Pages that were read and judged, in the order in which they will be committed."""
        fresh = [visit for visit in visits if not self._leads_to_known(visit)]
        learnt = [self._learnt(visit) for visit in fresh]
        parts, known = self.parts, len(self.parts.frontier)
        expand(parts.frontier, parts.admission, parts.strategy.merge, learnt)
        now = parts.clock.now()
        for visit, one in zip(fresh, learnt, strict=True):
            slots, is_known = link_slots(parts.frontier, one.page)
            home = parts.frontier.hosts.of_url(visit.result.final_url)
            again = parts.frontier.is_revisit(visit.lease.slot)
            made = pipeline.page_record(
                visit, one.page, home, slots, is_known, now,
                keeps_body=self.keeps_bodies, is_revisit=again,
            )  # fmt: skip
            self._keep(made)
            if again:
                self._new_links_first(slots[slots >= known][:NEW_LINKS_FIRST])
            else:
                self._note_page(visit, home)

    def _new_links_first(self, slots: Slots) -> None:
        """What a page has come to link to is what it was visited again for."""
        self.parts.frontier.merge(slots, [BOOST] * len(slots), Merge.MAX)

    def without_page(self, visited: Visited) -> None:
        """A visit that brought no page: try again later, or give up."""
        parts, lease, now = self.parts, visited.lease, self.parts.clock.now()
        outcome = visited.outcome
        if outcome is None and not visited.refusal:
            parts.frontier.hosts.note_rest_after_robots(lease.host, now)
            parts.frontier.release(lease.slot)
        elif visited.rests_until:
            self._await_robots(visited, now)
        elif outcome is None:
            self._give_up(visited, visited.refusal, visited.detail)
        else:
            self._after_failure(visited, now)

    def unreadable(self, visited: Visited, failure: WorkFailure) -> None:
        outcome = f"{pipeline.UNREADABLE}_{failure.reason.value}"
        self._give_up(visited, outcome, failure.detail)

    def _await_robots(self, visited: Visited, now: float) -> None:
        """Without robots.txt nothing of the host is asked for, until it can be read again."""
        lease, frontier = visited.lease, self.parts.frontier
        frontier.hosts.note_error(lease.host, visited.refusal, now)
        verdict = after_failure(Refusal.ROBOTS_UNREACHABLE, lease.tries, now, url=visited.url)
        if isinstance(verdict, Dead):
            self._give_up(visited, visited.refusal, verdict.reason)
            return
        frontier.hosts.note_rest(lease.host, visited.rests_until)
        frontier.retry(lease.slot, visited.rests_until)

    def _after_failure(self, visited: Visited, now: float) -> None:
        lease, frontier = visited.lease, self.parts.frontier
        assert visited.outcome is not None  # noqa: S101 - the caller made sure; mypy can't see it
        lease.host.failures += 1
        frontier.hosts.note_error(lease.host, pipeline.outcome_words(visited.outcome, "")[0], now)
        rests = self._rests[lease.slot]
        verdict = after_failure(visited.outcome, lease.tries, now, url=visited.url, rests=rests)
        if verdict.host_rest_seconds:
            frontier.hosts.note_rest(lease.host, now + verdict.host_rest_seconds)
        if isinstance(verdict, Dead):
            self._give_up(visited, *pipeline.outcome_words(visited.outcome, verdict.reason))
            return
        self._rests[lease.slot] += not verdict.counts_as_try
        at = now + verdict.delay_seconds
        frontier.retry(lease.slot, at, counts=verdict.counts_as_try)
        self.board.note_retry()

    def _give_up(self, visited: Visited, outcome: str, detail: str) -> None:
        frontier, slot = self.parts.frontier, visited.lease.slot
        again = frontier.is_revisit(slot)  # then there is a page, and it stays
        frontier.settle(slot, UrlState.DONE if again else UrlState.DEAD)
        self._rests.pop(slot, None)
        now, key = self.parts.clock.now(), frontier.key(slot)
        self._keep(pipeline.failure_record(visited, key, outcome, detail, now, is_revisit=again))

    def _keep(self, record: PageRecord) -> None:
        self.records.append(record)
        self.board.note(record)

    def _learnt(self, visit: JudgedVisit) -> LearntPage:
        page, strategy = pipeline.scored_page(visit), self.parts.strategy
        own = page.priority_relevance if strategy.merge is Merge.MAX else None
        self.parts.frontier.settle(visit.lease.slot, UrlState.DONE, priority=own)
        return learn(strategy, visit.lease.slot, page)

    def _leads_to_known(self, visit: JudgedVisit) -> bool:
        """Whether a redirect ended at a page that we have; if not, we have it from now on."""
        final = visit.result.final_url
        if final == visit.url:
            return False
        frontier, key = self.parts.frontier, url_key(final)
        slot = int(frontier.find([key])[0])
        if slot == UNKNOWN:
            frontier.mark_seen(NewUrl(key, final, 0.0, visit.lease.depth, visit.lease.slot))
            return False
        if frontier.is_revisit(visit.lease.slot) and frontier.state(slot) == UrlState.DONE:
            return False  # the same page as the last time
        if frontier.state(slot) in (UrlState.DONE, UrlState.LEASED):
            known = Visited(visit.lease, visit.url, visit.result)
            self._give_up(known, pipeline.SEEN, final)
            return True
        frontier.absorb(slot)
        return False

    def _note_page(self, visit: JudgedVisit, home: Host) -> None:
        parts, result = self.parts, visit.result
        home.pages += 1
        home.relevance_sum += visit.page.verdict.relevance
        home.address = result.address or home.address
        parts.frontier.hosts.changed.add(home.number)
        if parts.admission.note_page(home, result.final_url, visit.page.bands):
            parts.frontier.hosts.note_rest(home, parts.clock.now() + SLOWED_SECONDS)
