"""The tree in the browser: by mouse alone, by keyboard alone, and without a script."""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import OpenPage, Watch

pytestmark = [pytest.mark.browser]

HOSTILE = "<img src=x onerror=alert(1)>"
PATHS = [
    "/Arts/Music/Jazz",
    "/Arts/Music/Opera",
    "/Arts/Painting",
    "/Recreation/Cycling/Mountain_Biking",
    "/Recreation/Cycling/Racing",
    "/Recreation/Hiking",
    f"/Odd/{HOSTILE}",
    *(f"/Wide/Topic_{number:03}" for number in range(250)),
]

_numbers = itertools.count(1)
NewTree = Callable[[], str]


@pytest.fixture
def new_tree(run_command: Callable[..., Any], tmp_path) -> NewTree:
    """Imports a small tree of its own for a test, and gives its address."""

    def make() -> str:
        file = tmp_path / "tree.jsonl"
        lines = [
            {"path": path, "title": f"About {path}", "text": f"words of {path}", "url": ""}
            for path in PATHS
        ]
        file.write_text("\n".join(map(json.dumps, lines)))
        name = f"Tree {next(_numbers)}"
        made = run_command("taxonomy", "import", str(file), "--name", name)
        return f"/taxonomies/{made['taxonomy']}/"

    return make


@pytest.fixture
def tree(signed_in_page: OpenPage, new_tree: NewTree) -> Page:
    """A page of the owner that shows a fresh tree."""
    return opened(signed_in_page, new_tree())


def opened(open_it: OpenPage, address: str, **options: Any) -> Page:
    page = open_it(**options)
    page.goto(address)
    return page


def row(page: Page, name: str) -> Locator:
    """The row of a topic, without the rows under it."""
    label = page.locator(".tree__label", has_text=name)
    return page.get_by_role("treeitem").filter(has=label).last


def rows_shown(page: Page) -> list[str]:
    labels = page.locator("[role=treeitem]:visible > .tree__row > .tree__label")
    return labels.all_inner_texts()


def twisty(page: Page, name: str) -> Locator:
    return row(page, name).locator(".tree__twisty").first


def label(page: Page, name: str) -> Locator:
    return page.locator(".tree__label", has_text=name)


def is_shown(page: Page, name: str) -> None:
    expect(page.locator("#panel-title")).to_have_text(name)


def is_told(page: Page, text: str) -> None:
    expect(page.locator(".toast", has_text=text).last).to_be_visible()


def is_at(page: Page, ending: str) -> None:
    expect(page).to_have_url(re.compile(f"{re.escape(ending)}$"))


def focused_name(page: Page) -> str:
    script = "document.activeElement.querySelector('.tree__label')?.textContent ?? ''"
    return str(page.evaluate(script))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def make_focus(page: Page) -> None:
    page.get_by_role("link", name="New focus").click()
    page.get_by_label("Name of the focus").fill("Hills")
    page.get_by_role("button", name="Make the focus").click()
    expect(page.locator("#focus-choice")).to_have_value(re.compile("hills"))


