"""What becomes of a URL whose fetch brought no page: another try later, or none.

`tries` counts the tries before the one that just failed. The pause before the next is

    first_seconds * factor ** tries * jitter,    jitter in [0.75, 1.25)

with a jitter that hangs on the URL alone, so that URLs which failed together don't come back
together and a crawl run twice makes the same decisions.
"""

from dataclasses import dataclass
from enum import StrEnum

from crawler.core.types import url_key
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Reason
from focusadmin.lib.parsing_worker import WorkFailure, WorkReason
from focusadmin.lib.politeness import retry_after
from focusadmin.lib.robots import RETRY_SECONDS as ROBOTS_RETRY_SECONDS

MAX_RESTS = 20  # how often a host may put off one URL
JITTER = 0.25


class Refusal(StrEnum):
    """Why a URL was not asked for at all; the value is stored and shown."""

    ROBOTS_DENIED = "robots_denied"
    ROBOTS_UNREACHABLE = "robots_unreachable"  # then nothing may be visited, for now


Failure = FetchFailure | FetchResult | WorkFailure | Refusal


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after the delay; the whole host is left alone for its rest (0: it is not)."""

    delay_seconds: float
    host_rest_seconds: float
    counts_as_try: bool = True


@dataclass(frozen=True, slots=True)
class Dead:
    """Never try again; the reason is fit to show. The host may need its rest all the same."""

    reason: str
    host_rest_seconds: float = 0.0


Verdict = Retry | Dead


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table; `max_tries` counts the first one, so 1 means dead at once."""

    words: str
    max_tries: int = 1
    first_seconds: float = 0.0
    factor: float = 1.0
    rests_host: bool = False  # the failure says something about the host, not about the page


RULES: dict[Reason | Refusal | WorkReason, Rule] = {
    # The name or the machine can't be reached: so its other pages can't either.
    Reason.NAME_NOT_FOUND: Rule("the host's name is not known", 2, 60.0, rests_host=True),
    Reason.CONNECT_FAILED: Rule("the host refused the connection", 3, 30.0, 4.0, rests_host=True),
    Reason.CONNECT_TIMEOUT: Rule("the host did not answer", 3, 30.0, 4.0, rests_host=True),
    # The machine is there, but this answer did not come through.
    Reason.FIRST_BYTE_TIMEOUT: Rule("the answer took too long to begin", 3, 30.0, 4.0),
    Reason.TOO_SLOW: Rule("the answer came too slowly", 3, 30.0, 4.0),
    Reason.DEADLINE: Rule("the answer took too long", 3, 30.0, 4.0),
    Reason.CUT_OFF: Rule("the answer broke off", 3, 30.0, 4.0),
    # Would be the same tomorrow.
    Reason.BAD_URL: Rule("not a web address"),
    Reason.FORBIDDEN_SCHEME: Rule("not an http or https address"),
    Reason.FORBIDDEN_ADDRESS: Rule("the host's address is not on the public Web"),
    Reason.TLS_FAILED: Rule("no secure connection"),
    Reason.BROKEN_PROTOCOL: Rule("the answer is not HTTP"),
    Reason.HEADERS_TOO_LARGE: Rule("the answer's headers are too large"),
    Reason.TOO_LARGE: Rule("the page is too large"),
    Reason.BOMB: Rule("the page grows beyond all measure when unpacked"),
    Reason.BROKEN_ENCODING: Rule("the page can't be unpacked"),
    Reason.UNKNOWN_ENCODING: Rule("the page is packed in an unknown way"),
    Reason.WRONG_TYPE: Rule("not a page of text"),
    Reason.TOO_MANY_REDIRECTS: Rule("too many redirects"),
    Reason.REDIRECT_LOOP: Rule("redirects in a circle"),
    Reason.REDIRECT_DECLINED: Rule("redirects to a place that we may not visit"),
    Refusal.ROBOTS_DENIED: Rule("robots.txt asks us not to visit this page"),
    Refusal.ROBOTS_UNREACHABLE: Rule(
        "robots.txt can't be read", 3, ROBOTS_RETRY_SECONDS, 4.0, rests_host=True
    ),
    # A page that a parser can't bear, it can't bear again.
    WorkReason.TIME: Rule("reading the page took too long"),
    WorkReason.MEMORY: Rule("reading the page took too much memory"),
    WorkReason.CRASH: Rule("reading the page broke the parser"),
    WorkReason.ERROR: Rule("the page can't be read"),
    WorkReason.START: Rule("nothing could be read"),
}

STATUS_RULES: dict[int, Rule] = {
    401: Rule("only for people who sign in"),
    403: Rule("the host does not let us in"),
    404: Rule("no such page"),
    410: Rule("the page is gone"),
    408: Rule("the host waited too long for us", 3, 30.0, 4.0),
    425: Rule("the host found it too early", 2, 30.0),
    429: Rule("the host has had too many requests", 3, 60.0, 4.0, rests_host=True),
    503: Rule("the host is overloaded or closed", 3, 30.0, 4.0, rests_host=True),
}
SERVER_ERROR = Rule("the host has a fault", 3, 30.0, 4.0)  # all other 5xx
ANY_OTHER_STATUS = Rule("the host has no page to give")  # 1xx, 3xx without a way on, 4xx
ASKS_TO_WAIT = frozenset({429, 503})  # may come with a Retry-After


def after_failure(
    outcome: Failure, tries: int, now: float, *, url: str = "", rests: int = 0
) -> Verdict:
    """What to do with a URL after `tries` earlier tries and this failure.

    When a 429 or 503 says how long to wait, the host rests so long (one second to one day) and the
    try is not counted: the host did nothing wrong and nor did the page. So that a host can't put a
    URL off for ever, the caller says in `rests` how often that happened; then it does count.
    `url` is for outcomes that have none of their own.
    """
    rule, words = _rule_for(outcome)
    asked = _asked_rest(outcome, now)
    if asked is not None and rests < MAX_RESTS:
        return Retry(asked, asked, counts_as_try=False)
    jitter = _jitter(getattr(outcome, "url", url))
    seconds = max(rule.first_seconds * rule.factor**tries * jitter, asked or 0.0)
    rest = seconds if rule.rests_host else 0.0
    if tries + 1 < rule.max_tries:
        return Retry(seconds, rest)
    return Dead(words if rule.max_tries == 1 else f"{words} ({tries + 1} tries)", rest)


def is_hopeless(reason: Reason) -> bool:
    """Whether another try would bring the same."""
    return RULES[reason].max_tries == 1


def _rule_for(outcome: Failure) -> tuple[Rule, str]:
    if isinstance(outcome, FetchResult):
        rule = _status_rule(outcome)
        return rule, f"status {outcome.status}: {rule.words}"
    rule = RULES[outcome if isinstance(outcome, Refusal) else outcome.reason]
    return rule, rule.words


def _status_rule(result: FetchResult) -> Rule:
    if result.is_ok:
        raise ValueError(f"status {result.status} is no failure")
    fallback = SERVER_ERROR if 500 <= result.status < 600 else ANY_OTHER_STATUS
    return STATUS_RULES.get(result.status, fallback)


def _asked_rest(outcome: Failure, now: float) -> float | None:
    if isinstance(outcome, FetchResult) and outcome.status in ASKS_TO_WAIT:
        return retry_after(outcome.headers, now=now)
    return None


def _jitter(url: str) -> float:
    share = (url_key(url) & 0xFFFF) / 0x10000
    return 1.0 - JITTER + 2 * JITTER * share
