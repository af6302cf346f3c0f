"""Where does this text belong: the page, its doubts, and adding the text as an example."""

import json

import pytest
from django.urls import reverse

from taxonomy.models import Example, Taxonomy, TreeEdit
from taxonomy.selectors.models import model_file
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.edits import topic_rename
from taxonomy.services.focuses import focus_create, topic_mark_good
from taxonomy.services.reading import pages_route
from taxonomy.services.training import model_train
from tests.product import ROOT
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb
from tests.taxonomy.test_training import taught
from tests.web.pages import Page

__all__ = ["taught"]

CLASSIFY = reverse("taxonomy:classify")
FETCH = reverse("taxonomy:classify-fetch")
PART = {"HTTP_HX_REQUEST": "true"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \u202e"
OPERA = "The soprano sang an aria and the tenor another, with libretto and overture. " * 5


@pytest.fixture
def trained(taught: Taxonomy) -> Taxonomy:
    model_train(taxonomy=taught)
    return taught


def judge(client, text: str, **options):
    return client.post(CLASSIFY, {"by": "taught", "text": text, **options})


def add_url(taxonomy: Taxonomy, path: str) -> str:
    topic = topic_by_path(taxonomy=taxonomy, path=path)
    return reverse("taxonomy:classify-example", args=[taxonomy.slug, topic.pk])


class TestForm:
    def test_offers_the_trees_and_focuses_of_the_person(self, as_teammate, trained, owner):
        focus_create(name="Stage", taxonomy=trained, by=owner)
        page = Page(as_teammate.get(CLASSIFY))
        assert "Taught, all topics Taught, focus Stage" in page.words
        assert "The judgement will stand here" in page.words

    def test_offers_nothing_of_another_team(self, client, stranger, trained):
        client.force_login(stranger)
        words = Page(client.get(CLASSIFY)).words
        assert "Taught" not in words
        assert "No topics to judge with" in words

    def test_a_bookmarklet_prefills_address_and_title_and_nothing_is_fetched(
        self, as_owner, trained
    ):
        response = as_owner.get(CLASSIFY, {"url": "http://example.org/", "t": "A night out\x00"})
        page = Page(response)
        assert "A night out" in page.values_of("title")
        assert "http://example.org/" in page.values_of("url")
        assert not [link for link in page.links if "example.org" in link]

    def test_an_address_may_choose_the_tree_and_focus(self, as_owner, trained, owner):
        focus = focus_create(name="Stage", taxonomy=trained, by=owner)
        page = as_owner.get(CLASSIFY, {"taxonomy": "taught", "focus": focus.slug}).content.decode()
        assert f'<option value="taught/{focus.slug}" selected>' in page

    def test_is_in_the_navigation(self, as_owner, trained):
        assert CLASSIFY in Page(as_owner.get(reverse("crawler:home"))).links


@pytest.fixture
def opera_page(settings):
    settings.CRAWLER_CONTACT = "ann@example.org"
    body = f"<title>At {HOSTILE}the opera</title><p>{OPERA}".encode()
    with LoopbackWeb.running() as web:
        url = web.add("127.0.0.1", Pages({"/night": body}))
        settings.CRAWLER_ALLOWED_HOSTS = [f"127.0.0.1:{web.port}"]
        yield f"{url}night"


class TestFetching:
    def test_the_page_is_judged_and_its_text_stands_in_the_form(
        self, as_teammate, trained, opera_page
    ):
        response = as_teammate.post(FETCH, {"by": "taught", "url": opera_page})
        page = Page(response)
        assert "It belongs here" in page.words
        assert "the opera" in page.values_of("title")[0]
        assert page.values_of("url") == page.values_of("source") == [opera_page]
        assert "<script>alert" not in response.content.decode()

    def test_nothing_is_fetched_by_get(self, as_teammate, trained, opera_page):
        assert as_teammate.get(FETCH, {"url": opera_page}).status_code == 405

    def test_an_example_of_it_keeps_the_address(self, as_owner, trained, opera_page):
        sent = {"by": "taught", "title": "Night", "text": OPERA, "source": opera_page}
        assert as_owner.post(add_url(trained, "/Music/Opera"), sent).status_code == 302
        assert Example.objects.latest("pk").url == opera_page

    @pytest.mark.parametrize(
        ("url", "reason"),
        [
            ("", "Give the address of a page"),
            ("javascript:alert(1)", "This is not a web address"),
            ("http://127.0.0.1:9/", "FOCUSADMIN_ALLOWED_TARGETS"),
        ],
    )
    def test_what_stands_in_the_way_is_said_and_the_text_kept(
        self, as_teammate, trained, settings, url, reason
    ):
        settings.CRAWLER_CONTACT = "ann@example.org"
        response = as_teammate.post(FETCH, {"by": "taught", "text": OPERA, "url": url})
        page = Page(response)
        assert response.status_code == 422
        assert reason in page.words
        assert "soprano" in response.content.decode()
        assert not [link for link in page.links if link.startswith("javascript:")]

    def test_another_teams_tree_is_not_used(self, as_teammate, trained, opera_page):
        page = as_teammate.post(FETCH, {"by": "elsewhere", "url": opera_page})
        assert "It belongs here" in Page(page).words


class TestJudgement:
    def test_tells_the_way_down_and_the_words_that_decide(self, as_teammate, trained):
        page = Page(judge(as_teammate, OPERA))
        assert "It belongs here" in page.words
        assert f"{reverse('taxonomy:tree', args=['taught'])}?topic=/Music/Opera" in page.links
        assert "Runner-up:" in page.words
        assert "Music : Opera rather than the others" in page.words
        assert "soprano \u00d75" in page.words
        assert "Version 1" in page.words

    def test_a_script_gets_the_judgement_alone(self, as_teammate, trained):
        response = as_teammate.post(CLASSIFY, {"by": "taught", "text": OPERA}, **PART)
        body = response.content.decode()
        assert body.lstrip().startswith('<div id="judgement"')
        assert "<html" not in body
        assert "HX-Request" in response["Vary"]

    def test_with_a_focus_the_relevance_is_told(self, as_teammate, trained, owner):
        focus = focus_create(name="Stage", taxonomy=trained, by=owner)
        by = f"taught/{focus.slug}"
        assert "No topic is marked good" in Page(judge(as_teammate, OPERA, by=by)).words
        opera = topic_by_path(taxonomy=trained, path="/Music/Opera")
        topic_mark_good(focus=focus, topic=opera, by=owner)
        words = Page(judge(as_teammate, OPERA, by=by)).words
        assert "Relevance to Stage" in words
        assert "The sum of the probabilities of its good topics." in words

    @pytest.mark.parametrize("sent", [{"why": "/Music/Jazz"}, {"toward": "music/JAZZ"}])
    def test_the_way_to_another_topic_is_explained_when_asked_for(self, as_curator, trained, sent):
        response = judge(as_curator, f"{OPERA} saxophone", **sent)
        page = Page(response)
        assert "The way to Jazz" in page.words
        assert "Music : Opera rather than Jazz" in page.words
        assert "/Music/Jazz" in page.values_of("toward")
        assert add_url(trained, "/Music/Jazz") in response.content.decode()
        assert "Why not? Opera" not in page.words

    def test_the_question_is_offered_beside_the_other_topics_and_can_be_dropped(
        self, as_teammate, trained
    ):
        assert "Why not? Jazz" in Page(judge(as_teammate, OPERA)).words
        page = Page(judge(as_teammate, OPERA, why="/", toward="/Music/Jazz"))
        assert "Why, level by level" in page.words
        assert page.values_of("toward") == [""]

    @pytest.mark.parametrize("path", [f"/{HOSTILE[:40]}", "/" + "x/" * 300, "/Music//x"])
    def test_an_unknown_topic_is_named_and_the_judgement_stays(self, as_teammate, trained, path):
        response = judge(as_teammate, OPERA, toward=path)
        page = Page(response)
        assert response.status_code == 200
        assert "It belongs here" in page.words
        assert "<script>alert" not in response.content.decode()
        assert page.values_of("toward") == [path]

    def test_a_title_alone_can_be_judged(self, as_teammate, trained):
        assert "Opera" in Page(judge(as_teammate, "", title=OPERA)).words

    @pytest.mark.parametrize(
        ("text", "doubt"),
        [
            ("soprano", "too short to judge"),
            ("zwölf Boxkämpfer jagen Viktor quer über Sylt " * 6, "knows none of these words"),
            ("\U0001f6b2 " * 50, "knows none of these words"),
        ],
    )
    def test_doubts_are_told_instead_of_a_confident_figure(self, as_teammate, trained, text, doubt):
        page = Page(judge(as_teammate, text))
        assert doubt in page.words
        assert "It belongs here" not in page.words

    @pytest.mark.parametrize("text", ["", "  \n ", "\x00"])
    def test_nothing_to_judge_is_said_plainly(self, as_teammate, trained, text):
        response = judge(as_teammate, text)
        assert response.status_code == 200
        assert "There is no text to judge" in Page(response).words

    def test_a_nul_in_a_text_is_dropped(self, as_teammate, trained):
        assert "It belongs here" in Page(judge(as_teammate, f"\x00{OPERA}\x00")).words

    def test_too_long_a_text_is_refused_with_its_length(self, as_teammate, trained):
        response = judge(as_teammate, "x" * 200_001)
        assert response.status_code == 422
        assert "The text has 200001 characters; 200,000 fit" in Page(response).words
        part = as_teammate.post(CLASSIFY, {"by": "taught", "text": "x" * 200_001}, **PART)
        assert part.status_code == 200
        assert "200,000 fit" in Page(part).words

    def test_a_tree_of_others_can_not_be_judged_with(self, client, stranger, trained, team):
        client.force_login(stranger)
        assert "aria" not in Page(judge(client, OPERA)).words

    def test_an_unknown_tree_is_refused(self, as_owner, trained):
        response = judge(as_owner, OPERA, by="nowhere")
        assert response.status_code == 422
        assert "This tree or focus is gone" in Page(response).words

    def test_hostile_text_stays_text(self, as_teammate, trained):
        response = judge(as_teammate, HOSTILE * 20, title=HOSTILE)
        body = response.content.decode()
        assert "<script>alert" not in body
        assert "<img src=x" not in body

    def test_a_topic_that_was_renamed_since_is_no_dead_link(self, as_teammate, trained, owner):
        topic = topic_by_path(taxonomy=trained, path="/Music/Opera")
        topic_rename(taxonomy=trained, topic=topic, name="Singing", by=owner)
        page = Page(judge(as_teammate, OPERA))
        assert "(no more in the tree)" in page.words
        assert not [link for link in page.links if link.endswith("/Music/Opera")]

    def test_without_a_model_the_way_to_one_is_shown(self, as_owner, taught):
        page = Page(judge(as_owner, OPERA))
        assert "No model yet" in page.words
        assert reverse("taxonomy:models", args=["taught"]) in page.links

    def test_length_and_language_are_told(self, as_owner, trained):
        words = Page(judge(as_owner, OPERA)).words
        assert "Words 65 Language en, by a guess" in words
        assert "Language Too little text to tell" in Page(judge(as_owner, "Bonjour")).words

    def test_a_damaged_model_says_what_to_do(self, as_owner, trained):
        model = trained.trained_models.get()
        model_file(model).write_bytes(b"nonsense")
        trained.trained_models.update(checksum="damaged")
        assert "The model can't be used" in Page(judge(as_owner, OPERA)).words

    def test_the_number_of_queries_is_bounded(
        self, as_teammate, trained, django_assert_max_num_queries
    ):
        judge(as_teammate, OPERA)
        with django_assert_max_num_queries(14):
            judge(as_teammate, OPERA)


class TestExample:
    def test_adds_the_text_and_leads_to_its_topic(self, as_curator, trained):
        response = as_curator.post(
            add_url(trained, "/Music/Opera"), {"by": "taught", "title": "Aida", "text": OPERA}
        )
        assert response["Location"].endswith("?topic=/Music/Opera")
        example = Example.objects.latest("pk")
        assert (example.title, example.topic.name) == ("Aida", "Opera")
        assert "An example added" in Page(as_curator.get(response["Location"])).words

    def test_a_script_stays_and_can_undo(self, as_curator, trained):
        data = {"by": "taught", "text": OPERA}
        page = Page(as_curator.post(add_url(trained, "/Music/Opera"), data, **PART))
        undo = reverse("taxonomy:classify-undo", args=["taught", TreeEdit.objects.latest("pk").pk])
        assert page.has_form(undo)
        done = as_curator.post(undo, {"token": "edit"}, **PART)
        assert "Undone" in Page(done).words
        assert not Example.objects.kept().filter(title="", text=OPERA.strip()).exists()
        again = as_curator.post(undo, {"token": "edit"}, **PART)
        assert "undone already" in Page(again).words

    def test_a_viewer_is_not_offered_it(self, as_teammate, trained):
        assert "Add as example" not in Page(judge(as_teammate, OPERA)).words

    def test_nothing_can_not_be_added(self, as_curator, trained):
        response = as_curator.post(add_url(trained, "/Music/Opera"), {"by": "taught", "text": " "})
        assert response.status_code == 422
        assert "An example needs a text" in Page(response).words
        assert Example.objects.count() == 16


# Keeping pages while browsing


@pytest.fixture
def kept(as_curator, taxonomy, focus):
    """Judges a page with a focus, and keeps it for that focus."""
    model_train(taxonomy=taxonomy)

    def call(url: str, standing: str) -> Page:
        data = {"by": "small/hills", "title": "Laps", "text": "Racing", "source": url}
        return Page(as_curator.post(reverse("taxonomy:classify-keep"), {**data, "as": standing}))

    return call


def test_a_page_is_kept_as_an_example_or_with_its_topics_marked(kept, focus):
    kept("https://a.example/", "example")
    assert "has its topics marked in" in kept("https://b.example/", "browsed").words
    assert sorted(focus.pages.values_list("standing", "source")) == [
        ("browsed", "classified"),
        ("example", "classified"),
    ]
    kept("https://b.example/", "example")  # a change of mind
    assert set(focus.pages.values_list("standing", flat=True)) == {"example"}


def test_after_sufficient_browsing_the_topics_are_candidates_for_good(kept, focus, as_curator):
    assert "candidates for good" not in kept("https://a.example/1", "browsed").words
    kept("https://a.example/2", "browsed")
    page = kept("https://a.example/3", "browsed")
    address = reverse("crawler:focus-topics", args=[focus.pk])
    assert address in page.links
    pages_route(focus)
    assert "Proposed topics" in Page(as_curator.get(address)).words


def test_keeping_is_undone(kept, focus, as_curator):
    page = kept("https://a.example/", "example")
    address = reverse("taxonomy:classify-forget", args=[focus.pk, focus.pages.get().pk])
    as_curator.post(address, page.form(address).fields)
    assert not focus.pages.exists()


@pytest.mark.parametrize(
    ("url", "standing", "words"),
    [("", "example", "Only a page with an address"), ("https://a.example/", "x", "Choose a focus")],
)
def test_what_can_not_be_kept_is_told(kept, focus, url, standing, words):
    assert words in kept(url, standing).words
    assert not focus.pages.exists()


def test_nothing_is_kept_by_an_address_alone(as_curator, focus):
    as_curator.get(reverse("taxonomy:classify"), {"url": "https://a.example/", "t": "A"})
    assert not focus.pages.exists()


def test_the_extension_asks_for_no_more_than_it_needs():
    folder = ROOT / "static" / "extension"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["manifest_version"] == 3
    assert set(manifest["permissions"]) == {"activeTab", "scripting", "storage"}
    assert "host_permissions" not in manifest
    assert (folder / manifest["action"]["default_popup"]).exists()