class TestMouse:
    def test_opens_selects_edits_and_undoes(self, tree: Page):
        twisty(tree, "Recreation").click()
        expect(row(tree, "Cycling")).to_be_visible()
        twisty(tree, "Cycling").click()
        label(tree, "Racing").click()
        is_shown(tree, "Racing")
        is_at(tree, "?topic=/Recreation/Cycling/Racing")

        tree.get_by_role("link", name="Rename").click()
        tree.get_by_label("New name").fill("Road racing")
        tree.get_by_role("dialog").get_by_role("button", name="Rename").click()
        is_shown(tree, "Road racing")
        expect(row(tree, "Mountain Biking")).to_be_visible()

        tree.get_by_role("link", name="Move to …").click()
        tree.get_by_role("combobox", name="Move to").fill("hik")
        tree.get_by_role("option", name="Hiking").click()
        tree.get_by_role("dialog").get_by_role("button", name="Move").click()
        is_told(tree, "moved from")
        expect(tree.get_by_role("navigation", name="Place in the tree")).to_contain_text("Hiking")

        tree.locator(".toast", has_text="moved from").get_by_role("button", name="Undo").click()
        is_told(tree, "Undone:")
        expect(tree.get_by_role("navigation", name="Place in the tree")).to_contain_text("Cycling")

    def test_marks_good_and_replaces_on_conflict(self, tree: Page, watch: Watch):
        watch.expected_statuses = {409}
        make_focus(tree)
        twisty(tree, "Recreation").click()
        twisty(tree, "Cycling").click()
        label(tree, "Racing").click()
        tree.get_by_role("button", name="Mark good").click()
        expect(row(tree, "Racing")).to_contain_text("Good")
        expect(row(tree, "Recreation").locator("> .tree__row")).to_contain_text("Path")

        label(tree, "Cycling").click()
        is_shown(tree, "Cycling")
        tree.get_by_role("button", name="Mark good").click()
        expect(tree.get_by_role("heading", name="Replace 1 sub-topic by")).to_be_visible()
        tree.get_by_role("button", name="Replace").click()
        expect(row(tree, "Cycling").locator("> .tree__row")).to_contain_text("Good")
        expect(tree.get_by_role("list", name="Good topics of this focus")).to_contain_text(
            "Cycling"
        )

        tree.locator(".toast", has_text="is good now").last.get_by_role(
            "button", name="Undo"
        ).click()
        expect(row(tree, "Racing")).to_contain_text("Good")

    def test_drags_a_topic_onto_another(self, tree: Page):
        twisty(tree, "Recreation").click()
        label(tree, "Hiking").drag_to(label(tree, "Arts"))
        is_told(tree, "moved from")
        is_at(tree, "?topic=/Arts/Hiking")
        expect(row(tree, "Cycling")).to_be_visible()  # what was open stays open

    def test_drags_a_topic_to_the_top_level(self, tree: Page):
        twisty(tree, "Recreation").click()
        label(tree, "Hiking").drag_to(tree.get_by_role("link", name="All topics").first)
        is_at(tree, "?topic=/Hiking")

    def test_a_drop_that_can_not_be_says_why(self, tree: Page, watch: Watch):
        watch.expected_statuses = {422}
        label(tree, "Arts").click()
        tree.get_by_role("link", name="New sub-topic").click()
        tree.get_by_label("Name").fill("Hiking")
        tree.get_by_role("button", name="Make the topic").click()
        is_shown(tree, "Hiking")
        twisty(tree, "Recreation").click()
        expect(label(tree, "Cycling")).to_be_visible()
        label(tree, "Hiking").last.drag_to(label(tree, "Arts").first)
        expect(tree.get_by_role("dialog")).to_contain_text("There is a topic")

    def test_works_with_examples(self, tree: Page):
        tree.goto(f"{tree.url}?topic=/Arts/Music/Jazz")
        tree.get_by_label("About /Arts/Music/Jazz").check()
        tree.get_by_role("button", name="New sub-topic from selection").click()
        tree.get_by_label("Name of the sub-topic").fill("Bebop")
        tree.get_by_role("button", name="Make the topic").click()
        is_shown(tree, "Bebop")
        tree.get_by_label("About /Arts/Music/Jazz").check()
        tree.get_by_role("button", name="Move to …").click()
        tree.get_by_role("combobox").fill("opera")
        tree.get_by_role("option", name="Opera").click()
        tree.get_by_role("dialog").get_by_role("button", name="Move").click()
        is_told(tree, "1 example moved from")
        tree.get_by_role("link", name="Add an example").click()
        tree.get_by_role("textbox", name="Text", exact=True).fill("A fast kind of jazz")
        tree.get_by_role("button", name="Add the example").click()
        is_told(tree, "An example added")
        expect(tree.get_by_text("A fast kind of jazz").first).to_be_visible()

    def test_deletes_and_brings_back(self, tree: Page):
        label(tree, "Recreation").click()
        tree.get_by_role("link", name="Delete …").click()
        tree.get_by_label("They are deleted with the topic").check()
        tree.get_by_role("button", name="Delete").click()
        is_told(tree, "deleted with its examples")
        expect(row(tree, "Recreation")).to_have_count(0)
        tree.get_by_role("button", name="Undo").click()
        expect(row(tree, "Recreation")).to_be_visible()

    def test_shows_more_of_a_wide_topic(self, tree: Page):
        twisty(tree, "Wide").click()
        expect(label(tree, "Topic 199")).to_be_visible()
        expect(label(tree, "Topic 200")).to_have_count(0)
        tree.get_by_text("Show 50 more").click()
        expect(label(tree, "Topic 249")).to_be_visible()

    def test_goes_back_and_forth(self, tree: Page):
        label(tree, "Arts").click()
        is_shown(tree, "Arts")
        label(tree, "Music").click()
        is_shown(tree, "Music")
        tree.go_back()
        is_shown(tree, "Arts")
        expect(row(tree, "Arts")).to_have_attribute("aria-selected", "true")
        tree.go_back()
        is_shown(tree, "The whole tree")
        tree.go_forward()
        is_shown(tree, "Arts")

    def test_the_title_names_the_topic(self, tree: Page):
        name = tree.get_by_role("heading", level=1).inner_text()
        label(tree, "Arts").click()
        expect(tree).to_have_title(f"Arts · {name} · FocusAdmin")
        tree.get_by_role("link", name="Music").last.click()
        expect(tree).to_have_title(f"Music · {name} · FocusAdmin")
        tree.go_back()
        tree.go_back()
        expect(tree).to_have_title(f"{name} · FocusAdmin")

    def test_a_focus_is_chosen_from_the_list(self, tree: Page):
        make_focus(tree)
        label(tree, "Arts").click()
        tree.get_by_role("button", name="Mark good").click()
        expect(row(tree, "Arts")).to_contain_text("Good")
        tree.locator("#focus-choice").select_option(label="None")
        is_at(tree, "?topic=/Arts")
        expect(row(tree, "Arts")).not_to_contain_text("Good")
        tree.go_back()
        expect(row(tree, "Arts")).to_contain_text("Good")

    def test_a_copied_address_shows_the_same(self, tree: Page, signed_in_page: OpenPage):
        make_focus(tree)
        tree.goto(f"{tree.url}&topic=/Arts/Music&q=jazz")
        other = opened(signed_in_page, tree.url)
        assert rows_shown(other) == rows_shown(tree) == ["Arts", "Music", "Jazz"]
        is_shown(other, "Music")
        expect(other.locator("#focus-choice")).to_have_value(re.compile("hills"))


