"""Looking at a tree: the page, its parts, the search, and how little the database is asked."""

import pytest
from django.http import HttpResponse
from django.urls import reverse

from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.models import Taxonomy, Topic, TrainedModel
from taxonomy.services.edits import topic_delete
from taxonomy.services.focuses import focus_create, topic_mark_good
from taxonomy.services.imports import taxonomy_import
from taxonomy.services.training import model_train
from tests.web.pages import Element, Page

INDEX = reverse("taxonomy:index")
PART = {"HTTP_HX_REQUEST": "true"}


def tree_url(taxonomy: Taxonomy) -> str:
    return reverse("taxonomy:tree", args=[taxonomy.slug])


def rows_of(response: HttpResponse) -> list[Element]:
    return [e for e in Page(response).elements if e.attributes.get("role") == "treeitem"]


def paths_in(response: HttpResponse) -> list[str]:
    return [row.attributes.get("data-path", "more") for row in rows_of(response)]


def row_at(response: HttpResponse, path: str) -> dict[str, str]:
    return next(e.attributes for e in rows_of(response) if e.attributes.get("data-path") == path)


@pytest.fixture
def wide(team) -> Taxonomy:
    """450 topics under one, and the same again under the root."""
    records = [TopicRecord(("Wide", f"Topic_{number:03}")) for number in range(450)]
    records += [TopicRecord((f"Other_{number:03}",)) for number in range(450)]
    return taxonomy_import(name="Wide", team=team, records=records).taxonomy


class TestList:
    def test_names_every_tree_of_the_team_with_its_size(self, as_teammate, taxonomy):
        page = Page(as_teammate.get(INDEX))
        assert tree_url(taxonomy) in page.links
        assert "Topics 10 Examples 12" in page.words

    def test_says_how_to_begin_when_there_is_none(self, as_owner, team):
        assert "No trees yet" in Page(as_owner.get(INDEX)).words

    def test_shows_nothing_of_another_team(self, client, stranger, taxonomy):
        client.force_login(stranger)
        assert tree_url(taxonomy) not in Page(client.get(INDEX)).links


class TestTree:
    def test_shows_the_top_level_closed(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy))
        assert paths_in(response) == ["/Arts", "/Recreation"]
        assert row_at(response, "/Recreation")["aria-expanded"] == "false"

    def test_opens_down_to_the_selected_topic(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy), {"topic": "/Recreation/Cycling"})
        assert paths_in(response) == [
            "/Arts",
            "/Recreation",
            "/Recreation/Cycling",
            "/Recreation/Cycling/Mountain_Biking",
            "/Recreation/Cycling/Racing",
            "/Recreation/Hiking",
        ]

    def test_tells_place_and_state_of_every_row(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy), {"topic": "/Recreation/Cycling"})
        row = row_at(response, "/Recreation/Cycling")
        told = {name: row[f"aria-{name}"] for name in ("level", "setsize", "posinset", "selected")}
        assert told == {"level": "2", "setsize": "2", "posinset": "1", "selected": "true"}
        assert "aria-expanded" not in row_at(response, "/Recreation/Hiking")

    @pytest.mark.parametrize("path", ["", "/Recreation/Cycling/Racing"])
    def test_has_one_tab_stop(self, as_teammate, taxonomy, path):
        response = as_teammate.get(tree_url(taxonomy), {"topic": path})
        stops = [row.attributes for row in rows_of(response) if row.attributes["tabindex"] == "0"]
        assert [stop["data-path"] for stop in stops] == [path or "/Arts"]

    def test_opens_what_was_open_before(self, as_teammate, taxonomy, at):
        as_teammate.cookies["open-topics"] = f"{at('/Arts').pk}.junk.{2**70}"
        response = as_teammate.get(tree_url(taxonomy))
        assert paths_in(response) == ["/Arts", "/Arts/Music", "/Arts/Painting", "/Recreation"]

    def test_leaves_a_topic_closed_that_was_closed_before(self, as_teammate, taxonomy):
        as_teammate.cookies["open-topics"] = ""
        response = as_teammate.get(tree_url(taxonomy), {"topic": "/Arts"})
        assert paths_in(response) == ["/Arts", "/Recreation"]

    def test_says_when_a_topic_is_not_there(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy), {"topic": "/Arts/Nothing"})
        assert response.status_code == 404
        assert "There is no topic at /Arts/Nothing" in Page(response).words

    @pytest.mark.parametrize("topic", ["//", "/..", "/\x00", "/" + "x" * 5000, "/a" * 80, "\ud800"])
    def test_survives_odd_addresses(self, as_teammate, taxonomy, topic):
        asked = {"topic": topic.encode("utf-8", "replace"), "after": "x", "shown": "9" * 30}
        assert as_teammate.get(tree_url(taxonomy), asked).status_code in {200, 404}

    def test_an_empty_tree_says_how_to_begin(self, as_owner, owner, taxonomy, at):
        for path in ["/Arts", "/Recreation"]:
            topic_delete(taxonomy=taxonomy, topic=at(path), examples_to=None, by=owner)
        assert "No topics yet" in Page(as_owner.get(tree_url(taxonomy))).words

    def test_a_viewer_finds_nothing_to_edit_with(self, as_teammate, taxonomy, focus):
        asked = {"topic": "/Arts/Music/Jazz", "focus": focus.slug}
        page = Page(as_teammate.get(tree_url(taxonomy), asked))
        assert not [link for link in page.links if "do=" in link]
        assert not page.has_form(reverse("taxonomy:marks", args=[focus.pk]))
        assert "ask an admin of your team" in page.words

    def test_a_viewer_may_not_open_a_form(self, as_teammate, taxonomy):
        asked = {"topic": "/Arts", "do": "rename"}
        assert as_teammate.get(tree_url(taxonomy), asked).status_code == 403


