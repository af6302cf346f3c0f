"""The quality of a tree's model, and the examples that hold it back."""

import json
import re

import pytest
from django.urls import reverse

from taxonomy.core.records import ExampleRecord
from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.selectors import example_checks as checks
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.edits import example_add, topic_rename
from taxonomy.services.training import model_train, training_start
from tests.taxonomy.test_training import taught
from tests.web.pages import Page

__all__ = ["taught"]

QUALITY = reverse("taxonomy:quality", args=["taught"])
TRAIN = reverse("taxonomy:model-train", args=["taught"])
PART = {"HTTP_HX_REQUEST": "true"}
HOSTILE = "<script>alert(1)</script>"
LONG = "an aria for soprano and tenor that nobody has ever heard before in this old theatre"


@pytest.fixture
def trained(taught: Taxonomy) -> Taxonomy:
    model_train(taxonomy=taught)
    return taught


def add(taxonomy: Taxonomy, path: str, by, text: str = LONG, title: str = "", url: str = ""):
    topic = topic_by_path(taxonomy=taxonomy, path=path)
    record = ExampleRecord((), title, url, text)
    example_add(taxonomy=taxonomy, topic=topic, record=record, by=by)
    taxonomy.refresh_from_db()


def score(**scores: object) -> None:
    model = TrainedModel.objects.get()
    model.scores = {**model.scores, **scores}
    model.save()


class TestMeasures:
    def test_tells_accuracy_and_reliability_with_a_table(self, as_teammate, trained):
        response = as_teammate.get(QUALITY)
        page = Page(response)
        assert "judged on 16 held-out pages" in page.words
        assert "Level Pages Right 1 (top) 16" in page.words
        assert "Told Pages, top Right, top" in page.words
        assert "the told probability and the share of right pages differ by" in page.words
        assert page.words.count("How is this computed?") == 6

    def test_gives_the_chart_its_points_as_data(self, as_teammate, trained):
        body = as_teammate.get(QUALITY).content.decode()
        points = re.search(r'id="reliability-points" type="application/json">(.*?)<', body)
        assert points
        assert {"top", "leaf"} == set(json.loads(points[1]))

    def test_names_hard_and_confused_topics_with_links(self, as_teammate, trained):
        turn = {"truth": ["Music", "Jazz"], "taken_for": ["Music", "Opera"], "pages": 3}
        hard = {"lineage": ["Cycling", "Repair"], "pages": 12, "accuracy": 0.5}
        score(confusions=[turn], topics=[hard], thin_topics=[["Music", "Gone"]])
        page = Page(as_teammate.get(QUALITY))
        assert "Music \u203a Jazz taken for Opera 3 pages" in page.words
        assert "Cycling \u203a Repair 12 pages" in page.words
        assert "Music \u203a Gone (no more in the tree)" in page.words
        for path in ("/Music/Jazz", "/Music/Opera", "/Cycling/Repair"):
            assert f"{reverse('taxonomy:tree', args=['taught'])}?topic={path}" in page.links

    def test_says_when_nothing_is_wrong(self, as_teammate, trained):
        score(confusions=[], topics=[], thin_topics=[])
        words = Page(as_teammate.get(QUALITY)).words
        assert "No held-out page took a wrong turn." in words
        assert "No topic has 10 held-out pages yet." in words
        assert "Every topic has 3 or more examples." in words

    def test_says_that_the_tree_moved_on(self, as_teammate, trained, owner):
        topic = topic_by_path(taxonomy=trained, path="/Music")
        topic_rename(taxonomy=trained, topic=topic, name="Sound", by=owner)
        assert "The tree has 1 newer edit." in Page(as_teammate.get(QUALITY)).words

    def test_without_a_model_one_can_be_trained(self, as_curator, taught):
        page = Page(as_curator.get(QUALITY))
        assert "Quality is measured when a model is trained" in page.words
        assert page.has_form(TRAIN)

    def test_without_a_model_a_viewer_reads_who_can(self, as_teammate, taught):
        page = Page(as_teammate.get(QUALITY))
        assert not page.has_form(TRAIN)
        assert "A curator of your team can train one." in page.words

    def test_a_training_under_way_is_pointed_at(self, as_curator, taught):
        training_start(taxonomy=taught)
        assert "A training is under way" in Page(as_curator.get(QUALITY)).words

    def test_a_model_that_could_hold_nothing_out_is_shown(self, as_teammate, trained):
        empty = {"brier": 0.0, "error": 0.0, "bins": []}
        score(pages=0, levels=[], topics=[], top_calibration=empty, leaf_calibration=empty)
        page = Page(as_teammate.get(QUALITY))
        assert "No example could be held out" in page.words
        assert "reliability" not in page.ids

    def test_the_number_of_queries_is_bounded(
        self, as_teammate, trained, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(12):
            as_teammate.get(QUALITY)


class TestExamples:
    def test_come_later_for_a_script_and_by_a_link_without(self, as_teammate, trained):
        first = Page(as_teammate.get(QUALITY))
        assert f"{QUALITY}?examples=1#checks-heading" in first.links
        part = as_teammate.get(QUALITY, {"examples": "1"}, **PART)
        assert part["HX-Retarget"] == "#example-checks"
        assert "<html" not in part.content.decode()
        whole = Page(as_teammate.get(QUALITY, {"examples": "1"}))
        assert "Contradictions" in whole.words
        assert "Accuracy by level" in whole.words

    def test_contradictions_and_repeats_are_named_with_their_topics(
        self, as_teammate, trained, owner
    ):
        add(trained, "/Music/Opera", owner, title=HOSTILE)
        add(trained, "/Music/Jazz", owner, text=f"{LONG} indeed", title="The same")
        add(trained, "/Music/Jazz", owner, text=f"{LONG} indeed", title="And again")
        response = as_teammate.get(QUALITY, {"examples": "1"}, **PART)
        words = Page(response).words
        assert f"{HOSTILE} in Music \u203a Opera The same in Music \u203a Jazz" in words
        assert (
            "The same in Music \u203a Jazz And again in Music \u203a Jazz 100 % the same" in words
        )
        assert HOSTILE not in response.content.decode()

    def test_the_same_address_under_two_topics_is_a_contradiction(
        self, as_teammate, trained, owner
    ):
        for path in ("/Music/Opera", "/Cycling/Racing"):
            add(trained, path, owner, text="", url="https://example.org/tour")
        words = Page(as_teammate.get(QUALITY, {"examples": "1"}, **PART)).words
        assert "https://example.org/tour in Cycling \u203a Racing the same address" in words

    def test_says_that_only_the_first_were_compared(self, as_teammate, trained, monkeypatch):
        monkeypatch.setattr(checks, "EXAMPLES_COMPARED", 5)
        checks._checks.cache_clear()
        words = Page(as_teammate.get(QUALITY, {"examples": "1"}, **PART)).words
        checks._checks.cache_clear()
        assert "Only the first 5 of 16 examples were compared." in words

    def test_are_compared_once_for_a_revision(
        self, as_teammate, trained, django_assert_max_num_queries
    ):
        as_teammate.get(QUALITY, {"examples": "1"}, **PART)
        with django_assert_max_num_queries(5):
            as_teammate.get(QUALITY, {"examples": "1"}, **PART)
