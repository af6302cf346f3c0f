"""How sure a count makes one: 95 % intervals for shares and for numbers of events."""

import math

Z = 1.96


def wilson_interval(hits: int, tries: int) -> tuple[float, float]:
    """For a share (Wilson 1927): (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    if not tries:
        return 0.0, 1.0
    share, square = hits / tries, Z * Z / tries
    middle = share + square / 2
    half = Z * math.sqrt(share * (1 - share) / tries + square / (4 * tries))
    return max((middle - half) / (1 + square), 0.0), min((middle + half) / (1 + square), 1.0)


def poisson_interval(events: float) -> tuple[float, float]:
    """For the expected number behind a count: (sqrt(k) -+ z/2)², by the root's even spread."""
    low = max(math.sqrt(events) - Z / 2, 0.0) ** 2
    return low, (math.sqrt(events + 1) + Z / 2) ** 2
