"""The distiller over what a crawl brought home, and the command that shows it."""

import json

import pytest
from django.core.management import CommandError, call_command

from crawler.management.commands import distil as command
from crawler.models import CrawlEvent, RankedPage
from crawler.selectors.hubs import latest_distillation, ranked_pages, sites_top
from crawler.selectors.linkgraph import crawl_graph
from crawler.services.distillation import NothingToDistilError, crawl_distil
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db(transaction=True)

HUB = "https://lists.example/bikes"
GOOD = tuple(f"https://bikes{number}.example/page" for number in range(8))
UNVISITED = "https://later.example/"
PAGES = (
    Fetched(HUB, 0.7, (*GOOD, UNVISITED)),
    Fetched("https://blog.example/", 0.6, (GOOD[0], GOOD[1])),
    Fetched("https://gone.example/", None),
    *(Fetched(url, 0.9 if number < 2 else 0.85) for number, url in enumerate(GOOD)),
    Fetched("https://news.example/", 0.05, (GOOD[0], HUB)),
)


def urls(ranked) -> list[str]:
    return [one.page.url for one in ranked]


def test_the_list_of_good_pages_is_the_best_hub(crawl):
    distillation = crawl_distil(crawl=record(crawl, *PAGES))
    assert urls(ranked_pages(distillation, RankedPage.Kind.HUB))[0] == HUB
    authorities = urls(ranked_pages(distillation, RankedPage.Kind.AUTHORITY))
    assert set(authorities) <= set(GOOD)
    assert set(authorities[:2]) == set(GOOD[:2])


def test_links_to_good_pages_are_counted(crawl):
    distillation = crawl_distil(crawl=record(crawl, *PAGES))
    best = ranked_pages(distillation, RankedPage.Kind.HUB)[0].place
    assert (best.good_links, best.all_links) == (8, 8)
    news = distillation.ranked.filter(kind="hub", page_seq=12).first()
    assert news is None or (news.good_links, news.all_links) == (2, 2)


def test_failed_fetches_and_unvisited_urls_are_no_pages_of_the_graph(crawl):
    found = crawl_graph(record(crawl, *PAGES))
    assert len(found.graph) == len(PAGES) - 1
    assert len(found.graph.targets) == 8 + 2 + 2


def test_hosts_of_one_address_are_one_voter_but_not_on_our_own_machine(crawl):
    pages = [Fetched("https://a.example/"), Fetched("http://b.localhost:8090/")]
    where = {"a.example": "192.0.2.1", "b.localhost:8090": "127.0.0.1"}
    assert crawl_graph(record(crawl, *pages, addresses=where)).graph.addresses.tolist() == [0, -1]


def test_a_page_that_was_visited_again_counts_once(crawl):
    record(crawl, Fetched(HUB, 0.2, GOOD[:1]), Fetched(GOOD[0]))
    crawl.refresh_from_db()
    record(crawl, Fetched(HUB, 0.7, GOOD[:1]))
    found = crawl_graph(crawl)
    assert sorted(found.graph.relevance.tolist()) == [0.7, 0.9]
    assert len(found.graph.targets) == 1


def test_runs_are_numbered_and_remember_the_ranks_of_before(crawl):
    record(crawl, *PAGES)
    first, second = crawl_distil(crawl=crawl), crawl_distil(crawl=crawl)
    assert (first.number, second.number) == (1, 2)
    assert latest_distillation(crawl) == second
    assert {place.earlier_rank for place in first.ranked.all()} == {None}
    assert all(place.earlier_rank == place.rank for place in second.ranked.all())
    assert CrawlEvent.objects.filter(crawl=crawl, kind="distilled").count() == 2


def test_sites_are_told_by_their_relevant_pages(crawl):
    record(
        crawl,
        *(Fetched(f"https://dense.example/{number}", 0.8) for number in range(3)),
        *(Fetched(f"https://thin.example/{number}", 0.1) for number in range(4)),
        Fetched("https://thin.example/good", 0.9),
    )
    told = [(site.site, site.relevant, site.pages) for site in sites_top(crawl)]
    assert told == [("dense.example", 3, 3), ("thin.example", 1, 5)]


def test_an_empty_crawl_has_nothing_to_distil(crawl):
    with pytest.raises(NothingToDistilError, match="no pages yet"):
        crawl_distil(crawl=crawl)


def test_the_command_prints_hubs_authorities_and_sites(crawl, capsys):
    record(crawl, *PAGES)
    call_command("distil", crawl.slug, "--top", "2", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["hubs"][0]["url"] == HUB
    assert [len(told[kind]) for kind in ("hubs", "authorities", "sites")] == [2, 2, 2]
    assert {"site", "relevant", "pages"} <= told["sites"][0].keys()
    assert told["hubs"][0]["score"] > 0
    call_command("distil", str(crawl.pk))
    assert HUB in capsys.readouterr().out


def test_the_command_gives_as_many_as_are_asked_for(crawl, capsys, monkeypatch):
    record(crawl, *PAGES)
    monkeypatch.setattr(command, "KEPT", 1)
    call_command("distil", crawl.slug, "--top", "2", "--json")
    assert len(json.loads(capsys.readouterr().out)["authorities"]) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["nothing-of-the-kind"], "There is no crawl"), (["{crawl}", "--top", "0"], "at least 1")],
)
def test_the_command_says_what_is_wrong(crawl, arguments, says):
    with pytest.raises(CommandError, match=says):
        call_command("distil", *(argument.format(crawl=crawl.slug) for argument in arguments))
