"""Every edit by its form: done at once, undone by its toast, refused with a reason."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from taxonomy.models import TreeEdit
from taxonomy.selectors.trees import path_of
from taxonomy.services.focuses import topic_mark_good
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb
from tests.web.pages import Page
from tests.web.test_taxonomy_tree import PART, tree_url

RACING, JAZZ = "/Recreation/Cycling/Racing", "/Arts/Music/Jazz"
Do = Callable[..., HttpResponse]


@pytest.fixture
def do(as_curator: Client, taxonomy, at) -> Do:
    """Sends the form of a deed for the topic at a path."""

    def send(deed: str, path: str, data: dict[str, Any] | None = None, **extra: Any):
        topic = at(path)
        url = reverse(f"taxonomy:topic-{deed}", args=[taxonomy.slug, topic.pk])
        return as_curator.post(url, {"at": path, **(data or {})}, **extra)

    return send


def told(response: Any) -> str:
    """The toasts that wait for the next page."""
    texts = [message.message for message in get_messages(response.wsgi_request)]
    return re.sub("[\u2066-\u2069]", "", " ".join(texts))


def words(response: HttpResponse) -> str:
    return re.sub("[\u2066-\u2069]", "", Page(response).words)


class TestEdits:
    def test_create(self, do, at):
        response = do("create", "/Recreation", {"name": " Ice  skating "})
        assert response["Location"].endswith("?topic=/Recreation/Ice_skating")
        assert told(response) == "New topic Ice skating in Recreation."
        assert at("/Recreation/Ice_skating")

    def test_create_at_the_top_level(self, do, at):
        do("create", "/", {"name": "Health"})
        assert at("/Health").depth == 2

    def test_rename(self, do, at):
        response = do("rename", RACING, {"name": "Road racing"})
        assert response["Location"].endswith("?topic=/Recreation/Cycling/Road_racing")

    @pytest.mark.parametrize("to", ["/Arts", "arts", "/arts/"])
    def test_move(self, do, to):
        assert do("move", RACING, {"to": to})["Location"].endswith("?topic=/Arts/Racing")

    def test_move_to_the_top_level(self, do):
        assert do("move", RACING, {"to": "/"})["Location"].endswith("?topic=/Racing")

    def test_merge(self, do, at):
        do("merge", RACING, {"to": "/Recreation/Hiking"})
        assert at("/Recreation/Hiking").example_count == 4

    def test_describe(self, do, at):
        do("describe", RACING, {"description": "Fast."})
        assert at(RACING).description == "Fast."

    def test_start_urls(self, do, at):
        wanted = "https://a.example/\r\n\r\n https://b.example/ \r\nhttps://a.example/"
        do("start-urls", RACING, {"start_urls": wanted})
        assert at(RACING).start_urls == ["https://a.example/", "https://b.example/"]

    @pytest.mark.parametrize(
        ("choice", "counts"),
        [
            ({"where": "parent"}, [4, 2]),
            ({"where": "with"}, [2, 2]),
            ({"where": "topic", "to": "/Arts/Painting"}, [2, 4]),
        ],
    )
    def test_delete_asks_where_the_examples_go(self, do, at, choice, counts):
        response = do("delete", RACING, choice)
        assert response["Location"].split("topic=")[-1] in {"/Recreation/Cycling", "/Arts/Painting"}
        paths = ["/Recreation/Cycling", "/Arts/Painting"]
        assert [at(path).example_count for path in paths] == counts

    def test_examples_of_a_top_level_topic_can_not_go_above(self, as_curator, taxonomy):
        page = Page(as_curator.get(tree_url(taxonomy), {"topic": "/Arts", "do": "delete"}))
        choices = [
            e.attributes["value"] for e in page.elements if e.attributes.get("name") == "where"
        ]
        assert choices == ["topic", "with"]

    def test_a_topic_without_examples_is_deleted_without_a_question(
        self, do, at, as_curator, taxonomy
    ):
        do("create", "/Arts", {"name": "Empty"})
        page = Page(as_curator.get(tree_url(taxonomy), {"topic": "/Arts/Empty", "do": "delete"}))
        assert page.values_of("where") == []
        assert do("delete", "/Arts/Empty").status_code == 302


class TestExamples:
    def test_add_by_text_and_address(self, do, at):
        response = do("example-add", JAZZ, {"url": "https://jazz.example/", "text": "Blue notes"})
        assert response.status_code == 302
        assert at(JAZZ).example_count == 3

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            ({}, "Give an address, a text, or both."),
            ({"url": "javascript:alert(1)"}, "not an http or https address"),
            ({"url": f"https://example.org{JAZZ}"}, "is an example of Jazz already"),
        ],
    )
    def test_add_says_what_is_wrong(self, do, data, reason):
        response = do("example-add", JAZZ, {**data, "title": "Kept"})
        assert response.status_code == 422
        assert reason in words(response)
        assert Page(response).values_of("title") == ["Kept"]

    def test_an_address_alone_is_fetched(self, do, at, settings):
        settings.CRAWLER_CONTACT = "ann@example.org"
        with LoopbackWeb.running() as web:
            url = web.add("127.0.0.1", Pages({"/": b"<title>Swing</title><p>Saxophones."}))
            settings.CRAWLER_ALLOWED_HOSTS = [f"127.0.0.1:{web.port}"]
            assert do("example-add", JAZZ, {"url": url}).status_code == 302
        example = at(JAZZ).examples.latest("pk")
        assert (example.title, example.url) == ("Swing", url)
        assert "Saxophones" in example.text

    def test_an_address_that_can_not_be_fetched_is_told_and_can_be_kept(self, do, at, settings):
        settings.CRAWLER_CONTACT = "ann@example.org"
        response = do("example-add", JAZZ, {"url": "http://127.0.0.1:9/"})
        assert response.status_code == 422
        assert "FOCUSADMIN_ALLOWED_TARGETS" in words(response)
        kept = {"url": "http://127.0.0.1:9/", "is_unfetched": "on"}
        assert do("example-add", JAZZ, kept).status_code == 302
        assert at(JAZZ).example_count == 3

    @pytest.mark.parametrize("deed", ["examples-move", "examples-remove", "split"])
    def test_nothing_chosen_is_said(self, do, deed):
        response = do(deed, JAZZ)
        assert told(response) == "Choose at least one example first."

    def test_remove(self, do, at):
        do("examples-remove", JAZZ, {"example": at(JAZZ).examples.first().pk})
        assert at(JAZZ).example_count == 1

    def test_move_asks_where_to_first(self, do, at):
        chosen = [example.pk for example in at(JAZZ).examples.all()]
        asked = do("examples-move", JAZZ, {"example": chosen})
        assert asked.status_code == 200
        assert "2 examples chosen" in words(asked)
        do("examples-move", JAZZ, {"example": chosen, "to": "Opera"})
        assert at("/Arts/Music/Opera").example_count == 4

    def test_split_asks_for_a_name_first(self, do, at):
        chosen = at(JAZZ).examples.first().pk
        assert "1 example chosen" in words(do("split", JAZZ, {"example": chosen}))
        response = do("split", JAZZ, {"example": chosen, "name": "Bebop"})
        assert response["Location"].endswith(f"?topic={JAZZ}/Bebop")
        assert at(f"{JAZZ}/Bebop").example_count == 1

    def test_split_keeps_what_was_chosen_when_the_name_is_wrong(self, do, at):
        chosen = at(JAZZ).examples.first().pk
        response = do("split", JAZZ, {"example": chosen, "name": "a/b"})
        assert response.status_code == 422
        assert Page(response).form(response.wsgi_request.path).fields["example"] == str(chosen)

    def test_they_come_in_pages(self, as_curator, taxonomy, at):
        topic = at(JAZZ)
        first = topic.examples.first()
        for number in range(60):
            first.pk, first.title = None, f"Copy {number:02}"
            first.save()
        page = Page(as_curator.get(tree_url(taxonomy), {"topic": JAZZ}))
        assert "50 of 62" in page.words
        following = next(link for link in page.links if "after=" in link)
        assert "Copy 59" in Page(as_curator.get(following)).words


class TestRefusals:
    @pytest.mark.parametrize(
        ("deed", "path", "data", "reason"),
        [
            ("create", "/Recreation", {"name": "HIKING"}, "There is a topic Hiking in Recreation"),
            ("create", "/Recreation", {"name": "a/b"}, 'A topic name cannot contain "/"'),
            ("create", "/Recreation", {"name": ""}, "The topic name is empty"),
            ("create", "/Recreation", {"name": "x" * 101}, "The topic name has 101 characters"),
            ("rename", RACING, {"name": "Mountain biking"}, "There is a topic Mountain Biking"),
            ("rename", RACING, {}, "The topic name is empty"),
            ("move", RACING, {"to": ""}, "Choose a topic."),
            ("move", RACING, {"to": "Zebras"}, "There is no topic called Zebras"),
            ("move", RACING, {"to": "/Recreation/Cycling"}, "Racing is there already"),
            ("move", "/Recreation", {"to": "Cycling"}, "can't be moved under itself"),
            ("merge", "/Recreation", {"to": "Cycling"}, "can't be merged into itself"),
            ("merge", RACING, {"to": "/"}, "The whole tree can't be used here"),
            ("delete", RACING, {"where": "topic"}, "Choose the topic that gets the examples"),
            ("delete", RACING, {"where": "topic", "to": RACING}, "deleted with them"),
            (
                "start-urls",
                RACING,
                {"start_urls": "ftp://x.example/"},
                "is no http or https address",
            ),
        ],
    )
    def test_name_the_reason_and_keep_what_was_typed(self, do, deed, path, data, reason):
        before = TreeEdit.objects.count()
        response = do(deed, path, data)
        assert response.status_code == 422
        assert reason in words(response)
        assert TreeEdit.objects.count() == before
        typed = next(iter(data.values()), "")
        assert typed in response.content.decode()

    def test_a_good_topic_is_not_deleted(self, do, at, focus, owner):
        topic_mark_good(focus=focus, topic=at(RACING), by=owner)
        response = do("delete", RACING, {"where": "parent"})
        assert "The focus Hills marks Racing good. Take the mark away" in words(response)

    def test_a_name_that_several_topics_have_is_asked_back(self, do, at):
        do("create", "/Arts", {"name": "Racing"})
        response = do("move", "/Recreation/Hiking", {"to": "racing"})
        assert response.status_code == 422
        assert Page(response).values_of("to") == ["racing", "/Arts/Racing", RACING]

    def test_a_choice_below_the_field_counts(self, do):
        response = do("move", RACING, {"to": ["racing", "/Arts"]})
        assert response["Location"].endswith("?topic=/Arts/Racing")

    def test_a_script_gets_the_form_alone(self, do):
        response = do("rename", RACING, {"name": ""}, **PART)
        assert (response.status_code, response["HX-Retarget"]) == (422, "#deed")
        assert "workspace" not in Page(response).ids

    @pytest.mark.parametrize("deed", ["rename", "move", "merge", "delete", "describe"])
    def test_the_whole_tree_is_no_topic(self, do, as_curator, taxonomy, deed):
        assert do(deed, "/", {"name": "X", "to": "/Arts"}).status_code == 404
        page = Page(as_curator.get(tree_url(taxonomy), {"do": deed}))
        assert not [form for form in page.forms if "/topics/" in form.action]

    def test_a_topic_of_another_tree_is_not_found(self, as_curator, taxonomy, at):
        url = reverse("taxonomy:topic-rename", args=[taxonomy.slug, taxonomy.trash_id])
        assert as_curator.post(url, {"name": "X"}).status_code == 404


class TestWithoutScript:
    """Follows the links and forms of the page, as a plain browser does."""

    def test_rename_and_undo(self, as_curator, taxonomy, at, focus):
        asked = {"topic": RACING, "focus": focus.slug, "q": "rac"}
        page = Page(as_curator.get(tree_url(taxonomy), asked))
        form_page = Page(as_curator.get(next(link for link in page.links if "do=rename" in link)))
        form = form_page.form(reverse("taxonomy:topic-rename", args=[taxonomy.slug, at(RACING).pk]))
        assert form.fields["name"] == "Racing"
        done = as_curator.post(form.action, {**form.fields, "name": "Races"}, follow=True)
        assert done.redirect_chain[0][0].endswith("Cycling/Races&focus=hills&q=rac")
        undo = next(form for form in Page(done).forms if form.action.endswith("/undo/"))
        back = as_curator.post(
            undo.action,
            undo.fields,
            follow=True,
            HTTP_REFERER=f"http://testserver{done.redirect_chain[0][0]}",
        )
        assert back.redirect_chain[0][0].endswith("Cycling/Racing&focus=hills&q=rac")
        assert path_of(at(RACING)) == RACING

    @pytest.mark.parametrize(
        ("deed", "values"),
        [("delete", {"where": "with"}), ("merge", {"to": "/Recreation/Hiking"})],
    )
    def test_the_undo_leads_to_what_it_brings_back(self, do, as_curator, taxonomy, deed, values):
        do(deed, RACING, values)
        edit = TreeEdit.objects.latest("pk")
        response = as_curator.post(reverse("taxonomy:edit-undo", args=[taxonomy.slug, edit.pk]))
        assert response["Location"] == f"{tree_url(taxonomy)}?topic={RACING}"

    def test_the_undo_of_a_new_topic_leads_to_the_tree(self, do, as_curator, taxonomy):
        do("create", "/Arts", {"name": "Dance"})
        edit = TreeEdit.objects.latest("revision")
        response = as_curator.post(reverse("taxonomy:edit-undo", args=[taxonomy.slug, edit.pk]))
        assert response["Location"] == tree_url(taxonomy)


class TestHistory:
    def test_tells_who_did_what_and_leads_to_the_topic(self, do, as_curator, taxonomy):
        do("rename", RACING, {"name": "Races"})
        page = Page(as_curator.get(reverse("taxonomy:history", args=[taxonomy.slug])))
        assert "Racing\u2069 renamed to \u2068Races" in page.words
        assert "cora" in page.words
        assert f"{tree_url(taxonomy)}?topic=/Recreation/Cycling/Races" in page.links

    def test_undoes_and_does_again(self, do, as_curator, taxonomy, at):
        do("rename", RACING, {"name": "Races"})
        history = reverse("taxonomy:history", args=[taxonomy.slug])
        for path in [RACING, "/Recreation/Cycling/Races"]:
            page = Page(as_curator.get(history))
            undo = next(form for form in page.forms if form.action.endswith("/undo/"))
            assert as_curator.post(undo.action, undo.fields)["Location"] == history
            assert at(path)
        assert "Undone by cora" in Page(as_curator.get(history)).words

    def test_a_refused_undo_says_why(self, do, as_curator, taxonomy):
        do("rename", RACING, {"name": "Races"})
        url = reverse("taxonomy:edit-undo", args=[taxonomy.slug, TreeEdit.objects.latest("pk").pk])
        as_curator.post(url, {"history": "1"})
        again = as_curator.post(url, {"history": "1"}, follow=True)
        assert "This was undone already." in Page(again).words

    def test_comes_in_pages(self, do, as_curator, taxonomy):
        for number in range(52):
            do("describe", RACING, {"description": f"Text {number}"})
        page = Page(as_curator.get(reverse("taxonomy:history", args=[taxonomy.slug])))
        older = next(link for link in page.links if "before=" in link)
        forms = [
            form for form in Page(as_curator.get(older)).forms if form.action.endswith("/undo/")
        ]
        assert len(forms) == 2

    def test_a_viewer_reads_it_and_undoes_nothing(self, as_teammate, scene):
        page = Page(as_teammate.get(reverse("taxonomy:history", args=[scene.taxonomy.slug])))
        assert "renamed to" in page.words
        assert not [form for form in page.forms if form.action.endswith("/undo/")]

    def test_is_empty_at_first(self, as_teammate, taxonomy):
        url = reverse("taxonomy:history", args=[taxonomy.slug])
        assert "Nothing was changed yet" in Page(as_teammate.get(url)).words