class TestWholeTree:
    def test_shows_the_top_level_with_what_it_is_about(self, as_teammate, taxonomy, at):
        Topic.objects.filter(pk=at("/Arts").pk).update(description="Beautiful things")
        page = Page(as_teammate.get(tree_url(taxonomy)))
        assert "10 topics 12 examples" in page.words
        assert "Arts Beautiful things Recreation 6 examples" in page.words

    def test_stays_short_for_a_wide_tree(self, as_teammate, wide):
        assert "and 391 more in the tree" in Page(as_teammate.get(tree_url(wide))).words


class TestDistinctiveWords:
    MUSIC, RIDING = "saxophone swing bebop aria libretto", "peloton sprint derailleur trail"

    @pytest.fixture
    def taught(self, team) -> Taxonomy:
        texts = {"Music": self.MUSIC, "Riding": self.RIDING}
        records = [
            ExampleRecord((name,), f"Page {number}", "", f"the {words} and the rest {number}")
            for name, words in texts.items()
            for number in range(4)
        ]
        return taxonomy_import(name="Taught", team=team, records=records).taxonomy

    def words(self, client, taxonomy: Taxonomy) -> str:
        words = Page(client.get(tree_url(taxonomy), {"topic": "/Music"})).words
        return words.partition("Most distinctive words")[2].partition("Examples 4")[0]

    def test_come_from_the_examples_while_there_is_no_model(self, as_teammate, taught):
        words = self.words(as_teammate, taught)
        assert "No model knows this topic yet" in words
        assert set(self.MUSIC.split()) <= set(words.split())

    def test_come_from_the_model_as_soon_as_there_is_one(self, as_teammate, taught):
        model_train(taxonomy=taught)
        words = self.words(as_teammate, taught)
        assert "What model v1 goes by" in words
        assert set(self.MUSIC.split()) <= set(words.split())
        assert "peloton" not in words

    def test_a_model_whose_file_is_gone_breaks_no_page(self, as_teammate, taught):
        model_train(taxonomy=taught)
        TrainedModel.objects.update(file="gone.npz")
        assert "No model knows this topic yet" in self.words(as_teammate, taught)


