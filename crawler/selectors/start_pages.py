"""Where a crawl for a focus begins, and what it would fetch first, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.core.config import StayAway
from crawler.core.frontier import registry
from crawler.core.judging import PageJudge
from crawler.core.types import Merge, ScoredLink, ScoredPage, url_key
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.proposals import Placed, relevance_of
from taxonomy.core.tree import shown_name
from taxonomy.models import Focus, FocusPage
from taxonomy.selectors.guide import good_lineages, passing_lineages
from taxonomy.selectors.models import judge_of
from taxonomy.selectors.placing import placed_pages

SHOWN = 20
PAGES_LEARNT = 200  # for a look ahead: links of the best pages come first anyway


@dataclass(frozen=True)
class Upcoming:
    """A URL that the crawl would fetch, with the reason for its rank."""

    url: str
    title: str
    reason: str


@dataclass(frozen=True)
class StartPage:
    url: str
    title: str
    relevance: float
    priority_relevance: float
    page: FocusPage | None = None


def start_pages(focus: Focus) -> list[StartPage]:
    """Examples under good or pass-through topics, the most relevant first.

    Without any, the addresses that the good topics come with.
    """
    good, passing = good_lineages(focus), passing_lineages(focus)
    wanted = [*good, *passing]
    pages = list(focus.pages.examples().exclude(routed_by="").defer("text"))
    found = [
        StartPage(page.url, page.title, *_relevances(placed, good, passing), page)
        for page, placed in zip(pages, placed_pages(pages), strict=True)
        if page.state != FocusPage.State.UNREACHABLE and any(map(placed.is_under, wanted))
    ]
    if found:
        return sorted(found, key=lambda start: -start.relevance)
    urls = [url for topic in focus.good_topics.all() for url in topic.start_urls]
    return [StartPage(url, "", 0.0, 0.0) for url in dict.fromkeys(urls)]


def unknown_topics(focus: Focus) -> list[str]:
    """Topics of the focus that the current model has not learnt yet."""
    columns = judge_of(focus.taxonomy).scorer.tree.columns
    wanted = [*good_lineages(focus), *passing_lineages(focus)]
    return [shown_name(topic[-1]) for topic in wanted if topic not in columns]


def upcoming(focus: Focus, strategy: str, exclusions: Sequence[str] = ()) -> list[Upcoming]:
    """The first URLs in the order of the strategy itself, which is shown the examples.

    The start pages come first; then what the strategy would follow from those already read.
    """
    stay_away = StayAway(tuple(exclusions))
    starts = [s for s in start_pages(focus) if stay_away.entry_for(s.url) is None]
    first = [Upcoming(s.url, s.title, _start_reason(s)) for s in starts[:SHOWN]]
    if len(first) == SHOWN or unknown_topics(focus):
        return first
    links = _links(focus, strategy, starts, stay_away)
    return [*first, *links[: SHOWN - len(first)]]


def _links(
    focus: Focus, strategy: str, starts: Sequence[StartPage], stay_away: StayAway
) -> list[Upcoming]:
    scorer = judge_of(focus.taxonomy).scorer
    judge = PageJudge(scorer, good_lineages(focus), passing_lineages(focus))
    built = registry.build(strategy)
    known = {url_key(start.url) for start in starts}
    built.start([url_key(start.url) for start in starts])
    priorities: dict[int, float] = {}
    places: dict[int, tuple[str, str, StartPage]] = {}
    for start in starts[:PAGES_LEARNT]:
        page = _scored(start, judge)
        for link in page.links:
            places.setdefault(link.key, (link.url, link.anchor, start))
        for change in built.learn(page).changes:
            before = priorities.get(change.key, 0.0)
            is_sum = built.merge is Merge.ADD
            priorities[change.key] = (
                before + change.priority if is_sum else max(before, change.priority)
            )
    ranked = sorted(priorities, key=lambda key: -priorities[key])  # stable: discovery settles ties
    return [
        Upcoming(url, anchor, _link_reason(start))
        for url, anchor, start in (places[key] for key in ranked if key in places)
        if url_key(url) not in known and stay_away.entry_for(url) is None
    ]


def _scored(start: StartPage, judge: PageJudge) -> ScoredPage:
    links = [(url, anchor) for url, anchor in (start.page.links if start.page else [])]
    contexts = judge.contexts([anchor for _, anchor in links])
    return ScoredPage(
        key=url_key(start.url),
        url=start.url,
        depth=0,
        relevance=start.relevance,
        priority_relevance=start.priority_relevance,
        is_on_topic=True,
        content_similarity=0.0,
        links=tuple(
            ScoredLink(url_key(url), url, anchor, float(context))
            for (url, anchor), context in zip(links, contexts, strict=True)
        ),
    )


def _relevances(
    placed: Placed, good: Sequence[Lineage], passing: Sequence[Lineage]
) -> tuple[float, float]:
    relevance = relevance_of(placed, good)
    return relevance, max(relevance, relevance_of(placed, passing))


def _start_reason(start: StartPage) -> str:
    if start.page is None:
        return "Start page that the good topic comes with"
    words = ", judged by title and address" if start.page.is_by_words else ""
    return f"Your example: relevance {start.relevance:.2f}{words}"


def _link_reason(start: StartPage) -> str:
    return f"Linked from “{start.title[:80]}”, relevance {start.relevance:.2f}"
