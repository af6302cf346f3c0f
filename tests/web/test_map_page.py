"""The map's pages: their empty states, their escaping, and what odd addresses get."""

import pytest
from django.urls import reverse

from crawler.services.distillation import crawl_distil
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"
CYCLING, FIRST_AID = "/Recreation/Cycling", "/Health/First_Aid"
CROSS = f"from={CYCLING}&to={FIRST_AID}"


def page_of(client, scene, query="", route="map") -> Page:
    return Page(client.get(f"{reverse(f'crawler:{route}', args=[scene.crawl.pk])}?{query}"))


@pytest.fixture
def counted(scene):
    """Eight topics that cite each other once, but cycling cites first aid twenty times."""
    names = [CYCLING, FIRST_AID, *(f"/Top/T{number}" for number in range(6))]
    at = {
        name: [f"https://{place}-{n}.example/" for n in range(4)]
        for place, name in enumerate(names)
    }
    pages = [
        Fetched(
            url,
            0.95 if name == CYCLING else 0.05,
            tuple(
                cited
                for other in names
                for cited in (at[other] if (name, other) == (CYCLING, FIRST_AID) else at[other][:1])
            ),
            {"topic": name, "title": HOSTILE, "depth": 0 if url == at[CYCLING][0] else 1},
        )
        for name in names
        for url in at[name]
    ]
    record(scene.crawl, *pages)
    crawl_distil(crawl=scene.crawl)
    return scene


def test_before_the_first_distillation_it_says_when_there_is_a_map(as_owner, scene):
    assert "drawn with the first distillation" in page_of(as_owner, scene).words


def test_a_crawl_without_topics_says_so(as_owner, scene):
    record(scene.crawl, Fetched("https://a.example/", fields={"topic": ""}))
    crawl_distil(crawl=scene.crawl)
    assert "No page has a topic yet" in page_of(as_owner, scene).words


def test_the_map_is_told_in_words_and_figures(as_owner, counted):
    page = page_of(as_owner, counted)
    assert f"{CYCLING} cites {FIRST_AID}" in page.words
    assert "Cooperative or competitive" in page.words
    assert "links from the start pages" in page.words or "link from the start pages" in page.words
    assert "top authorities are cited by 5 other sites" in page.words
    pairs = reverse("crawler:map-pairs", args=[counted.crawl.pk])
    cell = f"{pairs}?from=%2FRecreation%2FCycling&to=%2FHealth%2FFirst_Aid"
    assert cell in page.links


def test_one_topic_shows_all_that_it_cites(as_owner, counted):
    page = page_of(as_owner, counted, f"topic={FIRST_AID}&depth=2")
    assert f"What {FIRST_AID} cites, and what cites it" in page.words


def test_a_cell_opens_its_page_pairs_escaped(as_teammate, counted):
    address = reverse("crawler:map-pairs", args=[counted.crawl.pk])
    response = as_teammate.get(f"{address}?{CROSS}")
    assert HOSTILE not in response.content.decode()
    page = Page(response)
    assert HOSTILE in page.words
    opened = [link for link in page.links if "/pages/" in link and link[-2].isdigit()]
    assert len(opened) == 2 * 16
    assert (
        "No more pairs" in page_of(as_teammate, counted, f"{CROSS}&after=999-9", "map-pairs").words
    )


def test_odd_addresses_are_no_error(as_owner, counted):
    for query in ("depth=x", "depth=99", "depth=-1", "topic=%00", "topic=/No/where"):
        assert "Topics that cite each other" in page_of(as_owner, counted, query).words
    address = reverse("crawler:map-pairs", args=[counted.crawl.pk])
    for query in ("", "from=x&to=y", "from=/A", "to=/A"):
        assert as_owner.get(f"{address}?{query}").status_code == 404
    for query in ("from=/A&to=/%00", f"from=/{'x' * 9000}&to=/B", f"{CROSS}&after={'9' * 40}"):
        assert as_owner.get(f"{address}?{query}").status_code == 200
    assert "No such links" in page_of(as_owner, counted, "from=/A&to=/B", "map-pairs").words


def test_a_viewer_sees_the_map_without_the_lever(as_teammate, counted):
    page = page_of(as_teammate, counted)
    assert "Topics that cite each other" in page.words
    assert not page.has_form(reverse("crawler:hubs-distil", args=[counted.crawl.pk]))


def test_counting_anew_comes_back_to_the_map(as_owner, counted):
    address = reverse("crawler:hubs-distil", args=[counted.crawl.pk])
    answer = as_owner.post(address, {"next": "map"})
    assert answer["Location"] == reverse("crawler:map", args=[counted.crawl.pk])
