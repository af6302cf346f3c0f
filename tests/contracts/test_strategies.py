"""What every frontier strategy promises, checked on small webs by a small crawler."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.frontier.base import FrontierStrategy
from crawler.core.frontier.registry import DEFAULT, KEYS, StrategyError, build, entries, entry
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredLink, ScoredPage
from tests.product import ROOT

Web = dict[int, ScoredPage]  # a URL that is not in it cannot be fetched
STARTS = (0, 1, 2)
QUICK: dict[
    str, dict[str, object]
] = {  # so that small webs see what large ones see with the defaults
    "otie": {"revisit_every": 4},
    "hybrid_seed_rank": {"low_water": 1},
    "evolved": {"weights": "extended"},
}


def made(key: str, seed: int = 0) -> FrontierStrategy:
    return build(key, QUICK.get(key), seed=seed)


def small_web(seed: int, pages: int = 30) -> Web:
    """Random links: dead ends, pages that link to themselves, cycles and dead links among them."""
    random = Random(seed)
    return {key: _random_page(random, key, pages) for key in range(pages)}


def _random_page(random: Random, key: int, pages: int) -> ScoredPage:
    targets = random.sample(range(pages + 5), random.choice([0, 1, 3, 8]))
    if random.random() < 0.3 and key not in targets:
        targets.append(key)
    relevance = random.choice([0.0, 0.2, 0.5, 0.9, 1.0])
    return ScoredPage(
        key=key,
        url=_url(key),
        depth=0,
        relevance=relevance,
        priority_relevance=relevance,
        is_on_topic=relevance >= 0.5,
        content_similarity=random.random(),
        links=tuple(ScoredLink(to, _url(to), "", random.random()) for to in targets),
    )


def _url(key: int) -> str:
    return f"http://site-{key % 4}.test/{key}"


@dataclass
class SmallCrawl:
    """Fetches the best of the frontier: priority descending, discovery first."""

    web: Web
    strategy: FrontierStrategy
    waiting: dict[int, float] = field(default_factory=dict)  # in the order of discovery
    found: set[int] = field(default_factory=set)
    fetched: list[ScoredPage] = field(default_factory=list)
    told: list[Expansion] = field(default_factory=list)

    def start(self, keys: Sequence[int] = STARTS) -> "SmallCrawl":
        self.found.update(keys)
        for change in self.strategy.start(keys):
            self.admit(change)
        return self

    def run(self, steps: int) -> "SmallCrawl":
        for _ in range(steps):
            if self.waiting:
                self._step()
        return self

    @property
    def order(self) -> list[int]:
        return [page.key for page in self.fetched]

    def _step(self) -> None:
        best = max(self.waiting, key=self.waiting.__getitem__)  # the first of equals
        del self.waiting[best]
        if (page := self.web.get(best)) is not None:
            self._apply(page, self.strategy.learn(page))

    def _apply(self, page: ScoredPage, told: Expansion) -> None:
        self.fetched.append(page)
        self.told.append(told)
        self.found.update(link.key for link in page.links)
        done = set(self.order)
        for change in told.changes:
            if change.key not in done or change.key in self.waiting:
                self.admit(change)
        for change in told.revisits:
            self.waiting[change.key] = change.priority

    def admit(self, change: PriorityChange) -> None:
        old = self.waiting.get(change.key)
        match self.strategy.merge:
            case Merge.MAX if old is not None:
                self.waiting[change.key] = max(old, change.priority)
            case Merge.ADD if old is not None:
                self.waiting[change.key] = old + change.priority
            case _:
                self.waiting[change.key] = change.priority


def crawled(key: str, web: Web, *, steps: int = 80, seed: int = 0) -> SmallCrawl:
    return SmallCrawl(web, made(key, seed)).start().run(steps)


def reachable(web: Web) -> set[int]:
    seen, ahead = set(STARTS), list(STARTS)
    while ahead:
        for link in web[ahead.pop()].links:
            if link.key in web and link.key not in seen:
                seen.add(link.key)
                ahead.append(link.key)
    return seen


def check_the_same_seed_gives_the_same_crawl(key: str, web: Web) -> None:
    first, second = crawled(key, web, seed=7), crawled(key, web, seed=7)
    assert first.order == second.order
    assert first.told == second.told


def check_only_the_unfocused_crawl_depends_on_the_seed(key: str, web: Web) -> None:
    if key != "unfocused":
        assert crawled(key, web, seed=1).told == crawled(key, web, seed=2).told


def check_priorities_are_finite(key: str, web: Web) -> None:
    crawl = crawled(key, web)
    changes = [*made(key).start(STARTS)]
    for told in crawl.told:
        changes += [*told.changes, *told.revisits]
    assert all(isfinite(change.priority) for change in changes)


def check_a_crawl_resumes_where_it_stopped(key: str, web: Web) -> None:
    whole = crawled(key, web)
    stopped = crawled(key, web, steps=40)
    stopped.strategy = made(key)
    stopped.strategy.start(STARTS)
    replayed = [stopped.strategy.learn(page) for page in stopped.fetched]
    assert replayed == stopped.told
    assert stopped.run(40).order == whole.order
    assert stopped.told == whole.told


def check_stateless_strategies_need_no_replay(key: str, web: Web) -> None:
    if made(key).is_stateless:
        stopped = crawled(key, web, steps=40)
        stopped.strategy = made(key)
        assert stopped.run(40).order == crawled(key, web).order


def check_only_links_that_were_found_are_asked_for(key: str, web: Web) -> None:
    found, fetched, crawl = set(STARTS), set(), crawled(key, web)
    for page, told in zip(crawl.fetched, crawl.told, strict=True):
        found.update(link.key for link in page.links)
        fetched.add(page.key)
        assert {change.key for change in told.changes} <= found
        assert {change.key for change in told.revisits} <= fetched


def check_a_url_is_named_once_for_each_page(key: str, web: Web) -> None:
    for told in crawled(key, web).told:
        changed = [change.key for change in told.changes]
        due = [change.key for change in told.revisits]
        assert len(changed) == len(set(changed))
        assert len(due) == len(set(due))


def check_the_crawl_reaches_every_page_unless_it_prunes(key: str, web: Web) -> None:
    got = set(crawled(key, web, steps=400).order)
    if key == "hard_focus":
        assert set(STARTS) <= got <= reachable(web)
    else:
        assert got == reachable(web)


def check_pages_may_be_learned_twice(key: str, web: Web) -> None:
    strategy = made(key)
    strategy.start(STARTS)
    for page in [*web.values(), *reversed(web.values())]:
        told = strategy.learn(page)
        assert all(isfinite(change.priority) for change in told.changes)
        fewer = strategy.learn(replace(page, links=page.links[1:], priority_relevance=1.0))
        assert all(isfinite(change.priority) for change in fewer.changes)


def check_the_start_set_may_grow_during_the_crawl(key: str, web: Web) -> None:
    crawl = crawled(key, web, steps=15)
    fetched, late = crawl.order[0], max(web)
    changes = crawl.strategy.start([fetched, late])
    assert [change.key for change in changes] == [fetched, late]
    for change in changes:
        if change.key not in crawl.order:
            crawl.found.add(change.key)
            crawl.admit(change)
    assert late in crawl.run(400).order


def check_the_strategy_leaves_pages_as_they_are(key: str, web: Web) -> None:
    before = deepcopy(web)
    crawled(key, web)
    assert web == before


CHECKS: list[Callable[[str, Web], None]] = [
    check_the_same_seed_gives_the_same_crawl,
    check_only_the_unfocused_crawl_depends_on_the_seed,
    check_priorities_are_finite,
    check_a_crawl_resumes_where_it_stopped,
    check_stateless_strategies_need_no_replay,
    check_only_links_that_were_found_are_asked_for,
    check_a_url_is_named_once_for_each_page,
    check_the_crawl_reaches_every_page_unless_it_prunes,
    check_pages_may_be_learned_twice,
    check_the_start_set_may_grow_during_the_crawl,
    check_the_strategy_leaves_pages_as_they_are,
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32), pages=st.integers(3, 60))
def test_strategy_keeps_its_promises(check, key: str, seed: int, pages: int):
    check(key, small_web(seed, pages))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("links", [(), (5,), (0,), (0, 1), (7,)])
def test_odd_pages_do_no_harm(key: str, links: tuple[int, ...]):
    """Empty, linking to itself only, to the start set, to one page over and over."""
    strategy = made(key)
    strategy.start([0, 1])
    blank = replace(small_web(0)[5], links=tuple(ScoredLink(k, _url(k), "", 0.0) for k in links))
    for _ in range(12):
        told = strategy.learn(blank)
        assert {change.key for change in told.changes} <= set(links)


@pytest.mark.parametrize("key", KEYS)
def test_a_start_set_gets_one_priority_for_each_key_in_order(key: str):
    assert [change.key for change in made(key).start([5, 3, 9])] == [5, 3, 9]
    assert list(made(key).start([])) == []


def test_unfocused_crawls_with_other_seeds_differ():
    web = small_web(1, pages=60)
    assert crawled("unfocused", web, seed=1).order != crawled("unfocused", web, seed=2).order


def test_strategies_differ_from_each_other():
    web = small_web(4, pages=60)
    assert len({tuple(crawled(key, web).order) for key in KEYS}) == len(KEYS)


def test_some_small_web_sees_revisits_so_that_the_checks_mean_something():
    assert any(told.revisits for told in crawled("otie", small_web(3)).told)


@pytest.mark.parametrize("key", KEYS)
def test_every_strategy_introduces_itself(key: str):
    shown = entry(key)
    assert shown.key == key
    assert shown.label
    assert shown.summary.endswith(".")
    for parameter in fields(shown.parameters):
        assert parameter.metadata["label"], parameter.name
        assert parameter.metadata["help"].endswith("."), parameter.name


def test_labels_are_all_different_and_the_default_is_listed_first():
    listed = entries()
    assert len({shown.label for shown in listed}) == len(KEYS)
    assert listed[0].key == DEFAULT


@pytest.mark.parametrize("key", KEYS)
def test_every_strategy_and_parameter_is_documented(key: str):
    text = (ROOT / "docs/strategies.md").read_text(encoding="utf-8")
    _, found, section = text.partition(f"\n## {key}\n")
    section = section.partition("\n## ")[0]
    assert found
    assert len(section.split()) > 40
    assert [p.name for p in fields(entry(key).parameters) if f"`{p.name}`" not in section] == []


def test_an_unknown_strategy_is_refused_with_the_known_ones():
    with pytest.raises(StrategyError, match=r"no strategy magic. Choose one of: soft_focus, "):
        build("magic")


@pytest.mark.parametrize("key", KEYS)
def test_unknown_parameters_are_refused_by_name(key: str):
    with pytest.raises(StrategyError, match=f"{key} has no parameter glow, shine"):
        build(key, {"shine": 1, "glow": 2})


def test_bad_values_are_refused_in_plain_words():
    with pytest.raises(StrategyError, match=r"link_context: beta must be between 0 and 1, not 7"):
        build("link_context", {"beta": 7})


@pytest.mark.parametrize("key", KEYS)
def test_strategies_do_not_import_each_other(key: str):
    source = (ROOT / f"crawler/core/frontier/{key}.py").read_text(encoding="utf-8")
    assert [other for other in KEYS if f"frontier.{other}" in source] == []
