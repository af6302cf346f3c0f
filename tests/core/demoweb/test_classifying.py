"""The demo web seen by the classifier that is trained on the shipped topics."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from benchmarks.classifier_corpora import SHIPPED
from crawler.core.demoweb.catalogue import Clarity, DemoPage
from crawler.core.demoweb.vocabulary import is_within
from focusadmin.lib.html import read_page
from taxonomy.core.classifier.base import Judgement, TopicScorer, relevance
from taxonomy.core.classifier.corpus import training_examples
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.features import FloatArray
from taxonomy.core.shipped import shipped_records
from taxonomy.core.tree import split_path

CYCLING = "/Recreation/Cycling"
EVERY = 6  # of the pages, to keep the test short; funds are few, so all of them
FUNDS = "/Business/Investing/Mutual_Funds"


@dataclass(frozen=True)
class Judged:
    pages: Sequence[DemoPage]
    scorer: TopicScorer
    judgement: Judgement

    def relevance_of(self, topic: str) -> FloatArray:
        return relevance(self.judgement, self.scorer.tree, [split_path(topic)])

    def is_of(self, topic: str) -> np.ndarray:
        return np.array([is_within(page.topic, topic) for page in self.pages])

    def is_top_found(self) -> np.ndarray:
        lineages = self.scorer.tree.lineages
        tops = [place for place, lineage in enumerate(lineages) if len(lineage) == 1]
        best = self.judgement.probabilities[:, tops].argmax(axis=1)
        found = [lineages[tops[place]][0] for place in best]
        return np.array(
            [split_path(p.topic)[0] == f for p, f in zip(self.pages, found, strict=True)]
        )


@pytest.fixture(scope="module")
def judged(web) -> Judged:
    model = HierarchicalNaiveBayes().fit(*training_examples(shipped_records(SHIPPED)))
    everything = enumerate(web.ordinary_pages())
    pages = [page for number, page in everything if number % EVERY == 0 or page.topic == FUNDS]
    contents = [read_page(web.page_html(p.host, p.path), p.place.url(80)) for p in pages]
    texts = [f"{content.title}\n{content.text}" for content in contents]
    return Judged(pages, model.scorer_, model.scorer_.judge(texts))


def test_the_top_topic_of_most_pages_is_found_but_not_of_all(judged):
    assert 0.80 <= judged.is_top_found().mean() <= 0.95


def test_clear_pages_are_easier_than_others(judged):
    is_clear = np.array([page.clarity is Clarity.CLEAR for page in judged.pages])
    found = judged.is_top_found()
    assert found[is_clear].mean() > 0.97
    assert found[~is_clear].mean() < 0.93


def test_cycling_pages_are_relevant_and_others_are_not(judged):
    scores, is_cycling = judged.relevance_of(CYCLING), judged.is_of(CYCLING)
    assert scores[is_cycling].mean() > 0.6
    assert scores[~is_cycling].mean() < 0.1


def test_pages_about_funds_are_told_from_other_investments(judged):
    scores = judged.relevance_of(FUNDS)
    is_fund = judged.is_of(FUNDS)
    others = judged.is_of("/Business/Investing") & ~is_fund
    assert scores[is_fund].mean() > 0.5
    assert scores[others].mean() < 0.2
