"""Pages and links, judged for a focus."""

import asyncio
import json

import numpy as np
import pytest

from crawler.core.judging import PageJudge
from crawler.core.reading import FetchedPage, JudgedPage, PageReader, pool_for
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.parsing_worker import WorkFailure
from taxonomy.core.artefact import save_model
from taxonomy.core.classifier.base import relevance
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from tests.core.classifier.conftest import small_examples

SPORTS, TENNIS, ROWING = ("Sports",), ("Sports", "Tennis"), ("Sports", "Rowing")
PHYSICS = ("Science", "Physics")
TEXTS = ["racket serve volley court", "quark electron photon", "oar boat crew", ""]


@pytest.fixture(scope="module")
def scorer():
    return HierarchicalNaiveBayes().fit(small_examples(), []).scorer_


def test_relevance_is_the_sum_over_the_good_topics(scorer):
    verdicts = PageJudge(scorer, [TENNIS, ROWING]).pages(TEXTS)
    expected = relevance(scorer.judge(TEXTS), scorer.tree, [TENNIS, ROWING])
    assert [verdict.relevance for verdict in verdicts] == pytest.approx(expected)


def test_pass_through_topics_count_for_priority_only(scorer):
    plain = PageJudge(scorer, [TENNIS]).pages(TEXTS)
    wide = PageJudge(scorer, [TENNIS], [SPORTS]).pages(TEXTS)
    assert [v.relevance for v in wide] == pytest.approx([v.relevance for v in plain])
    sports = relevance(scorer.judge(TEXTS), scorer.tree, [SPORTS])
    assert [v.priority_relevance for v in wide] == pytest.approx(sports)
    assert wide[2].priority_relevance > 2 * wide[2].relevance


def test_the_best_leaf_decides_whether_a_page_is_on_topic(scorer):
    tennis, physics, rowing, _ = PageJudge(scorer, [SPORTS]).pages(TEXTS)
    assert tennis.topic == TENNIS
    assert tennis.is_on_topic
    assert rowing.is_on_topic
    assert physics.topic == PHYSICS
    assert not physics.is_on_topic


def test_words_around_links_are_judged_as_by_the_whole_tree(scorer):
    """The short cut over the topics' own scores equals the level-by-level formula."""
    judge = PageJudge(scorer, [TENNIS], [PHYSICS])
    short = judge._contexts._scorer
    full = relevance(short.judge(TEXTS), short.tree, [TENNIS, PHYSICS])
    assert judge.contexts(TEXTS) == pytest.approx(full, abs=1e-4)
    assert judge.contexts([]).shape == (0,)


def test_content_similarity_is_the_mean_of_the_two_nearest_domains(scorer):
    judge = PageJudge(scorer, [TENNIS], domains=[["racket", "serve"], ["racket"], ["quark"]])
    # The page has four known terms: 2/4 and 1/4 are the largest shares.
    assert judge.pages(["racket serve volley court"])[0].content_similarity == pytest.approx(0.375)


@pytest.mark.parametrize("good", [[], [("Sports", "Curling")]])
def test_topics_that_the_model_does_not_know_are_named(scorer, good):
    with pytest.raises(FocusAdminError, match="does not know"):
        PageJudge(scorer, good)


@pytest.fixture(scope="module")
def setup_file(scorer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("setup")
    save_model(folder / "model.npz", scorer)
    setup = {
        "model_file": str(folder / "model.npz"),
        "good": [SPORTS],
        "pass_through": [],
        "domains": [],
    }
    path = folder / "setup.json"
    path.write_text(json.dumps(setup))
    return path


PAGE = (
    b"<title>Racket</title><p>serve volley court <a href=/a>backhand match</a> umpire set "
    b"<a href=/b rel=nofollow>advert</a> <a href=/a>again</a> <a href=/c>quark photon</a>"
)


def read(setup_file, *bodies: bytes):
    async def work() -> list[JudgedPage | WorkFailure]:
        async with pool_for(setup_file, 1) as pool:
            pages = [FetchedPage(f"http://{n}.test/", {}, body) for n, body in enumerate(bodies)]
            return await PageReader(pool).read(pages)

    return asyncio.run(work())


def test_a_child_reads_and_judges_several_pages_at_once(setup_file):
    first, second = read(setup_file, PAGE, b"<p>quark electron photon energy field particle")
    assert isinstance(first, JudgedPage)
    assert isinstance(second, JudgedPage)
    assert first.title == "Racket"
    assert first.verdict.topic == TENNIS
    assert second.verdict.relevance < 0.5 < first.verdict.relevance
    links = {link.url: link.context_relevance for link in first.links}
    assert list(links) == ["http://0.test/a", "http://0.test/c"]  # once each, without nofollow
    assert np.isfinite(list(links.values())).all()


def test_one_deadly_page_costs_the_others_nothing(setup_file):
    bomb = b"<p>" + b"<b c><p>" * 4_000 + b"<table><tr><td>" * 20_000
    good, bad = read(setup_file, PAGE, bomb)
    assert isinstance(good, JudgedPage)
    assert good.links
    assert isinstance(bad, JudgedPage) or bad.reason
