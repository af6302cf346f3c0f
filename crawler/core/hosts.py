"""The hosts of a crawl, and when each may be asked again."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from focusadmin.lib.politeness import Pacing, crawl_delay
from focusadmin.lib.sites import site_of

OWN_MACHINE = ".localhost"  # the demo web: one address for all of its sites, and our own
OWN_MACHINE_SECONDS = 0.05
CONCURRENT_WITHOUT_PAUSE = 64

Rank = tuple[int, float, int]  # tries, minus priority, slot: the smaller, the sooner


@dataclass(slots=True)
class Host:
    """One host: its figures, and the URLs that wait for it alone."""

    number: int
    name: str  # with its port, if that is no usual one
    site: str
    address: str = ""
    not_before: float = 0.0  # asked to be left alone until then
    pages: int = 0
    relevance_sum: float = 0.0
    failures: int = 0
    robots_note: str = ""
    robots_denied: int = 0
    crawl_delay: float | None = None  # as robots.txt asks for it
    requests: int = 0  # really made, robots.txt and redirects among them
    first_asked: float = 0.0
    last_asked: float = 0.0
    shortest_gap: float | None = None  # between the beginnings of two of them, as measured
    last_error: str = ""
    last_error_at: float = 0.0
    in_flight: int = 0
    parked: list[Rank] = field(default_factory=list)
    parked_floor: Rank | None = None  # set: more of its URLs wait outside of `parked`
    wakes_at: float = math.inf
    is_sitemap_read: bool = False


def host_in(url: str) -> str:
    """Host and port of a canonical URL, as they stand in it."""
    return url.split("/", 3)[2]


class Hosts:
    """Knows each host by name and number, and paces the requests to it and to its address."""

    def __init__(self, delay_seconds: float, known: Iterable[Host] = ()) -> None:
        self.delay_seconds = delay_seconds
        self.all: list[Host] = list(known)
        self._numbers = {host.name: host.number for host in self.all}
        self._pacing = Pacing(own_seconds=delay_seconds)
        self._own_pacing = Pacing(own_seconds=min(delay_seconds, OWN_MACHINE_SECONDS))
        self.changed: set[int] = set()
        for host in self.all:
            if host.not_before:
                self._pacing_of(host).note_rest(host.name, host.not_before)

    def of_url(self, url: str) -> Host:
        """The host of a URL, taken in when it is new."""
        name = host_in(url)
        number = self._numbers.get(name)
        if number is not None:
            return self.all[number]
        host = Host(len(self.all), name, site_of(name.rpartition(":")[0] or name))
        self.all.append(host)
        self._numbers[name] = host.number
        self.changed.add(host.number)
        return host

    def free_at(self, host: Host, now: float) -> float | None:
        """When the host may be asked; None while it still answers the last request."""
        if not self.places(host):
            return None
        return now + self.wait_seconds(host, now)

    def wait_seconds(self, host: Host, now: float) -> float:
        """The pause that is left, for a request on behalf of one that is under way."""
        return self._pacing_of(host).wait_seconds(host.name, _paced_address(host), now)

    def address_wait_seconds(self, host: Host, now: float) -> float:
        """As far as neighbours at the host's address are concerned."""
        return self._pacing_of(host).wait_seconds("", _paced_address(host), now)

    def places(self, host: Host) -> int:
        """How many more requests the host may have at the same time."""
        limit = 1 if self.delay_seconds else CONCURRENT_WITHOUT_PAUSE
        return max(limit - host.in_flight, 0)

    def note_request(self, host: Host, now: float) -> None:
        host.in_flight += 1
        self.note_pace(host, now)

    def note_pace(self, host: Host, now: float) -> None:
        """A request begins; the pause after it counts from here."""
        delay = self.delay_of(host)
        self._pacing_of(host).note_request(
            host.name, _paced_address(host), now, delay_seconds=delay
        )

    def note_asked(self, host: Host, now: float) -> None:
        """A request leaves at this moment: what the ledger of politeness measures.

        The host's turn began a little earlier, with the lease; the pause counts from here.
        """
        self.note_pace(host, now)
        if host.requests:
            gap = max(now - host.last_asked, 0.0)
            known = host.shortest_gap
            host.shortest_gap = gap if known is None else min(known, gap)
        else:
            host.first_asked = now
        host.requests += 1
        host.last_asked = now
        self.changed.add(host.number)

    def note_error(self, host: Host, words: str, now: float) -> None:
        host.last_error, host.last_error_at = words, now
        self.changed.add(host.number)

    def note_rest_after_robots(self, host: Host, now: float) -> None:
        """The pause that robots.txt asks for begins with the request for robots.txt itself."""
        if host.crawl_delay is not None:
            self._pacing_of(host).note_rest(host.name, now + self.delay_of(host))

    def resume(self, now: float, *, is_clean: bool) -> None:
        """Who was asked before a restart may have been asked just now.

        After a crash the last requests are not known: then a pause is kept from everybody.
        """
        for host in self.all:
            if host.pages or host.failures or host.robots_note:
                self._pacing_of(host).note_rest(host.name, now + self.delay_of(host))
        for pacing in (self._pacing, self._own_pacing):
            pacing.quiet_until = 0.0 if is_clean else now + pacing.own_seconds

    def delay_of(self, host: Host) -> float:
        """The pause that is agreed between two requests to the host."""
        own = self._pacing_of(host).own_seconds
        return crawl_delay(host.crawl_delay, own_seconds=own)

    def note_end(self, host: Host) -> None:
        host.in_flight -= 1
        self.changed.add(host.number)

    def note_rest(self, host: Host, until: float) -> None:
        """The host asked to be left alone; kept through a restart."""
        host.not_before = max(host.not_before, until)
        self._pacing_of(host).note_rest(host.name, until)
        self.changed.add(host.number)

    def _pacing_of(self, host: Host) -> Pacing:
        return self._own_pacing if is_own(host) else self._pacing

    def pages_by(self, attribute: str) -> Mapping[str, int]:
        """Pages fetched so far by "site" or by "address"."""
        counts: Counter[str] = Counter()
        for host in self.all:
            counts[getattr(host, attribute)] += host.pages
        return counts


def is_own(host: Host) -> bool:
    return host.name.partition(":")[0].endswith(OWN_MACHINE)


def _paced_address(host: Host) -> str:
    """All sites of the demo web share one address, which is ours: only hosts are paced there."""
    return "" if is_own(host) else host.address
