"""The guided path without a script: a draft is made, filled, marked and started."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from crawler.models import Crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, User
from taxonomy.models import Focus, FocusDraft, FocusPage
from taxonomy.selectors.sharing import may_edit_focus
from taxonomy.services.focuses import topic_mark_good
from taxonomy.services.reading import pages_route
from taxonomy.services.training import model_train
from tests.web.pages import Page
from tests.web.test_taxonomy_edits import told

FILE = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Bikes &amp; <b>more</b></H3><DL><p>
<DT><A HREF="https://a.example/racing">Racing bicycles</A>
<DT><A HREF="https://b.example/">About Recreation Cycling Racing</A></DL><p>
<DT><A HREF="https://a.example/racing">Racing again</A>
<DT><A HREF="javascript:alert(1)">Run</A><DT><A HREF="file:///etc/passwd">Mine</A></DL><p>"""
JAZZ, RACING = "/Arts/Music/Jazz", "/Recreation/Cycling/Racing"


def to(step: str, focus: Focus) -> str:
    return reverse(f"crawler:focus-{step}", args=[focus.pk])


@pytest.fixture
def bring(as_curator: Client, focus):
    return lambda **data: as_curator.post(to("bring", focus), data)


@pytest.fixture
def examples(focus) -> list[FocusPage]:
    """Three that were judged by their titles: two of racing, one of jazz."""
    model_train(taxonomy=focus.taxonomy)
    FocusDraft.objects.create(focus=focus)
    titles = [f"About {RACING}", f"First of {RACING}", f"About {JAZZ}"]
    pages = [
        FocusPage(
            focus=focus,
            url=f"https://{n}.example/",
            url_digest=str(n),
            title=title,
            state="read",
            source="pasted",
            links=[[f"https://{n}.example/racing", "Racing"]],
        )
        for n, title in enumerate(titles)
    ]
    FocusPage.objects.bulk_create(pages)
    pages_route(focus)
    return list(focus.pages.all())


def topics_page(client: Client, focus: Focus) -> Page:
    return Page(client.get(to("topics", focus)))


# A draft


def test_bookmarks_begin_a_draft_at_its_first_step(as_curator, taxonomy):
    response = as_curator.post(reverse("crawler:focus-new"), {"with": "bookmarks"})
    focus = Focus.objects.get(name="New focus")
    assert response["Location"] == to("examples", focus)
    page = Page(as_curator.get(reverse("crawler:focus-new")))
    assert reverse("crawler:focus", args=[focus.pk]) in page.links


def test_without_a_demo_web_the_demo_says_how_to_get_one(as_curator, taxonomy):
    response = as_curator.post(reverse("crawler:focus-new"), {"with": "demo"})
    assert response.status_code == 409
    assert "make run" in Page(response).words
    assert not Focus.objects.exists()


def test_somebody_without_a_tree_is_told_why_nothing_can_begin(client, newcomer):
    client.force_login(newcomer)
    assert "No tree of topics" in Page(client.get(reverse("crawler:focus-new"))).words


def test_what_is_typed_is_there_on_coming_back(as_curator, focus):
    as_curator.post(to("keep", focus), {"pasted": "https://half.exam"})
    as_curator.post(to("keep", focus), {"max_pages": "77", "exclusions": "a b c"})
    assert "https://half.exam" in as_curator.get(to("examples", focus)).content.decode()
    page = Page(as_curator.get(to("start", focus)))
    assert page.values_of("max_pages") == ["77"]


# Examples


def test_a_file_is_told_as_a_tree_of_folders_with_what_was_skipped(bring, as_curator, focus):
    response = bring(do="upload", file=SimpleUploadedFile("mine.html", FILE))
    assert response["Location"] == to("examples", focus)
    page = Page(as_curator.get(to("examples", focus)))
    assert "mine.html 3 web pages found in 1 folder" in page.words
    assert "1 saved more than once" in page.words
    assert "1 \u00d7 javascript: link 1 \u00d7 file: link" in page.words
    assert "Bikes & more 2 pages Not in a folder 1 page" in page.words
    assert not focus.pages.exists()  # nothing is fetched before somebody says so