class TestKeyboard:
    def test_walks_the_tree(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "ArrowRight")
        expect(row(tree, "Music")).to_be_visible()
        press(tree, "ArrowRight")
        assert focused_name(tree) == "Music"
        press(tree, "ArrowDown", "ArrowDown")
        assert focused_name(tree) == "Odd"
        press(tree, "ArrowUp", "ArrowLeft")
        assert focused_name(tree) == "Arts"
        press(tree, "ArrowLeft")
        expect(row(tree, "Arts")).to_have_attribute("aria-expanded", "false")
        press(tree, "End")
        assert focused_name(tree) == "Wide"
        press(tree, "Home")
        assert focused_name(tree) == "Arts"

    def test_finds_by_typing_and_opens_a_level_at_once(self, tree: Page):
        row(tree, "Arts").focus()
        tree.keyboard.type("rec")
        assert focused_name(tree) == "Recreation"
        tree.wait_for_timeout(800)
        press(tree, "*")
        expect(label(tree, "Cycling")).to_be_visible()
        expect(label(tree, "Music")).to_be_visible()
        press(tree, "Shift+M")
        assert focused_name(tree) == "Music"

    def test_has_one_tab_stop(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "ArrowDown", "Tab")
        assert focused_name(tree) == ""
        press(tree, "Shift+Tab")
        assert focused_name(tree) == "Odd"

    def test_edits_marks_and_undoes(self, tree: Page, watch: Watch):
        watch.expected_statuses = {409}
        make_focus(tree)
        row(tree, "Arts").focus()
        tree.keyboard.type("rec")
        press(tree, "ArrowRight")
        expect(row(tree, "Cycling")).to_be_visible()
        press(tree, "ArrowRight", "ArrowRight")
        expect(row(tree, "Racing")).to_be_visible()
        press(tree, "ArrowRight", "ArrowDown", "Enter")
        is_shown(tree, "Racing")

        press(tree, "F2")
        expect(tree.get_by_label("New name")).to_be_focused()
        tree.keyboard.type("Road racing")
        press(tree, "Enter")
        is_shown(tree, "Road racing")
        expect(row(tree, "Road racing")).to_be_focused()

        press(tree, "m")
        expect(tree.get_by_role("combobox", name="Move to")).to_be_focused()
        tree.keyboard.type("arts")
        expect(tree.get_by_role("option", name="Arts")).to_be_visible()
        press(tree, "ArrowDown", "Enter", "Enter")
        is_told(tree, "moved from")
        expect(row(tree, "Road racing")).to_be_focused()
        press(tree, "z")
        is_told(tree, "Undone:")
        expect(tree).to_have_url(re.compile("/Recreation/Cycling/Road_racing&focus="))

        row(tree, "Road racing").focus()
        press(tree, "g")
        expect(row(tree, "Road racing")).to_contain_text("Good")
        expect(row(tree, "Road racing")).to_be_focused()
        press(tree, "ArrowLeft", "g")
        expect(tree.get_by_role("heading", name="Replace 1 sub-topic by")).to_be_visible()
        expect(tree.get_by_role("button", name="Replace")).to_be_focused()
        press(tree, "Enter")
        expect(row(tree, "Cycling").locator("> .tree__row")).to_contain_text("Good")
        expect(row(tree, "Cycling")).to_be_focused()
        press(tree, "g")
        expect(row(tree, "Cycling").locator("> .tree__row")).not_to_contain_text("Good")

    def test_keys_pressed_while_typing_choose_among_what_fits(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "m")
        field = tree.get_by_role("combobox", name="Move to")
        expect(tree.get_by_role("option").first).to_be_visible()
        tree.keyboard.type("hik")
        press(tree, "ArrowDown", "Enter")  # before the options have followed the typing
        expect(tree.get_by_role("option", selected=True)).to_contain_text("Hiking")
        press(tree, "Enter")
        expect(field).to_have_value("/Recreation/Hiking")

    def test_makes_and_deletes_topics(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "n")
        expect(tree.get_by_label("Name")).to_be_focused()
        tree.keyboard.type("Dance")
        press(tree, "Enter")
        is_shown(tree, "Dance")
        expect(row(tree, "Arts")).to_have_attribute("aria-expanded", "true")
        row(tree, "Dance").focus()
        press(tree, "Delete")
        expect(tree.get_by_role("dialog")).to_contain_text("You can undo this")
        press(tree, "Enter")
        is_told(tree, "deleted with its examples")
        expect(label(tree, "Dance")).to_have_count(0)

    def test_a_dialog_gives_the_focus_back(self, tree: Page):
        row(tree, "Odd").focus()
        press(tree, "F2")
        expect(tree.get_by_label("New name")).to_be_focused()
        press(tree, "Escape")
        expect(tree.get_by_role("dialog")).to_have_count(0)
        expect(row(tree, "Odd")).to_be_focused()

    def test_a_refused_name_is_told_in_the_dialog(self, tree: Page, watch: Watch):
        watch.expected_statuses = {422}
        row(tree, "Odd").focus()
        press(tree, "F2")
        expect(tree.get_by_label("New name")).to_be_focused()
        tree.keyboard.type("Arts")
        press(tree, "Enter")
        expect(tree.get_by_role("dialog")).to_contain_text("There is a topic")
        expect(tree.get_by_label("New name")).to_be_focused()
        expect(tree.get_by_label("New name")).to_have_value("Arts")

    def test_naming_a_topic_for_the_examples_chooses_it(self, tree: Page):
        row(tree, "Recreation").focus()
        press(tree, "Delete")
        expect(tree.get_by_label("To another topic")).to_be_focused()
        tree.get_by_label("They are deleted with the topic").check()
        press(tree, "Tab")
        expect(tree.get_by_role("combobox")).to_be_focused()
        tree.keyboard.type("arts")
        expect(tree.get_by_label("To another topic")).to_be_checked()

    def test_g_without_a_focus_leads_to_one(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "g")
        expect(tree.get_by_label("Name of the focus")).to_be_focused()

    def test_letters_only_find_where_shortcuts_are_off(
        self, signed_in_page: OpenPage, newcomer: Any, new_tree: NewTree
    ):
        page = opened(signed_in_page, "/accounts/settings/", person=newcomer(role="curator"))
        page.get_by_label("Single-key shortcuts").uncheck()
        page.get_by_role("button", name="Save settings").click()
        page.goto(new_tree())
        row(page, "Arts").focus()
        press(page, "ArrowRight")
        expect(label(page, "Music")).to_be_visible()
        press(page, "m")
        assert focused_name(page) == "Music"
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_the_list_of_shortcuts_names_those_of_the_tree(self, tree: Page):
        row(tree, "Arts").focus()
        press(tree, "?")
        expect(tree.get_by_role("dialog")).to_contain_text("Move to …")

    def test_shows_more_of_a_wide_topic(self, tree: Page):
        row(tree, "Wide").focus()
        press(tree, "ArrowRight")
        expect(label(tree, "Topic 199")).to_be_visible()
        press(tree, "End")
        assert focused_name(tree) == "Show 50 more"
        press(tree, "Enter")
        expect(row(tree, "Topic 200")).to_be_focused()


