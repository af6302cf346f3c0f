"""The survey of a crawl: the demo web's cycling cites first aid, and the pairs behind it."""

import pytest

from crawler.core.demoweb.web import DemoWeb
from crawler.core.topicmap import OTHERS
from crawler.models import Crawl, CrawlSurvey, Page
from crawler.selectors.survey import (
    authorities,
    communities,
    depths_of,
    span_words,
    survey_of,
    topic_map,
)
from crawler.selectors.topicpairs import PAIRS_SHOWN, topic_pairs
from crawler.services.distillation import crawl_distil
from tests.crawl_rows import make_crawl
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db

CYCLING, FIRST_AID = "/Recreation/Cycling", "/Health/First_Aid"
PORT = 8090


def demo_pages() -> list[Fetched]:
    """What a crawl for cycling reads: its pages, the start pages first, and what they cite."""
    web = DemoWeb.build()
    known = {page.place: page for page in web.ordinary_pages()}
    starts = [page.place for page in web.start_pages(CYCLING)]
    cycling = [place for place, page in known.items() if page.topic.startswith(CYCLING)]
    cited = [link.place for place in cycling for link in known[place].links if link.place in known]
    chosen = dict.fromkeys([*starts, *cycling, *cited])
    return [
        Fetched(
            place.url(PORT),
            0.95 if known[place].topic.startswith(CYCLING) else 0.01,
            tuple(link.place.url(PORT) for link in known[place].links if link.place in chosen),
            {"topic": known[place].topic, "depth": 0 if place in starts else 1},
        )
        for place in chosen
    ]


def test_on_the_demo_web_cycling_cites_first_aid(crawl):
    record(crawl, *demo_pages())
    crawl_distil(crawl=crawl)
    survey = survey_of(crawl)
    assert survey is not None
    made = topic_map(survey, 2)
    found = {(each.source, each.target): each for each in made.more}
    ours = found[CYCLING, FIRST_AID]
    assert ours.links >= 50
    assert ours.at_least > 1
    popular = (CYCLING, "/Computers/Internet")  # all topics cite the portals
    assert popular not in found
    _check_pairs(crawl, survey, ours.links)
    _check_the_community(survey)
    _check_distances(survey)


def _check_pairs(crawl: Crawl, survey: CrawlSurvey, links: int) -> None:
    """All pages of the list together have the links of the cell, each once."""
    seen, after = [], (0, 0)
    while True:
        found = topic_pairs(crawl, source=CYCLING, target=FIRST_AID, up_to=survey.seq, after=after)
        seen += [(pair.source.seq, pair.target.seq) for pair in found.pairs]
        for pair in found.pairs:
            assert pair.source.topic.startswith(CYCLING)
            assert pair.target.topic == FIRST_AID
            assert pair.source.site != pair.target.site
        if found.next is None:
            break
        assert len(found.pairs) == PAIRS_SHOWN
        after = found.next
    assert len(seen) == len(set(seen)) == links


def _check_the_community(survey: CrawlSurvey) -> None:
    first = communities(survey, 2)[0]
    assert first.topic == CYCLING
    assert first.is_good
    assert first.figures.verdict == "cooperative"


def _check_distances(survey: CrawlSurvey) -> None:
    told = authorities(survey)
    assert sum(each.authorities for each in told.distances) == len(told.risen) == 100
    assert told.furthest is not None
    assert told.furthest >= 2
    assert told.median_pages is not None


def test_a_rare_pair_is_looked_for_a_while_and_then_goes_on(crawl):
    pages = [Fetched(f"https://s{n}.example/", 0.9, ("https://t.example/",)) for n in range(450)]
    target = Fetched("https://t.example/", 0.1, fields={"topic": FIRST_AID})
    crawl = record(crawl, *pages[:-1], Fetched("https://last.example/"), target, pages[-1])
    asked = {"source": CYCLING, "target": "/Arts", "up_to": crawl.seq}
    first = topic_pairs(crawl, **asked, seconds=0.0)
    assert first.is_unfinished
    assert first.next == (201, 0)
    rest = topic_pairs(crawl, **asked, after=first.next)
    assert (rest.pairs, rest.next) == ([], None)


def test_a_page_that_was_read_again_counts_as_it_is_now(crawl):
    start, cited = "https://a.example/", "https://b.example/"
    first = Fetched(start, 0.9, (cited,), {"depth": 0})
    record(crawl, first, Fetched(cited, 0.9, fields={"topic": FIRST_AID, "depth": 1}))
    record(crawl, Fetched(start, 0.9, (), {"depth": 0}))
    crawl_distil(crawl=crawl)
    survey = survey_of(crawl)
    assert survey is not None
    assert topic_map(survey, 2).citations == []
    found = topic_pairs(crawl, source=CYCLING, target=FIRST_AID, up_to=survey.seq)
    assert found.pairs == []


def test_the_survey_goes_up_to_the_deepest_topic(crawl):
    record(
        crawl,
        Fetched("https://a.example/", fields={"topic": "/A/b/c", "depth": 0}),
        Fetched("https://b.example/", fields={"topic": ""}),
    )
    crawl_distil(crawl=crawl)
    survey = survey_of(crawl)
    assert survey is not None
    assert depths_of(survey) == [1, 2, 3]
    assert topic_map(survey, 1).counted.topics == (OTHERS,)
    assert authorities(survey).risen == []


def test_without_any_topic_there_is_a_survey_and_no_map(crawl):
    record(crawl, Fetched("https://a.example/", fields={"topic": ""}))
    crawl_distil(crawl=crawl)
    survey = survey_of(crawl)
    assert survey is not None
    assert depths_of(survey) == []


def test_the_next_distillation_replaces_the_survey(crawl, focus):
    record(crawl, Fetched("https://a.example/"))
    crawl_distil(crawl=crawl)
    record(crawl, Fetched("https://b.example/"))
    crawl_distil(crawl=crawl)
    assert CrawlSurvey.objects.get().seq == Page.objects.filter(crawl=crawl).count() == 2
    assert survey_of(make_crawl(focus)) is None


def test_spans_are_told_in_words():
    assert [span_words(s) for s in (0, 119, 120, 7199, 7200)] == [
        "0 seconds", "119 seconds", "2 minutes", "120 minutes", "2 hours",
    ]  # fmt: skip
