"""What people said of a crawl's pages and sites, and what it amounts to."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from crawler.core.opinions import weight_of, weights
from crawler.core.ports import OK
from crawler.models import Crawl, CrawlEvent, Page, Verdict
from focusadmin.accounts.models import User

HISTORY = 50


@dataclass
class Opinion:
    """All that holds of one page, or of one site as a whole."""

    useful: list[str] = field(default_factory=list)  # names of those who said so
    not_useful: list[str] = field(default_factory=list)
    mine: Verdict | None = None

    @property
    def weight(self) -> float:
        return weight_of(len(self.useful), len(self.not_useful))

    @property
    def words(self) -> str:
        """As it is shown: the names while everybody agrees, else how many of how many."""
        said = len(self.useful) + len(self.not_useful)
        if not said:
            return ""
        if not self.useful or not self.not_useful:
            names, value = self.useful or self.not_useful, "useful" if self.useful else "not useful"
            return f"{value}, says {names[0]}" if said == 1 else f"all {said} say {value}"
        return f"{len(self.useful)} of {said} say useful"


def verdicts_in_force(crawl: Crawl) -> list[Verdict]:
    said = Verdict.objects.filter(crawl=crawl, undone_at=None).select_related("by")
    return list(said.order_by("id"))


def opinions_of(
    crawl: Crawl, user: User | None = None
) -> tuple[dict[int, Opinion], dict[str, Opinion]]:
    """Of pages by the number of their URL, and of sites by name."""
    pages: dict[int, Opinion] = defaultdict(Opinion)
    sites: dict[str, Opinion] = defaultdict(Opinion)
    for verdict in verdicts_in_force(crawl):
        opinion = sites[verdict.site] if verdict.number is None else pages[verdict.number]
        is_useful = verdict.value == Verdict.Value.USEFUL
        name = verdict.by.get_username() if verdict.by else "somebody"
        (opinion.useful if is_useful else opinion.not_useful).append(name)
        if user is not None and verdict.by_id == user.pk:
            opinion.mine = verdict
    return dict(pages), dict(sites)


def weights_of(crawl: Crawl) -> dict[int, float]:
    """For the distiller, by number of the URL. A page's own verdicts beat those of its site."""
    said = Verdict.objects.filter(crawl=crawl, undone_at=None)
    verdicts = list(said.values("number", "site", "value", "undone_at"))
    sites = {verdict["site"] for verdict in verdicts if verdict["number"] is None}
    rows = Page.objects.filter(crawl=crawl, outcome=OK, site__in=sites)
    return weights(verdicts, rows.values_list("number", "site"))


@dataclass(frozen=True)
class Told:
    """A line of the feedback history."""

    verdict: Verdict
    page: Page | None


def feedback_history(crawl: Crawl, limit: int = HISTORY) -> list[Told]:
    said = Verdict.objects.filter(crawl=crawl).select_related("by", "undone_by")
    verdicts = list(said[:limit])
    seqs = [verdict.page_seq for verdict in verdicts if verdict.page_seq is not None]
    pages = _pages(crawl, seqs)
    return [
        Told(verdict, None if verdict.page_seq is None else pages.get(verdict.page_seq))
        for verdict in verdicts
    ]


def _pages(crawl: Crawl, seqs: Iterable[int]) -> dict[int, Page]:
    return {page.seq: page for page in Page.objects.filter(crawl=crawl, seq__in=list(seqs))}


@dataclass(frozen=True)
class Effect:
    """How far the latest feedback has come."""

    learning: int  # verdicts that the classifier has yet to learn
    is_ranking: bool  # the engine is about to rank its frontier anew
    is_resting: bool  # the crawl does not work, so its frontier waits for that
    outcome: str  # what the last ranking did

    @property
    def is_on_its_way(self) -> bool:
        return bool(self.learning) or (self.is_ranking and not self.is_resting)


def effect_of(crawl: Crawl) -> Effect | None:
    """None when nobody has said anything yet."""
    said = Verdict.objects.filter(crawl=crawl)
    if not said.exists():
        return None
    ranked = CrawlEvent.objects.filter(crawl=crawl, kind="ranked").last()
    return Effect(
        learning=said.filter(revision=None).count(),
        is_ranking=crawl.ranked_revision != crawl.settings_revision,
        is_resting=not crawl.is_active,
        outcome=ranked.text if ranked else "",
    )