def test_an_upload_that_was_cancelled_while_it_was_read_is_not_kept(bring, focus):
    bring(do="cancel", upload="one")
    bring(do="upload", upload="one", file=SimpleUploadedFile("mine.html", FILE))
    assert not FocusDraft.objects.get().report
    bring(do="upload", upload="two", file=SimpleUploadedFile("mine.html", FILE))
    assert FocusDraft.objects.get().report["bookmarks"] == 3


def test_the_chosen_folders_are_the_examples(bring, as_curator, focus):
    bring(do="upload", file=SimpleUploadedFile("mine.html", FILE))
    folders = Page(as_curator.get(to("examples", focus))).values_of("folder")
    assert told(bring(do="choose", folder=folders)) == "2 pages added to your examples."
    assert "0 of 2 pages read" in Page(as_curator.get(to("reading", focus))).words


def test_before_anything_is_fetched_a_contact_is_asked_for(bring, as_curator, focus):
    bring(do="paste", pasted="https://a.example/")
    assert "sites are told who visits them" in Page(as_curator.get(to("reading", focus))).words
    assert bring(do="contact", contact="nobody").status_code == 422
    bring(do="contact", contact="ann@example.org")
    page = Page(as_curator.get(to("reading", focus)))
    assert "sites are told" not in page.words
    assert page.elements[0].attributes["hx-trigger"] == "every 1s"


def test_unreachable_pages_are_named_with_the_reason(bring, as_curator, focus):
    bring(do="paste", pasted="https://a.example/")
    problem = "The site answered with the status 404."
    focus.pages.update(state=FocusPage.State.UNREACHABLE, problem=problem)
    page = Page(as_curator.get(to("reading", focus)))
    assert problem in page.words
    assert "By title and address" in page.words
    assert "hx-trigger" not in page.elements[0].attributes
    bring(do="again")
    assert focus.pages.get().state == "waiting"
    assert "1 skipped" in told(bring(do="skip"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"do": "upload"}, "Choose a file first."),
        ({"do": "upload", "file": SimpleUploadedFile("a.pdf", b"%PDF-1.4")}, "PDF document"),
        ({"do": "paste", "pasted": " "}, "Paste at least one address."),
        ({"do": "paste", "pasted": "just words"}, "does not look like a bookmark file"),
    ],
)
def test_what_is_no_bookmark_file_is_refused_with_the_reason(bring, data, words):
    response = bring(**data)
    assert response.status_code == 422
    assert words in Page(response).words


# Topics


def test_proposals_come_with_the_examples_behind_them(as_curator, focus, examples):
    words = topics_page(as_curator, focus).words
    assert "Recreation \u203a Cycling \u203a Racing" in words
    assert words.index("Racing Mark good") < words.index("Jazz Mark good")
    assert f"About {JAZZ}" in words


def test_marking_tells_what_falls_outside(as_curator, focus, examples, at):
    data = {"topic": at(RACING).pk, "action": "mark"}
    assert told(as_curator.post(to("mark", focus), data)) == "Racing is good now."
    words = topics_page(as_curator, focus).words
    assert "1 of 3 examples fall outside your good topics" in words


def test_a_good_topic_above_another_is_offered_as_its_replacement(
    as_curator, focus, examples, at, owner
):
    topic_mark_good(focus=focus, topic=at(RACING), by=owner)
    data = {"topic": at("/Recreation").pk, "action": "mark"}
    response = as_curator.post(to("mark", focus), data)
    assert response.status_code == 409
    assert "Replace by Recreation" in Page(response).words
    as_curator.post(to("mark", focus), {**data, "action": "replace"})
    assert [topic.name for topic in focus.good_topics.all()] == ["Recreation"]


def test_a_mark_can_be_undone(as_curator, focus, examples, at):
    as_curator.post(to("mark", focus), {"topic": at(RACING).pk})
    toast = topics_page(as_curator, focus).form(to("marks-restore", focus))
    as_curator.post(toast.action, toast.fields)
    assert not focus.marks.exists()