class TestWideTopics:
    def test_show_the_first_200_and_how_many_more(self, as_teammate, wide):
        response = as_teammate.get(tree_url(wide), {"topic": "/Wide"})
        assert paths_in(response).count("more") == 2
        assert "Show 200 more of 250" in Page(response).words

    def test_show_more_without_a_script(self, as_teammate, wide):
        page = Page(as_teammate.get(tree_url(wide), {"topic": "/Wide"}))
        more = next(link for link in page.links if "shown=" in link and "Wide" in link)
        assert "/Wide/Topic_399" in paths_in(as_teammate.get(more))

    def test_keep_the_selected_topic_in_sight(self, as_teammate, wide):
        response = as_teammate.get(tree_url(wide), {"topic": "/Wide/Topic_444"})
        row = row_at(response, "/Wide/Topic_444")
        assert (row["aria-posinset"], row["aria-setsize"]) == ("445", "450")
        assert row["aria-selected"] == "true"

    def test_the_branch_goes_on_where_it_ended(self, as_teammate, wide):
        url = reverse("taxonomy:branch", args=[wide.slug, wide.root_id])
        response = as_teammate.get(url, {"offset": "400"})
        assert len(rows_of(response)) == 51
        assert rows_of(response)[0].attributes["aria-posinset"] == "401"


class TestParts:
    def test_a_script_gets_the_workspace_without_the_frame(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy), **PART)
        assert response["HX-Retarget"] == "#workspace"
        assert "<html" not in response.content.decode()

    def test_a_script_gets_only_the_tree_while_somebody_searches(self, as_teammate, taxonomy):
        asked = {"q": "jazz"}
        response = as_teammate.get(tree_url(taxonomy), asked, HTTP_HX_TARGET="topic-tree", **PART)
        assert response["HX-Retarget"] == "#topic-tree"
        assert "panel-title" not in Page(response).ids

    def test_a_script_gets_the_panel_of_a_topic(self, as_teammate, taxonomy, at):
        url = reverse("taxonomy:topic", args=[taxonomy.slug, at("/Arts/Music/Jazz").pk])
        response = as_teammate.get(url, **PART)
        assert response["HX-Retarget"] == "#topic-panel"
        assert "First of /Arts/Music/Jazz" in Page(response).words

    def test_a_browser_is_led_from_the_panel_to_the_page(self, as_teammate, taxonomy, at):
        url = reverse("taxonomy:topic", args=[taxonomy.slug, at("/Arts/Music/Jazz").pk])
        assert as_teammate.get(url)["Location"] == f"{tree_url(taxonomy)}?topic=/Arts/Music/Jazz"

    def test_a_branch_knows_the_marks_of_the_focus(self, as_owner, owner, taxonomy, at, focus):
        topic_mark_good(focus=focus, topic=at("/Recreation/Cycling/Racing"), by=owner)
        url = reverse("taxonomy:branch", args=[taxonomy.slug, at("/Recreation").pk])
        response = as_owner.get(url, {"focus": focus.slug})
        assert row_at(response, "/Recreation/Cycling")["data-mark"] == "path"


class TestSearch:
    def test_keeps_the_ancestors_of_what_is_found(self, as_teammate, taxonomy):
        response = as_teammate.get(tree_url(taxonomy), {"q": "bik"})
        assert paths_in(response) == [
            "/Recreation",
            "/Recreation/Cycling",
            "/Recreation/Cycling/Mountain_Biking",
        ]
        assert "1 topic found" in Page(response).words

    def test_marks_what_is_found(self, as_teammate, taxonomy):
        page = Page(as_teammate.get(tree_url(taxonomy), {"q": "mountain b"}))
        assert [text.words for text in page.texts if "mark" in text.inside] == ["Mountain B"]

    def test_says_when_nothing_is_found(self, as_teammate, taxonomy):
        words = Page(as_teammate.get(tree_url(taxonomy), {"q": "<b>zebra"})).words
        assert "No topic has <b>zebra in its name" in words

    def test_links_keep_the_search_and_the_focus(self, as_owner, taxonomy, focus):
        page = Page(as_owner.get(tree_url(taxonomy), {"q": "jazz", "focus": focus.slug}))
        assert f"{tree_url(taxonomy)}?topic=/Arts/Music/Jazz&focus=hills&q=jazz" in page.links

    @pytest.mark.parametrize("query", ["jazz", "/arts/jazz", "JAZZ ", "ja"])
    def test_suggestions_are_options_with_paths(self, as_teammate, taxonomy, query):
        url = reverse("taxonomy:suggest", args=[taxonomy.slug])
        page = Page(as_teammate.get(url, {"q": query}))
        values = [e.attributes["data-value"] for e in page.elements if "data-value" in e.attributes]
        assert values == ["/Arts/Music/Jazz"]

    def test_suggestions_leave_a_topic_and_what_is_under_it_out(self, as_teammate, taxonomy, at):
        url = reverse("taxonomy:suggest", args=[taxonomy.slug])
        asked = {"q": "ing", "without": at("/Recreation/Cycling").pk}
        words = Page(as_teammate.get(url, asked)).words
        assert "Hiking" in words
        assert "Racing" not in words

    def test_nothing_typed_offers_the_top_level(self, as_teammate, taxonomy):
        url = reverse("taxonomy:suggest", args=[taxonomy.slug])
        words = Page(as_teammate.get(url, {"q": "", "top": "1"})).words
        assert words.startswith("The top level Arts /Arts")


