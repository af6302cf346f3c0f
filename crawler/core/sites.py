"""Sites: what can be expected of them, and what the say of several people amounts to."""

from collections.abc import Iterable
from dataclasses import dataclass

from focusadmin.lib.addresses import literal_address

EVIDENCE_PAGES = 5.0  # the frontier's evidence weighs like so many fetched pages
PRIOR_URLS = 2.0  # and the crawl's average like so many waiting URLs


@dataclass(frozen=True)
class SiteEvidence:
    """What a crawl knows of a site: its pages, and the pages on which its waiting URLs stand."""

    pages: int
    relevance_sum: float
    waiting: int
    evidence_sum: float


def predicted_relevance(site: SiteEvidence, crawl_mean: float) -> float:
    """The mean relevance to expect of the site's next pages.

        c = (sum of R(v(u)) over m waiting URLs u + 2 g) / (m + 2)
        predicted = (sum of R(d) over n fetched pages d + 5 c) / (n + 5)

    v(u) is the page on which u was found, g the mean relevance of the crawl. That a page's links
    are about as relevant as the page is the radius-1 rule of the 1999 paper (section 2.1), which
    soft focus crawls by; it is worth five pages, so that what was fetched soon outweighs it.

    >>> predicted_relevance(SiteEvidence(0, 0.0, 0, 0.0), 0.3)
    0.3
    >>> round(predicted_relevance(SiteEvidence(45, 0.0, 8, 8.0), 0.5), 3)
    0.09
    """
    cited = (site.evidence_sum + PRIOR_URLS * crawl_mean) / (site.waiting + PRIOR_URLS)
    return (site.relevance_sum + EVIDENCE_PAGES * cited) / (site.pages + EVIDENCE_PAGES)


def stay_away_entries(site: str) -> list[str]:
    """The site and every name below it; an address has none."""
    return [site] if literal_address(site) else [site, f"*.{site}"]


def in_force(said: Iterable[str]) -> str:
    """The majority of "in" and "out"; a tie, or nothing but "undecided", is undecided.

    >>> in_force(["in", "out", "out"]), in_force(["in", "out"]), in_force([])
    ('out', 'undecided', 'new')
    """
    votes = list(said)
    if not votes:
        return "new"
    balance = votes.count("in") - votes.count("out")
    if not balance:
        return "undecided"
    return "in" if balance > 0 else "out"