def test_where_neighbours_commingle_widening_is_offered(as_curator, focus, examples, at, owner):
    topic_mark_good(focus=focus, topic=at("/Arts/Music/Opera"), by=owner)
    focus.pages.update(topic=JAZZ, probabilities={"/Arts": 0.9, "/Arts/Music": 0.8, JAZZ: 0.8})
    assert "they commingle" in topics_page(as_curator, focus).words
    as_curator.post(to("mark", focus), {"topic": at("/Arts/Music").pk, "action": "widen"})
    assert [topic.name for topic in focus.pass_through_topics.all()] == ["Music"]
    words = topics_page(as_curator, focus).words
    assert "Priority only: /Arts/Music" in words
    assert "they commingle" not in words
    as_curator.post(to("mark", focus), {"topic": at("/Arts/Music").pk, "action": "narrow"})
    assert not focus.pass_through_topics.exists()


def test_a_topic_of_ones_own_is_made_of_chosen_examples(as_curator, focus, examples, at):
    chosen = {"name": "Velodromes", "to": "/Recreation", "page": [p.pk for p in examples[:2]]}
    response = as_curator.post(to("topic-make", focus), chosen)
    assert "Velodromes is made of 2 examples" in told(response)
    topic = at("/Recreation/Velodromes")
    assert topic.examples.count() == 2
    assert topic in focus.good_topics.all()
    assert "The model is learning" in topics_page(as_curator, focus).words


def test_one_example_alone_makes_no_topic(as_curator, focus, examples):
    response = as_curator.post(to("topic-make", focus), {"name": "X", "page": [examples[0].pk]})
    assert response.status_code == 422
    assert "at least 2 examples" in Page(response).words


# Explore


@pytest.fixture
def neighbour(as_curator, focus, examples, at, owner) -> FocusPage:
    """Found around the first example, and read."""
    topic_mark_good(focus=focus, topic=at(RACING), by=owner)
    as_curator.post(reverse("crawler:focus-explore-look", args=[focus.pk, examples[0].pk]))
    focus.pages.filter(source="explored").update(
        state="read", title="First laps", text=f"About {RACING}", links=[["https://n.example/", ""]]
    )
    pages_route(focus)
    found: FocusPage = focus.pages.get(source="explored")
    return found


def explore_page(client: Client, focus: Focus) -> Page:
    return Page(client.get(to("explore", focus)))


def test_links_of_an_example_become_neighbours_with_relevance(as_curator, focus, neighbour):
    page = explore_page(as_curator, focus)
    assert "First laps" in page.words
    assert "1 link away" in page.words
    assert "first" in page.words[page.words.index("1 link away") :]  # a word that is distinctive
    assert neighbour.found_on_id == focus.pages.examples().first().pk


def test_neighbours_wait_to_be_read(as_curator, focus, neighbour):
    focus.pages.filter(pk=neighbour.pk).update(state="waiting")
    assert "1 neighbour still to be read" in explore_page(as_curator, focus).words


def test_a_neighbour_is_added_or_rejected_and_either_is_undone(as_curator, focus, neighbour):
    judge = reverse("crawler:focus-explore-judge", args=[focus.pk, neighbour.pk])
    for wanted in ("example", "rejected"):
        as_curator.post(judge, {"standing": wanted})
        neighbour.refresh_from_db()
        assert neighbour.standing == wanted
        toast = explore_page(as_curator, focus).form(judge)
        as_curator.post(judge, toast.fields)
        neighbour.refresh_from_db()
        assert neighbour.standing == "neighbour"


def test_more_like_this_goes_two_links_far_and_no_farther(as_curator, focus, neighbour):
    look = "crawler:focus-explore-look"
    as_curator.post(reverse(look, args=[focus.pk, neighbour.pk]))
    far = focus.pages.get(found_on=neighbour)
    assert (far.url, far.distance) == ("https://n.example/", 2)
    response = as_curator.post(reverse(look, args=[focus.pk, far.pk]))
    assert "two links away" in told(response)


