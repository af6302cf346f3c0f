"""Focuses on the tree's page: made, marked in, and what a conflict offers."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from taxonomy.models import Focus
from taxonomy.services.edits import topic_create
from taxonomy.services.focuses import topic_mark_good
from tests.web.pages import Page
from tests.web.test_taxonomy_edits import told, words
from tests.web.test_taxonomy_tree import PART, row_at, tree_url

CYCLING, RACING = "/Recreation/Cycling", "/Recreation/Cycling/Racing"
Mark = Callable[..., HttpResponse]


@pytest.fixture
def mark(as_curator: Client, focus, at) -> Mark:
    url = reverse("taxonomy:marks", args=[focus.pk])

    def send(path: str, action: str = "mark", **extra: Any):
        return as_curator.post(url, {"topic": at(path).pk, "action": action, "at": path}, **extra)

    return send


def good(focus: Focus) -> list[str]:
    return sorted(topic.shown for topic in focus.good_topics.all())


def test_a_focus_is_made_by_its_form(as_curator, taxonomy):
    page = Page(as_curator.get(tree_url(taxonomy), {"topic": CYCLING, "do": "focus"}))
    form = page.form(reverse("taxonomy:focus-create", args=[taxonomy.slug]))
    response = as_curator.post(form.action, {**form.fields, "name": "My hills"})
    assert response["Location"].endswith(f"?topic={CYCLING}&focus=my-hills")


def test_a_focus_needs_a_name(as_curator, taxonomy):
    response = as_curator.post(
        reverse("taxonomy:focus-create", args=[taxonomy.slug]), {"name": " "}
    )
    assert response.status_code == 422
    assert "Give the focus a name." in words(response)


def test_a_good_topic_and_the_way_to_it_are_shown(mark, as_curator, taxonomy, focus):
    response = mark(RACING)
    assert told(response) == "Racing is good now."
    page = as_curator.get(response["Location"])
    assert row_at(page, RACING)["data-mark"] == "good"
    assert row_at(page, CYCLING)["data-mark"] == "path"
    assert f"{tree_url(taxonomy)}?topic={RACING}&focus=hills" in Page(page).links


def test_a_mark_is_taken_away(mark, focus):
    mark(RACING)
    mark(RACING, "unmark")
    assert good(focus) == []


def test_a_mark_leaves_the_person_where_he_was(as_curator, focus, at):
    url = reverse("taxonomy:marks", args=[focus.pk])
    sent = {"topic": at(RACING).pk, "action": "mark", "at": "/Arts", "q": "art"}
    assert as_curator.post(url, sent)["Location"].endswith("?topic=/Arts&focus=hills&q=art")


def test_a_conflict_offers_to_replace(mark, as_curator, focus):
    mark(RACING)
    mark("/Recreation/Cycling/Mountain_Biking")
    response = mark(CYCLING)
    assert response.status_code == 409
    assert "Replace 2 sub-topics by Cycling" in words(response)
    offers = [form for form in Page(response).forms if form.fields.get("action") == "replace"]
    as_curator.post(offers[0].action, offers[0].fields)
    assert good(focus) == ["Cycling"]


def test_a_script_gets_the_offer_alone(mark):
    mark(RACING)
    response = mark(CYCLING, **PART)
    assert (response.status_code, response["HX-Retarget"]) == (409, "#deed")


def test_a_topic_under_a_good_one_is_refused(mark, focus):
    mark(CYCLING)
    assert "Cycling is good already, and Racing with it." in told(mark(RACING))
    assert good(focus) == ["Cycling"]


def test_marks_come_back_by_the_toast(mark, as_curator, focus):
    mark(RACING)
    done = as_curator.get(mark(CYCLING, "replace")["Location"])
    undo = [form for form in Page(done).forms if form.action.endswith("/restore/")][-1]
    as_curator.post(undo.action, undo.fields)
    assert good(focus) == ["Racing"]


def test_a_forged_token_changes_nothing(mark, as_curator, focus):
    mark(RACING)
    url = reverse("taxonomy:marks-restore", args=[focus.pk])
    response = as_curator.post(url, {"token": "forged"})
    assert told(response).endswith("This can't be undone any more.")
    assert good(focus) == ["Racing"]


def test_what_is_under_a_good_topic_says_so(mark, as_curator, taxonomy, focus):
    mark(CYCLING)
    asked = {"topic": RACING, "focus": focus.slug}
    assert "Good with a topic above" in words(as_curator.get(tree_url(taxonomy), asked))


@pytest.mark.parametrize("topic", ["", "0", "9" * 40, "/Nowhere", "x"])
def test_a_topic_that_is_not_there_is_not_found(as_curator, focus, topic):
    url = reverse("taxonomy:marks", args=[focus.pk])
    assert as_curator.post(url, {"topic": topic}).status_code in {302, 404}
    assert good(focus) == []


def test_many_good_topics_stay_readable(mark, as_curator, taxonomy, focus, owner):
    for number in range(33):
        edit = topic_create(taxonomy=taxonomy, parent=taxonomy.root, name=f"T{number}", by=owner)
        assert edit.topic is not None
        topic_mark_good(focus=focus, topic=edit.topic, by=owner)
    page = words(as_curator.get(tree_url(taxonomy), {"focus": focus.slug}))
    assert re.search("and 3 more", page)


def test_without_a_focus_the_page_says_what_one_is(as_curator, taxonomy):
    assert "Make one, then mark the topics" in words(as_curator.get(tree_url(taxonomy)))


def test_an_unknown_focus_counts_as_none(as_curator, taxonomy, focus):
    response = as_curator.get(tree_url(taxonomy), {"focus": "nobody"})
    assert "Choose a focus to see its good topics" in words(response)
