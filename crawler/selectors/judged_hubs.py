"""The lists of hubs and authorities with what people said of them."""

from dataclasses import dataclass

from crawler.models import Crawl, Distillation, RankedPage
from crawler.selectors.feedback import Opinion, opinions_of
from crawler.selectors.hubs import Ranked, ranked_pages
from focusadmin.accounts.models import User
from taxonomy.selectors.topics import WebAddress, web_address

RUNS_SHOWN = 20


@dataclass(frozen=True)
class Judged:
    """A hub or an authority, and the opinions about it and its site."""

    ranked: Ranked
    address: WebAddress | None
    opinion: Opinion
    of_site: Opinion


@dataclass(frozen=True)
class JudgedList:
    """Hubs, or authorities."""

    kind: str
    label: str
    rows: list[Judged]


def judged_pages(distillation: Distillation, user: User, limit: int) -> list[JudgedList]:
    pages, sites = opinions_of(distillation.crawl, user)
    lists = []
    for kind, label in ((RankedPage.Kind.HUB, "Hubs"), (RankedPage.Kind.AUTHORITY, "Authorities")):
        rows = [
            Judged(
                ranked=ranked,
                address=web_address(ranked.page.url),
                opinion=pages.get(ranked.place.number, Opinion()),
                of_site=sites.get(ranked.page.site, Opinion()),
            )
            for ranked in ranked_pages(distillation, kind, limit)
        ]
        lists.append(JudgedList(kind.value, label, rows))
    return lists


def runs_of(crawl: Crawl) -> list[Distillation]:
    return list(Distillation.objects.filter(crawl=crawl).select_related("by")[:RUNS_SHOWN])
