"""Links that lead nowhere for ever, told by one URL alone, and hosts that never end.

`trap_reason` is asked for every link of every page and knows nothing but the URL. `HostWatch` sees
what the rules can't: how many addresses a host makes of one script, and that its pages are all
alike. Neither is ever certain, so both err on the side of the site: a trap that slips through is
stopped by the caps of the crawl (see `caps`).
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from crawler.core.hosts import host_in
from focusadmin.lib.duplicates import BANDS
from focusadmin.lib.urls import MAX_URL_CHARACTERS

MAX_SEGMENTS = 20
MAX_REPEATS = 2  # of a path segment or of a parameter's name
MAX_PARAMETERS = 8
CALENDAR_YEARS = range(1970, 2056)  # 1990 to 2035 and twenty years around them

# Numbers of papers and products look like years too; those of a calendar come near ours first.
_YEAR = r"(1[89]\d\d|2[01]\d\d)"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_PATH_DATE = re.compile(rf"/{_YEAR}[/-]{_MONTH}(?:[/-]\d\d?)?(?![^/])")
_QUERY_DATE = re.compile(
    rf"(?:^|[&;])(?:[\w-]*(?:date|month|day|cal)[\w-]*={_YEAR}[-/]?{_MONTH}(?!\d\d\d)"
    rf"|[\w-]*year[\w-]*={_YEAR}(?=[&;](?:.*[&;])?[\w-]*mon))",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:^|[&;=_-])(?:next|prev|previous)[_-]?(?:day|week|month|year)?(?=$|[&;=])", re.IGNORECASE
)
# 40 hex digits are a version in git and 24 a record's number; 32 in the middle are mostly sessions.
_SESSION = re.compile(
    r"/(?:\((?:[A-Z]\([^()/]*\))+\)(?=/|$)"
    r"|[0-9a-f]{32}/(?!raw/).|(?:s|sid|sess|session|sessionid)[/=_-][0-9a-f]{16,}(?=/|$))",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?:^|[&;])(?:sectok|s|sid|sess\w*|token|csrf\w*|nonce)=[0-9a-f]{24,}(?=$|[&;])", re.IGNORECASE
)
_INNER_PAGE = re.compile(r"\.(?:php|html?|aspx?|jsp|cfm)/", re.IGNORECASE)
_FOLDER_ORDER = re.compile(r"C=[NMSD](?:[;&]O=[AD])?|[NMSD]=[AD]")  # headings of Apache's listings
_WIKI_TOOL = re.compile(
    r"(?:^|[&;])(?:(?:oldid|rev)=\d{6,}"
    r"|(?:do|vecdo)=(?:login|register|resendpwd|edit|diff|revisions|backlink|recent|media|cite)"
    r"|(?:action|veaction)=(?:login|recoverpass|register|edit|diff|history|purge|attachfile)"
    r")(?=$|[&;/])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9a-fA-F]{8,}|\d+")


def trap_reason(url: str) -> str | None:
    """Why a canonical URL is probably a trap, in words that follow "not followed:"; else None.

    >>> trap_reason("http://example.com/a/b/a/b/a/b")
    'a path segment repeats 3 times'
    """
    if len(url) > MAX_URL_CHARACTERS:
        return f"longer than {MAX_URL_CHARACTERS:,} characters"
    if "%2525" in url:
        return "percent-encoded again and again"
    path, query = _path_and_query(url)
    return _path_reason(path) or (_query_reason(path, query) if query else None)


def _host(url: str) -> str:
    """Without its port; parsing anew what is canonical already would cost ten times as much."""
    return host_in(url).partition(":")[0]


def _path_and_query(url: str) -> tuple[str, str]:
    if "#" in url:
        url = url.partition("#")[0]
    before, _, query = url.partition("?")
    slash = before.find("/", 8)  # behind https://
    return (before[slash:] if slash > 0 else "/"), query


def _path_reason(path: str) -> str | None:
    segments = path.removesuffix("/").split("/")[1:]
    count = len(segments)
    if count > MAX_SEGMENTS:
        return f"{count} path segments"
    if count > MAX_REPEATS and len(set(segments)) < count and (why := _repeat_reason(segments)):
        return why
    if path.count(".") > 1 and len(_INNER_PAGE.findall(path)) > 1:
        return "pages inside pages in the path"
    if len(path) > 16 and _SESSION.search(path):
        return "a session number in the path"
    return _far_date_reason(_PATH_DATE.search(path))


def _repeat_reason(segments: list[str]) -> str | None:
    # Short numbers repeat honestly: /2011/11/11/11 is a date, /1/1/1 a chapter.
    words = Counter(word for word in segments if not (word.isdigit() and len(word) < 3))
    times = max(words.values(), default=0)
    if times > MAX_REPEATS:
        return f"a path segment repeats {times} times"
    for length in range(2, len(segments) // 2 + 1):
        for at in range(len(segments) - 2 * length + 1):
            if segments[at : at + length] == segments[at + length : at + 2 * length]:
                return f"{length} path segments repeat in a row"
    return None


def _query_reason(path: str, query: str) -> str | None:
    if "&" in query and (why := _parameters_reason(query.split("&"))):
        return why
    if _FOLDER_ORDER.fullmatch(query):
        return "a folder's list in another order"
    if _WIKI_TOOL.search(query):
        return "a tool or an old version of a wiki, not a page"
    if _TOKEN.search(query):
        return "a session number among the parameters"
    return _calendar_reason(path, query)


def _parameters_reason(parameters: list[str]) -> str | None:
    if len(parameters) > MAX_PARAMETERS:
        return f"{len(parameters)} query parameters"
    if len(set(parameters)) < len(parameters):
        return "the same query parameter twice"
    if len(parameters) <= MAX_REPEATS:
        return None
    # f[0], f[1], f[2] are one name, too: the filters of a shop.
    names = Counter(_NUMBER.sub("#", part.partition("=")[0]) for part in parameters)
    name, times = names.most_common(1)[0]
    return f"the query parameter {name} repeats {times} times" if times > MAX_REPEATS else None


def _calendar_reason(path: str, query: str) -> str | None:
    date = _QUERY_DATE.search(query)
    if why := _far_date_reason(date):
        return why
    if (date or _PATH_DATE.search(path)) and _STEP.search(query):
        return "a calendar's link to the next or previous page"
    return None


def _far_date_reason(date: re.Match[str] | None) -> str | None:
    year = int(date[date.lastindex or 1]) if date else CALENDAR_YEARS.start
    return None if year in CALENDAR_YEARS else f"a calendar in the year {year}"


def path_pattern(url: str) -> str:
    """Host and path with numbers and hex strings as `#`: what pages of one script have in common.

    >>> path_pattern("https://example.com/2024/05/item-77.html?x=1")
    'example.com/#/#/item-#.html'
    """
    return _host(url) + _NUMBER.sub("#", _path_and_query(url)[0])


@dataclass(frozen=True)
class WatchLimits:
    """When a host counts as endless, and how much of it is remembered."""

    max_query_keys: int = 30  # names of parameters on one host
    max_queries_per_path: int = 100
    max_pages_per_pattern: int = 500
    streak: int = 20  # near-duplicates in a row
    recent_pages: int = 20  # that a new page of the host is compared with
    # Of 16 bands: pages of similarity 0.8 reach it with probability 0.85, of 0.5 with 0.002.
    common_bands: int = 5
    max_hosts: int = 10_000
    max_paths: int = 50_000
    max_patterns: int = 100_000


Bands = npt.NDArray[np.int64]
_NO_PAGES: Bands = np.empty((0, BANDS), dtype=np.int64)
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Host:
    query_keys: set[str] = field(default_factory=set)
    recent: Bands = field(default_factory=_NO_PAGES.copy)
    streak: int = 0


class HostWatch:
    """What the hosts of one crawl have shown so far.

    It lives in memory only. After a restart, as after a flood of new hosts (what was not touched
    for longest is forgotten first), a host has a second chance; what it may cost in all is bounded
    by the caps, which are counted anew from the stored pages.
    """

    def __init__(self, limits: WatchLimits | None = None) -> None:
        self.limits = limits or WatchLimits()
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._queries: OrderedDict[str, set[int]] = OrderedDict()
        self._patterns: OrderedDict[str, int] = OrderedDict()

    def admit(self, url: str) -> str | None:
        """Count a URL that is new to the crawl; the reason if it must stay outside instead.

        Ask once for each URL. What is refused is not counted: a host whose filters explode keeps
        the pages that it had, and may add others with the parameters known so far.
        """
        host, (path, query) = _host(url), _path_and_query(url)
        pattern = host + _NUMBER.sub("#", path)
        admitted = self._patterns.get(pattern, 0)
        if admitted >= self.limits.max_pages_per_pattern:
            return f"{admitted} pages of the kind {pattern} already"
        if query and (why := self._admit_query(host, host + path, query)):
            return why
        _put(self._patterns, pattern, admitted + 1, self.limits.max_patterns)
        return None

    def _admit_query(self, host: str, page: str, query: str) -> str | None:
        known = self._host(host).query_keys
        keys = known.union(part.partition("=")[0] for part in query.split("&"))
        if len(keys) > max(self.limits.max_query_keys, len(known)):
            return f"more than {self.limits.max_query_keys} different query parameters on {host}"
        queries, spelled = self._queries.get(page, set()), hash(query)
        if spelled not in queries and len(queries) >= self.limits.max_queries_per_path:
            return f"{len(queries)} different queries of {page} already"
        queries.add(spelled)
        _put(self._queries, page, queries, self.limits.max_paths)
        self._host(host).query_keys = keys
        return None

    def note_page(self, host: str, bands: Sequence[int]) -> None:
        """Compare a fetched page (`duplicates.bands` of its text) with the host's recent ones.

        Pages without words are all alike.
        """
        seen = self._host(host)
        page = np.array(bands or (0,) * BANDS, dtype=np.int64)
        common = (seen.recent == page).sum(axis=1).max(initial=0)
        seen.streak = seen.streak + 1 if common >= self.limits.common_bands else 0
        seen.recent = np.vstack((seen.recent[-self.limits.recent_pages + 1 :], page))

    def is_slowed(self, host: str) -> bool:
        """Whether the host's last 20 pages were near-duplicates: it gets 1 % of the turns then."""
        seen = self._hosts.get(host)
        return seen is not None and seen.streak >= self.limits.streak

    def _host(self, host: str) -> _Host:
        seen = self._hosts.get(host) or _Host()
        _put(self._hosts, host, seen, self.limits.max_hosts)
        return seen


def _put(kept: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
