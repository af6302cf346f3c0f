"""The pages of a focus: chosen, fetched by a worker, routed, and routed anew."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.models import Focus, FocusDraft, FocusPage, Taxonomy
from taxonomy.services import reading
from taxonomy.services.drafts import (
    DraftError,
    bookmarks_keep,
    bookmarks_kept,
    bookmarks_read,
    draft_new,
    folders_choose,
    pages_add,
    pasted_add,
    waiting_again,
    waiting_skip,
)
from taxonomy.services.focuses import focus_duplicate
from taxonomy.services.new_topics import is_learning, topic_from_pages
from taxonomy.services.reading import focus_read, focuses_to_read, pages_route
from taxonomy.services.training import model_train, models_catch_up
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb

JAZZ = b"<title>Blue notes</title><p>About Arts Music Jazz. <a href='/more'>Jazz again</a>"
FILE = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Music</H3><DL><p><DT><A HREF="https://a.example/">A</A>
<DT><H3>Jazz</H3><DL><p><DT><A HREF="https://b.example/">B</A></DL><p></DL><p>
<DT><A HREF="https://c.example/">C</A></DL><p>"""


@pytest.fixture
def draft(taxonomy: Taxonomy, owner) -> FocusDraft:
    owner.email = "ann@example.org"
    owner.save()
    return draft_new(taxonomy=taxonomy, by=owner, name="Music")


@pytest.fixture
def focus(draft: FocusDraft) -> Focus:
    return draft.focus


@pytest.fixture
def web(settings):
    with LoopbackWeb.running() as running:
        running.add("127.0.0.1", Pages({"/": JAZZ, "/two": JAZZ}))
        settings.CRAWLER_ALLOWED_HOSTS = [f"127.0.0.1:{running.port}"]
        yield running


@pytest.fixture
def add(focus, owner) -> Callable[..., None]:
    def call(*urls: str) -> None:
        marks = [Bookmark(url, "Opera singers") for url in urls]
        pages_add(focus=focus, marks=marks, source=FocusPage.Source.PASTED, by=owner)

    return call


def addresses(focus: Focus) -> set[str]:
    return set(focus.pages.values_list("url", flat=True))


def test_chosen_folders_become_examples_and_others_go(draft, owner):
    bookmarks_keep(draft=draft, found=bookmarks_read(FILE.encode()), name="mine.html")
    folders = [tuple(names) for names in bookmarks_kept(draft)["folders"]]
    music, jazz = folders.index(("Music",)), folders.index(("Music", "Jazz"))
    assert folders_choose(draft=draft, chosen={music, jazz}, by=owner) == 2
    assert addresses(draft.focus) == {"https://a.example/", "https://b.example/"}
    folders_choose(draft=draft, chosen={folders.index(()), jazz}, by=owner)
    assert addresses(draft.focus) == {"https://b.example/", "https://c.example/"}
    assert draft.chosen == sorted([folders.index(()), jazz])


def test_what_was_read_stays_when_the_choice_changes(draft, owner):
    bookmarks_keep(draft=draft, found=bookmarks_read(FILE.encode()), name="")
    folders_choose(draft=draft, chosen={0, 1, 2}, by=owner)
    FocusPage.objects.update(state=FocusPage.State.READ, text="read")
    folders_choose(draft=draft, chosen={0, 1}, by=owner)
    assert set(draft.focus.pages.values_list("state", flat=True)) == {"read"}


def test_too_many_examples_are_refused_with_advice(focus, owner, monkeypatch):
    monkeypatch.setattr("taxonomy.services.drafts.PAGES_MAX", 2)
    marks = [Bookmark(f"https://a.example/{n}", "") for n in range(3)]
    with pytest.raises(DraftError, match="Choose fewer folders"):
        pages_add(focus=focus, marks=marks, source="pasted", by=owner)
    assert not focus.pages.exists()


def test_a_pasted_list_is_told_with_what_was_left_out(draft, owner):
    text = "https://a.example/\nhttps://a.example/#again\njavascript:alert(1)\nhttp://10.0.0.1/"
    found = pasted_add(draft=draft, text=text, by=owner)
    assert addresses(draft.focus) == {"https://a.example/"}
    assert {skip.reason for skip in found.skipped} >= {"private address"}


def test_pages_are_fetched_read_and_routed(focus, web, add):
    model_train(taxonomy=focus.taxonomy)
    add(web.url("127.0.0.1"), web.url("127.0.0.1", "/missing"))
    assert focuses_to_read() == [focus.pk]
    focus_read(focus)
    read, missing = focus.pages.order_by("-state")[::-1]
    assert (read.state, read.title) == ("read", "Blue notes")
    assert read.topic == "/Arts/Music/Jazz"
    assert read.links == [[web.url("127.0.0.1", "/more"), "Jazz again"]]
    assert (missing.state, missing.is_by_words) == ("unreachable", True)
    assert "status 404" in missing.problem
    assert missing.topic == "/Arts/Music/Opera"  # by its title
    assert focuses_to_read() == []


def test_one_worker_at_a_time_reads_a_focus(focus, draft, web, add):
    add(web.url("127.0.0.1"))
    FocusDraft.objects.update(reader_until=timezone.now() + reading.LEASE)
    assert focuses_to_read() == []
    assert focus_read(focus) == 0
    FocusDraft.objects.update(reader_until=timezone.now() - reading.LEASE)
    assert focuses_to_read() == [focus.pk]  # the worker was killed
    focus_read(focus)
    assert focus.pages.get().state == "read"
    draft.refresh_from_db()
    assert draft.reader_until is None


def test_nothing_is_fetched_before_somebody_can_be_reached(focus, owner, add):
    owner.email = ""
    owner.save()
    add("https://a.example/")
    focus_read(Focus.objects.get(pk=focus.pk))
    page = focus.pages.get()
    assert (page.state, "e-mail" in page.problem) == ("passed_over", True)


def test_the_rest_can_be_skipped_and_tried_again(focus, add):
    model_train(taxonomy=focus.taxonomy)
    add("https://a.example/")
    assert waiting_skip(focus=focus) == 1
    assert focuses_to_read() == [focus.pk]  # to be routed by its words
    assert pages_route(focus) == 1
    assert focus.pages.get().topic == "/Arts/Music/Opera"
    assert waiting_again(focus=focus) == 1


def test_a_topic_made_of_examples_is_learnt_and_changes_the_routing(focus, owner, add, at):
    model_train(taxonomy=focus.taxonomy)
    add("https://a.example/", "https://b.example/", "https://c.example/")
    words = "accordion bellows polka reed squeezebox"
    focus.pages.update(state=FocusPage.State.READ, title="Accordions", text=words)
    pages_route(focus)
    assert not is_learning(focus)
    first, second, third = focus.pages.all()
    topic_from_pages(
        focus=focus, parent=at("/Arts/Music"), name="Accordion", pages=[first, second], by=owner
    )
    focus.taxonomy.refresh_from_db()
    assert is_learning(focus)
    Taxonomy.objects.update(edited_at=timezone.now() - timedelta(minutes=1))
    models_catch_up()
    assert focuses_to_read() == [focus.pk]
    focus_read(focus)
    third.refresh_from_db()
    assert third.topic == "/Arts/Music/Accordion"


def test_a_duplicate_has_everything_and_is_its_own(focus, owner, add, at):
    add("https://a.example/")
    twin = focus_duplicate(focus=focus, by=owner)
    assert addresses(twin) == addresses(focus)
    twin.pages.all().delete()
    assert focus.pages.count() == 1
