"""When to visit a page again: how often it changes, how long to wait, and which page comes first.

A page's changes are taken as a Poisson process. A visit shows only whether the page changed since
the visit before, not how often, and the time between two visits differs. What each visit showed is
kept, the last `LOOKS_KEPT` of a page.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from focusadmin.lib.errors import FocusAdminError

LOOKS_KEPT = 20
HOUR = 3600.0
SAME_FROM = 0.95  # texts of which so many shingles are the same have not changed
GROWTH = 2.0  # an interval is at most so many times the one before
_STEPS = 60  # of the bisection: exact to the last digits


@dataclass(frozen=True, slots=True)
class Look:
    """A visit: seconds since the one before, and whether the page had changed."""

    seconds: float
    changed: bool


@dataclass(frozen=True)
class Revisit:
    """What a crawl's settings say about pages that it has."""

    on: bool = False
    share: float = 0.1  # of all pages fetched, those visited again among them
    least_hours: float = 24.0  # between two visits of a page
    most_hours: float = 720.0
    round_pages: int = 50  # of a round after the crawl's end

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 0.9:
            raise FocusAdminError(f"share must be more than 0 and at most 0.9, not {self.share}.")
        if not 0.01 <= self.least_hours <= self.most_hours <= 24 * 366:
            raise FocusAdminError(
                "least_hours must be 0.01 or more and not above most_hours, which is at most 8,784."
            )
        if not 1 <= self.round_pages <= 10_000:
            raise FocusAdminError(f"round_pages must be from 1 to 10,000, not {self.round_pages}.")

    @property
    def least(self) -> float:
        return self.least_hours * HOUR

    @property
    def most(self) -> float:
        return self.most_hours * HOUR

    @property
    def first(self) -> float:
        """Seconds until the first revisit, when nothing is known yet: the middle by ratio."""
        return math.sqrt(self.least * self.most)

    def allowed(self, fetched: int, revisited: int, asked: int) -> int:
        """How many more may be asked for, so that revisits keep to their share."""
        return max(0, math.floor(self.share * (fetched + revisited)) - revisited - asked)


def change_rate(looks: Sequence[Look]) -> float:
    r"""Changes per second, estimated from visits at irregular times; 0 if none was seen.

    The maximum likelihood estimate for irregular visits solves (Cho and Garcia-Molina, "Estimating
    frequency of change", ACM Transactions on Internet Technology 3(3), 2003, section 4)

        sum over changed of t_i / (exp(r t_i) - 1)  =  sum over unchanged of t_j

    and is infinite when all visits saw a change. For regular visits, X of n with a change, the same
    section corrects this bias: r I = -log((n - X + 0.5) / (n + 0.5)). That is the
    estimate with half a visit more which saw no change. So half a visit of mean length is added to
    the right side here, too, which gives the paper's estimator when all intervals are equal.

    >>> regular = [Look(10.0, True)] * 3 + [Look(10.0, False)] * 7
    >>> round(change_rate(regular) * 10.0, 6) == round(-math.log(7.5 / 10.5), 6)
    True
    """
    seen = [look for look in looks if look.seconds > 0]
    changed = [look.seconds for look in seen if look.changed]
    if not changed:
        return 0.0
    mean = sum(look.seconds for look in seen) / len(seen)
    quiet = sum(look.seconds for look in seen if not look.changed) + mean / 2

    def excess(rate: float) -> float:
        return sum(_term(rate, seconds) for seconds in changed) - quiet

    # 1 / (e^x - 1) < 1 / x, so that at the upper bound the left side is too small.
    low, high = 0.0, len(changed) / quiet
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def _term(rate: float, seconds: float) -> float:
    """t / (e^(r t) - 1), also for tiny and large r t."""
    exponent = rate * seconds
    if exponent > 700:
        return 0.0
    return seconds / math.expm1(exponent) if exponent > 0 else math.inf


def interval(looks: Sequence[Look], rules: Revisit) -> float:
    """Seconds until the page has changed with probability 1/2, within the bounds of the settings.

    A page in which nothing was ever seen to change is left alone twice as long each time.
    """
    if not looks:
        return rules.first
    rate = change_rate(looks)
    wanted = math.log(2) / rate if rate > 0 else math.inf
    longest = GROWTH * max(looks[-1].seconds, rules.least)
    return min(max(min(wanted, longest), rules.least), rules.most)


def chance_of_change(looks: Sequence[Look], elapsed: float, rules: Revisit) -> float:
    """1 - exp(-r t) after t seconds, with r of the interval that is kept to: never quite 0."""
    return -math.expm1(-math.log(2) * max(0.0, elapsed) / interval(looks, rules))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be visited again. `worth`: its relevance, or hub score if that is larger."""

    number: int
    worth: float
    looks: Sequence[Look]
    visited_at: float


def best_first(
    candidates: Sequence[Candidate], now: float, rules: Revisit, limit: int
) -> list[Candidate]:
    """By what a visit is expected to bring: worth times the probability of a change."""

    def benefit(one: Candidate) -> float:
        return one.worth * chance_of_change(one.looks, now - one.visited_at, rules)

    return sorted(candidates, key=lambda one: (-benefit(one), one.number))[:limit]