class TestSearch:
    def test_filters_while_typing_and_keeps_the_address(self, tree: Page):
        press(tree, "/")
        expect(tree.get_by_label("Search topics")).to_be_focused()
        tree.keyboard.type("bik")
        expect(label(tree, "Mountain Biking")).to_be_visible()
        assert rows_shown(tree) == ["Recreation", "Cycling", "Mountain Biking"]
        expect(tree.locator("mark")).to_have_text("Bik")
        is_at(tree, "?q=bik")
        expect(tree.get_by_text("1 topic found", exact=True)).to_have_count(1)
        press(tree, "ArrowDown", "End", "Enter")
        is_shown(tree, "Mountain Biking")
        is_at(tree, "Mountain_Biking&q=bik")
        tree.get_by_role("link", name="Show all").click()
        expect(label(tree, "Wide")).to_be_visible()
        is_at(tree, "Mountain_Biking")

    def test_says_when_nothing_is_found(self, tree: Page):
        tree.get_by_label("Search topics").fill(HOSTILE + "x")
        expect(tree.get_by_text("No topic has")).to_be_visible()


class TestNamesOfTheWorld:
    @pytest.mark.parametrize("name", ["Žluťoučký kůň", "日本の美術", "موسيقى", "Café ☕"])
    def test_are_made_found_and_kept(self, tree: Page, name: str):
        row(tree, "Arts").focus()
        press(tree, "n")
        expect(tree.get_by_label("Name")).to_be_focused()
        tree.keyboard.insert_text(name)
        press(tree, "Enter")
        is_shown(tree, name)
        tree.reload()
        is_shown(tree, name)
        expect(row(tree, name)).to_have_attribute("aria-selected", "true")
        tree.get_by_label("Search topics").fill(name[:3])
        expect(tree.locator("mark")).to_have_text(name[:3])

    @pytest.mark.parametrize(
        ("name", "reason"),
        [("", "empty"), ("a/b", '"/"'), ("x" * 101, "100"), ("mUSIC", "There is a topic")],
    )
    def test_what_is_no_name_is_refused_with_the_reason(
        self, tree: Page, watch: Watch, name: str, reason: str
    ):
        watch.expected_statuses = {422}
        row(tree, "Arts").focus()
        press(tree, "n")
        expect(tree.get_by_label("Name")).to_be_focused()
        tree.keyboard.insert_text(name)
        press(tree, "Enter")
        expect(tree.get_by_role("dialog").locator(".field__error")).to_contain_text(reason)