class TestHostileText:
    NAME = "<img src=x onerror=alert(1)>\"'\u202e"

    @pytest.fixture
    def hostile(self, team) -> Taxonomy:
        name = self.NAME.replace("\u202e", "").replace(" ", "_")
        example = ExampleRecord((name,), self.NAME, "https://evil.example/<script>", self.NAME)
        topic = TopicRecord((name,), self.NAME, (self.NAME,), ("https://a.example/\"onclick='x",))
        return taxonomy_import(name=self.NAME[:20], team=team, records=[topic, example]).taxonomy

    def test_is_escaped_everywhere(self, as_owner, owner, hostile):
        focus = focus_create(name=self.NAME, taxonomy=hostile, by=owner)
        topic = hostile.root.children.get()
        topic_mark_good(focus=focus, topic=topic, by=owner)
        asked = {"topic": f"/{topic.name}", "focus": focus.slug, "q": "<img"}
        for form in ["", "rename", "move", "delete", "describe", "start-urls", "example-add"]:
            page = Page(as_owner.get(tree_url(hostile), {**asked, "do": form}))
            assert not [e for e in page.elements if e.tag == "img"], form
            assert not [e for e in page.elements if "onerror" in e.attributes], form
            assert not [e for e in page.elements if "onclick" in e.attributes], form

    def test_links_out_tell_nobody_where_they_come_from(self, as_owner, hostile):
        topic = hostile.root.children.get()
        page = Page(as_owner.get(tree_url(hostile), {"topic": f"/{topic.name}"}))
        out = [e.attributes for e in page.elements if "://" in e.attributes.get("href", "")]
        assert len(out) == 2
        assert {link["rel"] for link in out} == {"noopener noreferrer nofollow"}

    def test_an_address_that_is_no_web_address_is_no_link(self, as_owner, taxonomy, at):
        at("/Arts/Music/Jazz").examples.filter(title="Second").update(url="javascript:alert(1)")
        page = Page(as_owner.get(tree_url(taxonomy), {"topic": "/Arts/Music/Jazz"}))
        assert not [link for link in page.links if link.startswith("javascript")]


class TestQueries:
    """The number of queries does not grow with the tree."""

    def test_of_the_page(self, as_owner, wide, django_assert_max_num_queries):
        as_owner.cookies["open-topics"] = ".".join(
            str(pk) for pk in wide.root.children.values_list("pk", flat=True)[:200]
        )
        with django_assert_max_num_queries(36):
            as_owner.get(tree_url(wide), {"topic": "/Wide/Topic_444"})

    def test_of_a_branch(self, as_owner, wide, django_assert_max_num_queries):
        url = reverse("taxonomy:branch", args=[wide.slug, wide.root_id])
        with django_assert_max_num_queries(8):
            as_owner.get(url)

    def test_of_a_search(self, as_owner, wide, django_assert_max_num_queries):
        with django_assert_max_num_queries(12):
            as_owner.get(tree_url(wide), {"q": "topic"}, HTTP_HX_TARGET="topic-tree", **PART)
