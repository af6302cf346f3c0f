"""Named sets of weights for the `evolved` strategy, and weights written out by hand.

A set gives each score a weight; those it does not name weigh 0. In use they always sum to 1.
"""

import re
from collections.abc import Mapping
from math import fsum, isfinite
from types import MappingProxyType

SCORES = (
    "hub",
    "authority",
    "community_in",
    "community_out",
    "parent_1",
    "parent_2",
    "parent_3",
    "parent_4",
    "parent_5",
    "context",
    "host",
)
PAPER_SCORES = SCORES[:9]  # the rest is from the paper's wish list

Weights = Mapping[str, float]

NAMED: Mapping[str, Weights] = MappingProxyType(
    {
        "balanced": dict.fromkeys(PAPER_SCORES, 1.0),
        # Johnson 2003, table 1: the best individual of the crawls over 10,000 URLs.
        "johnson_2003": {
            "hub": 0.025828,
            "authority": 0.025852,
            "community_in": 0.196382,
            "community_out": 0.312661,
            "parent_1": 0.250646,
            "parent_2": 0.093023,
            "parent_3": 0.080103,
            "parent_4": 0.005168,
            "parent_5": 0.010336,
        },
        # The paper's yardstick: the classifier's word on the page that has the link.
        "best_first": {"parent_1": 1.0},
        # Table 1 without its near-zero parts, half of the whole; the wish list is the other half.
        "extended": {
            "community_in": 0.10,
            "community_out": 0.15,
            "parent_1": 0.15,
            "parent_2": 0.05,
            "parent_3": 0.05,
            "context": 0.35,
            "host": 0.15,
        },
    }
)

_PAIR = re.compile(r"\s*(\w+)\s*=\s*([^\s,]+)\s*")


def resolve(text: str) -> dict[str, float]:
    """A weight for each score, in the order of SCORES and with sum 1.

    Takes the name of a set, or weights as `spell` writes them: "parent_1=3, context=1".
    """
    if not isinstance(text, str):
        raise ValueError(f"weights must be text, not {text!r}.")
    if "=" in text:
        return normalised(_read(text))
    if text not in NAMED:
        raise ValueError(
            f"There are no weights {text}. Choose one of: {', '.join(NAMED)}; "
            "or write them like parent_1=3, context=1."
        )
    return normalised(NAMED[text])


def spell(weights: Weights) -> str:
    """Weights as text that `resolve` reads back; weights of 0 are left out."""
    return ", ".join(f"{name}={weight!r}" for name, weight in weights.items() if weight)


def normalised(weights: Weights) -> dict[str, float]:
    """The same proportions with sum 1."""
    if unknown := sorted(set(weights) - set(SCORES)):
        raise ValueError(f"There is no score {', '.join(unknown)}. Scores: {', '.join(SCORES)}.")
    for name, weight in weights.items():
        if not (isfinite(weight) and 0 <= weight <= 1e12):
            raise ValueError(f"The weight of {name} must be 0 or more, not {weight}.")
    whole = fsum(weights.values())
    if whole < 1e-12:
        raise ValueError("At least one weight must be above 0.")
    return {name: weights.get(name, 0.0) / whole for name in SCORES}


def _read(text: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in text.split(","):
        match = _PAIR.fullmatch(part)
        if match is None:
            raise ValueError(f"Weights look like parent_1=3, context=1; this does not: {part!r}.")
        name, number = match.groups()
        if name in weights:
            raise ValueError(f"{name} is weighed twice.")
        weights[name] = _number(name, number)
    return weights


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"The weight of {name} must be a number, not {text!r}.") from None