class TestHistory:
    def test_a_deleted_topic_is_restored_from_it(self, tree: Page):
        label(tree, "Recreation").click()
        tree.get_by_role("link", name="Delete …").click()
        tree.get_by_label("They are deleted with the topic").check()
        tree.get_by_role("button", name="Delete").click()
        is_told(tree, "deleted with its examples")
        tree.get_by_role("link", name="History").click()
        entry = tree.get_by_role("row").nth(1)
        expect(entry).to_contain_text("owner")
        expect(entry).to_contain_text("just now")
        entry.get_by_role("button", name="Undo").click()
        is_told(tree, "Undone:")
        expect(tree.get_by_role("row").nth(2)).to_contain_text("Undone by owner")
        tree.get_by_role("link", name=re.compile("^Undone: .*Recreation")).click()
        is_shown(tree, "Recreation")
        twisty(tree, "Recreation").click()
        expect(label(tree, "Cycling")).to_be_visible()


class TestHostileNames:
    def test_are_text_everywhere(self, tree: Page):
        twisty(tree, "Odd").click()
        label(tree, "onerror").click()
        is_shown(tree, HOSTILE)
        row(tree, "onerror").focus()
        press(tree, "m")
        expect(tree.get_by_role("heading", name=f"Move {HOSTILE}")).to_be_visible()
        tree.get_by_role("combobox").fill("arts")
        tree.get_by_role("option", name="Arts").click()
        tree.get_by_role("dialog").get_by_role("button", name="Move").click()
        is_told(tree, HOSTILE)
        tree.get_by_label("Search topics").fill("onerror")
        expect(tree.locator("mark")).to_have_text("onerror")
        tree.get_by_role("link", name="History").click()
        expect(tree.get_by_role("table")).to_contain_text(HOSTILE)
        expect(tree.locator("img")).to_have_count(0)