# Start


@pytest.fixture
def ready(focus: Focus, examples, at, owner) -> Focus:
    owner.email = "olga@example.org"
    owner.save()
    topic_mark_good(focus=focus, topic=at(RACING), by=owner)
    return focus


def test_the_look_ahead_tells_what_comes_first_and_why(as_owner, ready):
    words = Page(as_owner.get(to("start", ready))).words
    assert words.index("https://0.example/") < words.index("https://0.example/racing")
    assert "Your example: relevance" in words
    assert "Linked from “About" in words
    asked = {"strategy": "breadth_first", "exclusions": "0.example"}
    ahead = Page(as_owner.get(to("preview", ready), asked)).words
    assert "https://0.example" not in ahead
    assert "https://1.example/racing" in ahead


def test_start_leads_to_the_crawl_with_everything_that_was_chosen(as_owner, ready):
    page = Page(as_owner.get(to("start", ready)))
    form = page.form(to("start", ready))
    typed = {"strategy": "hard_focus", "name": "Velodromes", "exclusions": "x.example"}
    response = as_owner.post(form.action, {**form.fields, **typed})
    crawl = Crawl.objects.get()
    assert response["Location"] == reverse("crawler:crawl", args=[crawl.pk])
    assert (crawl.name, crawl.strategy) == ("Velodromes", "hard_focus")
    assert crawl.contact == "olga@example.org"
    assert crawl.config["exclusions"] == ["x.example"]
    assert crawl.config["budget"]["max_pages"] == 500
    assert sorted(crawl.start_urls) == ["https://0.example/", "https://1.example/"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"max_pages": "0"}, "greater than or equal to 1"),
        ({"exclusions": "https://a/ b"}, "is not a host"),
        ({"name": ""}, "Give the focus a name."),
        ({"strategy": "magic"}, "Select a valid choice"),
    ],
)
def test_what_can_not_be_started_is_told_and_kept(as_owner, ready, typed, words):
    form = Page(as_owner.get(to("start", ready))).form(to("start", ready))
    response = as_owner.post(form.action, {**form.fields, "strategy": "otie", **typed})
    assert response.status_code == 422
    assert words in Page(response).words
    assert not Crawl.objects.exists()
    assert FocusDraft.objects.get().plan.items() >= typed.items()


def test_without_a_good_topic_nothing_starts(as_owner, focus, examples):
    assert "No topic is good yet" in Page(as_owner.get(to("start", focus))).words


def test_only_operators_may_start(client, ready, team):
    user = User.objects.create_user("cora", password="a-long-pass-phrase")
    Membership.objects.create(user=user, team=team, role=Role.CURATOR)
    client.force_login(user)
    page = Page(client.get(to("start", ready)))
    assert "Only an operator of your team may start a crawl" in page.words
    form = page.form(to("start", ready))
    response = client.post(form.action, {**form.fields, "strategy": "otie"})
    assert response.status_code == 403


# The page of a focus


def test_the_page_of_a_focus_tells_topics_examples_and_who_sees_it(as_teammate, ready):
    page = Page(as_teammate.get(reverse("crawler:focus", args=[ready.pk])))
    assert "Recreation \u203a Cycling \u203a Racing" in page.words
    assert "Pasted list: 3" in page.words
    assert "Everybody in Cyclists sees this focus" in page.words
    assert not page.has_form(to("duplicate", ready))


def share(client: Client, focus: Focus, member: Membership, rights: str):
    return client.post(to("share", focus), {"member": member.pk, "rights": rights})


@pytest.fixture
def viewer(teammate, team) -> Membership:
    return Membership.objects.get(user=teammate, team=team)


def test_a_focus_shared_to_view_stands_on_the_teammates_home_page(
    client, as_owner, teammate, viewer, ready
):
    assert "Shared with you" not in Page(as_owner.get("/")).words
    assert "who can view it" in told(share(as_owner, ready, viewer, "view"))
    client.force_login(teammate)
    assert "Shared with you Hills Can view by olga" in Page(client.get("/")).words
    assert client.get(to("topics", ready)).status_code == 403


