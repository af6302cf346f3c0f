"""What the demo web consists of."""

import tomllib
from collections import Counter

import pytest

from benchmarks.classifier_corpora import SHIPPED
from crawler.core.demoweb.bookmarks import sample_bookmarks
from crawler.core.demoweb.catalogue import Clarity, PageKind, Place
from crawler.core.demoweb.plans import RobotsRule, SiteKind
from crawler.core.demoweb.vocabulary import written_topics
from crawler.core.demoweb.web import DemoWeb, DemoWebError
from focusadmin.lib.html import read_page
from taxonomy.core.bookmarks.detect import read_bookmarks

CYCLING = "/Recreation/Cycling"


def shipped_texts() -> dict[str, str]:
    topics = (
        t for file in SHIPPED.glob("*.toml") for t in tomllib.loads(file.read_text())["topic"]
    )
    return {
        topic["path"]: " ".join(
            " ".join(example["text"].split()) for example in topic.get("example", ())
        )
        for topic in topics
    }


def everything(web: DemoWeb) -> list[bytes]:
    return [web.page_html(page.host, page.path) for page in web.pages.values()]


def test_the_same_seed_gives_the_same_bytes():
    first, second = (DemoWeb.build(seed=7, sites=14, pages=200) for _ in range(2))
    assert first == second
    assert everything(first) == everything(second)


def test_another_seed_gives_another_web():
    first, second = (DemoWeb.build(seed=seed, sites=14, pages=200) for seed in (7, 8))
    assert len(set(first.pages) & set(second.pages)) < len(first.pages) / 2
    assert set(everything(first)).isdisjoint(everything(second))


def test_the_default_web_is_large_enough(web):
    assert len(web.sites) == 44
    assert len(list(web.ordinary_pages())) >= 3000
    assert len({page.topic for page in web.ordinary_pages()}) >= 60
    assert all(host.endswith(".localhost") for host in web.sites)


@pytest.mark.parametrize(("sites", "pages"), [(12, 120), (30, 1000), (90, 4000)])
def test_other_sizes_give_what_was_asked_for(sites, pages):
    web = DemoWeb.build(sites=sites, pages=pages)
    assert len(web.sites) == sites
    assert len(web.pages) >= pages
    assert {site.kind for site in web.sites.values()} == set(SiteKind)


@pytest.mark.parametrize(("sites", "pages"), [(11, 3000), (44, 10)])
def test_a_web_too_small_to_be_one_is_refused(sites, pages):
    with pytest.raises(DemoWebError, match="at least 12 sites and 120 pages"):
        DemoWeb.build(sites=sites, pages=pages)


def test_every_true_topic_is_in_the_shipped_tree(web):
    shipped = shipped_texts()
    assert [page for page in web.ordinary_pages() if page.topic not in shipped] == []


def test_every_written_topic_has_enough_phrases_and_none_of_the_training_sentences():
    shipped = " ".join(shipped_texts().values()).lower()
    assert len(written_topics()) >= 60
    for words in written_topics().values():
        phrases = {*words.things, *words.acts, *words.people, *words.facts}
        assert len(phrases) >= 25, words.path
        assert [fact for fact in words.facts if fact.lower() in shipped] == []


def test_pages_hold_a_few_hundred_words_and_no_two_are_the_same(web):
    articles = [page for page in web.ordinary_pages() if page.kind is PageKind.ARTICLE]
    texts = [
        read_page(web.page_html(page.host, page.path), page.place.url(80)).text
        for page in articles[::10]
    ]
    lengths = sorted(len(text.split()) for text in texts)
    assert 120 <= lengths[len(lengths) // 20] < lengths[-len(lengths) // 20] <= 400
    assert len(set(texts)) == len(texts)


def test_what_a_page_says_in_html_is_what_the_catalogue_says(web):
    for page in list(web.pages.values())[::25]:
        url = page.place.url(8090)
        content = read_page(web.page_html(page.host, page.path, 8090), url)
        targets = {link.place.url(8090) for link in page.links}
        assert page.title in content.title
        assert content.description
        assert content.language == "en"
        assert {link.url for link in content.links} == targets


def test_links_of_text_are_written_in_the_words_of_their_target(web):
    place = next(p.place for p in web.ordinary_pages(CYCLING) if p.clarity is Clarity.CLEAR)
    content = read_page(web.page_html(*place, 8090), place.url(8090))
    cited = [link for link in content.links if "//" + place.host not in link.url]
    assert cited
    assert all(len(link.context.split()) > len(link.anchor.split()) for link in cited)


def test_the_truth_names_only_pages_that_a_polite_crawler_can_reach(web):
    truth = web.truth(8090)
    hosts = {site.host for site in web.sites.values() if site.robots is RobotsRule.ERROR}
    assert hosts
    assert not any("/private/" in url or "/archive/" in url for url in truth)
    assert not any(f"//{host}:" in url for url in truth for host in hosts)
    assert truth["http://velo-club.localhost:8090/"] == CYCLING
    assert all(truth.values())


def test_start_urls_are_ten_good_pages_of_many_sites_and_no_hubs(web):
    urls = web.start_urls(8090, CYCLING)
    truth = web.truth(8090)
    hosts = Counter(url.split("/")[2] for url in urls)
    assert len(urls) == 10
    assert all(truth[url].startswith(CYCLING) for url in urls)
    assert len(hosts) >= 8
    assert not any("/links/" in url for url in urls)


def test_the_sample_bookmarks_can_be_imported_and_lead_to_pages(web):
    found = read_bookmarks(sample_bookmarks(web, 8090), allow_private=True).bookmarks
    truth = web.truth(8090)
    folders = Counter(bookmark.folder[-1] for bookmark in found)
    assert 20 <= len(found) <= 28
    assert set(folders) == {"Bikes", "Health", "Misc"}
    assert folders["Bikes"] > len(found) / 2
    assert all(bookmark.url in truth for bookmark in found)


def test_a_place_without_anything_is_not_known(web):
    assert web.knows(Place("velo-club.localhost", "/"))
    assert not web.knows(Place("velo-club.localhost", "/nothing"))
    assert not web.knows(Place("velo-club.localhost", "/calendar?month=2001-01"))
