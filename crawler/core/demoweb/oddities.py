"""Redirects and broken pages, and which hosts have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler.core.demoweb.catalogue import Fault, PageKind, Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.drafting import SiteDraft
from crawler.core.demoweb.plans import SiteKind

MOVED_SHARE = 0.015
LOOP = ("/round/one", "/round/two")


@dataclass(frozen=True)
class Oddities:
    """Places where a visitor finds no ordinary page."""

    redirects: Mapping[Place, Place]
    faults: Mapping[Place, Fault]

    def places(self) -> list[Place]:
        """All of them, in a fixed order."""
        return [*self.redirects, *self.faults]


def plan_oddities(drafts: Sequence[SiteDraft], seed: int) -> Oddities:
    """Some articles have an old address; most sites have two broken pages."""
    redirects: dict[Place, Place] = {}
    faults: dict[Place, Fault] = {}
    for number, draft in enumerate(drafts):
        redirects.update(_moved(draft, seed))
        for fault in (list(Fault)[number % 6], list(Fault)[(number + 3) % 6]):
            faults[Place(draft.plan.host, f"/archive/{fault}.html")] = fault
    redirects.update(_loop(drafts))
    return Oddities(redirects, faults)


def _moved(draft: SiteDraft, seed: int) -> dict[Place, Place]:
    chance = dice(seed, draft.plan.host, "moved")
    articles = [page for page in draft.pages() if page.kind is PageKind.ARTICLE]
    moved = [page for page in articles if chance.random() < MOVED_SHARE]
    return {Place(page.host, f"/old{page.path}"): page.place for page in moved}


def _loop(drafts: Sequence[SiteDraft]) -> dict[Place, Place]:
    host = next(draft.plan.host for draft in drafts if draft.plan.kind is SiteKind.MIXED)
    one, two = (Place(host, path) for path in LOOP)
    return {one: two, two: one}