def test_shared_to_edit_a_viewer_takes_the_steps_but_keeps_the_role(
    client, as_owner, teammate, viewer, ready, at
):
    share(as_owner, ready, viewer, "edit")
    client.force_login(teammate)
    assert client.get(to("topics", ready)).status_code == 200
    client.post(to("mark", ready), {"topic": at(JAZZ).pk, "action": "mark"})
    assert ready.marks.count() == 2
    client.post(to("bring", ready), {"do": "paste", "pasted": "https://new.example/"})
    assert ready.pages.filter(url="https://new.example/").exists()
    page = Page(client.get(reverse("crawler:focus", args=[ready.pk])))
    assert not page.has_form(to("share", ready))
    for step in ("topic-make", "duplicate", "share", "share-change"):
        assert client.post(to(step, ready)).status_code == 403
    form = Page(client.get(to("start", ready))).form(to("start", ready))
    assert client.post(form.action, {**form.fields, "strategy": "otie"}).status_code == 403


@pytest.mark.parametrize(("rights", "left"), [("view", ["view"]), ("none", [])])
def test_rights_are_changed_and_that_is_undone(as_owner, teammate, viewer, ready, rights, left):
    share(as_owner, ready, viewer, "edit")
    as_owner.get("/")  # shows the toast of it
    as_owner.post(to("share-change", ready), {"member": viewer.pk, "rights": rights})
    assert [each.rights for each in ready.shares.all()] == left
    assert not may_edit_focus(user=teammate, focus=ready)
    page = Page(as_owner.get(reverse("crawler:focus", args=[ready.pk])))
    toast = next(form for form in page.forms if "token" in form.fields)
    as_owner.post(toast.action, toast.fields)
    assert [each.rights for each in ready.shares.all()] == ["edit"]
    assert may_edit_focus(user=teammate, focus=ready)


def test_who_leaves_the_team_keeps_nothing(as_owner, client, teammate, viewer, team, ready):
    share(as_owner, ready, viewer, "edit")
    viewer.delete()
    Membership.objects.create(user=teammate, team=team, role=Role.VIEWER)
    client.force_login(teammate)
    assert client.get(to("examples", ready)).status_code == 403
    assert not ready.shares.exists()


def test_only_members_of_the_team_can_be_shared_with(as_owner, stranger, viewer, ready):
    foreign = stranger.memberships.get()
    assert share(as_owner, ready, foreign, "edit").status_code == 422
    told_off = as_owner.post(to("share-change", ready), {"member": foreign.pk, "rights": "edit"})
    assert "not in the team" in told(told_off)
    for rights in ("admin", ""):
        assert share(as_owner, ready, viewer, rights).status_code == 422
    assert not ready.shares.exists()


def test_a_shared_editor_keeps_pages_met_while_browsing(as_owner, client, teammate, viewer, ready):
    share(as_owner, ready, viewer, "edit")
    client.force_login(teammate)
    judged = {"by": "small/hills", "source": "https://met.example/", "text": f"About {RACING}"}
    page = Page(client.post(reverse("taxonomy:classify"), judged))
    assert "Add as an example of the focus" in page.words
    client.post(reverse("taxonomy:classify-keep"), {**judged, "as": "example"})
    assert ready.pages.filter(url="https://met.example/", standing="example").exists()


def test_a_focus_is_exported_as_bookmarks(as_teammate, ready):
    response = as_teammate.get(to("export", ready))
    assert response["Content-Disposition"] == 'attachment; filename="hills-bookmarks.html"'
    assert "https://2.example/" in response.content.decode()


def test_a_focus_is_duplicated(as_owner, ready):
    response = as_owner.post(to("duplicate", ready))
    twin = Focus.objects.get(name="Hills (copy)")
    assert response["Location"] == reverse("crawler:focus", args=[twin.pk])
    assert twin.pages.count() == 3
