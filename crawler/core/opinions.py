"""What verdicts of people amount to in the distiller."""

from collections.abc import Iterable, Mapping
from typing import Any

USEFUL, NOT_USEFUL = "useful", "not_useful"
USEFUL_WEIGHT, NOT_USEFUL_WEIGHT = 2.0, 0.1  # a tie of curators weighs 1


def weight_of(useful: int, not_useful: int) -> float:
    """Of a page or a site of which so many say the one and so many the other.

    >>> weight_of(2, 1), weight_of(0, 1), weight_of(1, 1)
    (2.0, 0.1, 1.0)
    """
    if useful == not_useful:
        return 1.0
    return USEFUL_WEIGHT if useful > not_useful else NOT_USEFUL_WEIGHT


def weights(
    verdicts: Iterable[Mapping[str, Any]], pages: Iterable[tuple[int, str]]
) -> dict[int, float]:
    """By number of the URL, where not 1; `pages` are numbers and sites. A page's own verdicts
    beat those of its site, and verdicts that were undone do not count."""
    of_pages: dict[int, list[int]] = {}
    of_sites: dict[str, list[int]] = {}
    for verdict in verdicts:
        if verdict["undone_at"] is not None:
            continue
        number, site = verdict["number"], verdict["site"]
        told = (
            of_sites.setdefault(site, [0, 0])
            if number is None
            else of_pages.setdefault(number, [0, 0])
        )
        told[verdict["value"] != USEFUL] += 1
    found = {number: weight_of(*of_sites[site]) for number, site in pages if site in of_sites}
    found.update({number: weight_of(*told) for number, told in of_pages.items()})
    return {number: weight for number, weight in found.items() if weight != 1.0}