class TestNarrow:
    def test_a_topic_takes_the_place_of_the_list(self, signed_in_page: OpenPage, new_tree: NewTree):
        page = opened(signed_in_page, new_tree(), width=360)
        expect(page.locator("#panel-title")).to_be_hidden()
        label(page, "Recreation").click()
        is_shown(page, "Recreation")
        expect(page.locator("#panel-title")).to_be_focused()
        expect(page.get_by_role("tree")).to_be_hidden()
        page.locator(".topics__back").click()
        expect(page.get_by_role("tree")).to_be_visible()
        expect(label(page, "Cycling")).to_be_visible()


class TestWithoutScript:
    def test_everything_works_by_links_and_forms(self, signed_in_page: OpenPage, new_tree: NewTree):
        page = opened(signed_in_page, new_tree(), java_script_enabled=False)
        label(page, "Recreation").click()
        label(page, "Cycling").click()
        is_shown(page, "Cycling")
        page.get_by_role("link", name="Move to …").click()
        page.get_by_label("Move to").fill("arts")
        page.get_by_role("button", name="Move", exact=True).click()
        is_told(page, "moved from")
        is_at(page, "?topic=/Arts/Cycling")
        page.get_by_role("button", name="Undo").click()
        is_at(page, "?topic=/Recreation/Cycling")
        page.get_by_role("link", name="New focus").click()
        page.get_by_label("Name of the focus").fill("Hills")
        page.get_by_role("button", name="Make the focus").click()
        page.get_by_role("button", name="Mark good").click()
        expect(page.locator(".tree .badge--good")).to_have_count(1)
        page.get_by_label("Search topics").fill("jazz")
        press(page, "Enter")
        expect(page.get_by_text("1 topic found.")).to_be_visible()
        assert rows_shown(page) == ["Arts", "Music", "Jazz"]


class TestViewer:
    def test_looks_and_edits_nothing(
        self, signed_in_page: OpenPage, newcomer: Any, new_tree: NewTree
    ):
        page = opened(signed_in_page, new_tree(), person=newcomer())
        row(page, "Arts").focus()
        press(page, "F2", "Delete")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("link", name="New topic")).to_have_count(0)
        press(page, "Enter")
        is_shown(page, "Arts")
        expect(page.get_by_role("link", name="Rename")).to_have_count(0)
