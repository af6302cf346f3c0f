"""Every page of the product: add a line here with each new one."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.template.loader import render_to_string
from playwright.sync_api import FilePayload, Page, expect

from taxonomy.forms.registry import DEEDS
from tests.e2e.browsing import TEAM, add_member

WRONG_PASSWORDS = 9  # one more than the limit
TREE = "/taxonomies/canonical/"
TOPIC = f"{TREE}?topic=/Recreation/Cycling/Mountain_Biking"
LONG_TEXT = """The derailleur of a touring bicycle needs a clean chain. Riders on long tours carry
spokes, a tyre lever, brake cables and a chain tool. Mountain bikers ride trails with suspension
forks; road cyclists race in a peloton and climb passes of the Alps. Xyzzy."""
WORKER_MS = 60_000
MESSY_FILE = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">
<H1>Lesezeichen</H1><DL><p>
<DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Lesezeichen-Symbolleiste</H3><DL><p>
  <DT><H3>R\xe4der &amp; <i>Touren</i></H3><DL><p>
    <DT><A HREF="http://none.invalid/mountain-bike/trails">Mountain bike trails, singletrack
    <DT><A HREF="http://none.invalid/mountain-bike/suspension">Suspension forks &amp; shocks</A>
    <DD>A description
    <DT><H3></H3><DL><p><DT><A HREF=http://none.invalid/bicycle/repair>Bicycle repair</A></DL><p>
  </DL><p>
  <DT><A HREF="javascript:(function(){alert(1)})()">Bookmarklet</A>
  <DT><A HREF="place:sort=8&amp;maxResults=10">Most visited</A>
</DL><p>
<DT><H3>Misc</H3><DL><p>
  <DT><A HREF="http://none.invalid/mountain-bike/trails">The same again</A>
  <DT><A HREF="http://192.168.1.1/admin">Router</A>
  <DT><A HREF="file:///home/me/notes.html">Notes</A>
  <DT><A HREF="data:text/html,hello">Data</A>
  <DT><A HREF="http://">Nothing</A>
  <DT><A HREF="http://none.invalid/\x80\xff"><b>Bold <script>alert(1)</script></b></A>
"""
TOO_MUCH = 6_000_000  # over DATA_UPLOAD_MAX_MEMORY_SIZE

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Screen:
    """One page in one state; `prepare` leads from its address to that state."""

    name: str
    path: str
    role: str | None = "admin"  # of the person in the team; nobody is signed in without one
    prepare: Callable[[Page], None] | None = None
    is_covered: bool = False  # something lies over the page, so that sizes mean little


def _lock_out(page: Page) -> None:
    for _ in range(WRONG_PASSWORDS):
        if page.get_by_role("heading", name="Too many attempts").is_visible():
            return
        page.get_by_label("Username").fill("nobody")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()


def _wrong_password(page: Page) -> None:
    page.get_by_label("Username").fill("noone")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()


def _open_account_menu(page: Page) -> None:
    page.locator("summary", has_text="Your account").click()


def _open_main_menu(page: Page) -> None:
    """By script, because a wide screen shows its items without a menu."""
    page.locator("details.site-nav__more").evaluate("menu => { menu.open = true; }")


def _lose_updates(page: Page) -> None:
    """Only how it looks; that it happens is shown with the frame."""
    page.locator("[data-live-since]").evaluate("time => { time.textContent = '14:03:22 UTC'; }")
    page.locator("[data-live-lost]").evaluate("note => { note.hidden = false; }")


def _open_shortcuts(page: Page) -> None:
    page.get_by_role("button", name="Shortcuts").click()


def _await_skeletons(page: Page) -> None:
    """They show only after a moment, so that quick answers do not flicker."""
    for skeleton in page.locator(".skeleton").all():
        expect(skeleton).to_have_css("opacity", "1")


def _save_settings(page: Page) -> None:
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Settings saved.").wait_for()


def _distil(page: Page) -> None:
    page.get_by_role("button", name="Distil now").click()
    page.get_by_text("is done").wait_for()


def _count(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^(Count anew|Distil now)$")).click()
    page.get_by_text("is done").wait_for()


def _ask_census(page: Page) -> None:
    page.get_by_role("button", name="Which topics do the pages").click()
    page.get_by_role("heading", name="Answer").wait_for()


def _ask_nonsense(page: Page) -> None:
    page.get_by_label("Question", exact=True).fill("SELECT * FROM accounts_user")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("There is no view").wait_for()


def _await_sites(page: Page) -> None:
    """They are counted in the background."""
    page.locator("tr[data-site-row]").first.wait_for(timeout=WORKER_MS)


def _decide_site(page: Page) -> None:
    _await_sites(page)
    button = page.get_by_role("button", name=re.compile("^Undecided"))
    button.and_(page.locator(":enabled")).first.click()
    page.locator(".toast").first.wait_for()


def _open_site(page: Page) -> None:
    """By the list, since its address is not known before the sites are counted."""
    page.goto("/crawls/1/sites/")
    _await_sites(page)
    page.locator("[data-open]").first.click()
    page.get_by_role("heading", name="Politeness, host by host").wait_for()


def have_news(page: Page) -> None:
    """News are gathered every few seconds."""
    news = page.get_by_role("region", name="Table of news")
    for _ in range(WORKER_MS // 500):
        if news.count():
            return
        page.wait_for_timeout(500)
        page.reload()
    news.wait_for()


def _judge_hub(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Not useful")).first.click()
    page.locator(".toast").first.wait_for()
    page.locator("#effect:not([hx-get])").wait_for(timeout=WORKER_MS)  # renews itself no more


def _label(page: Page) -> None:
    page.get_by_role("button", name="Skip").click()
    page.locator(".toast").first.wait_for()
    page.locator("main summary", has_text="Settings").click()


def _refuse_password(page: Page) -> None:
    page.get_by_label("New password", exact=True).fill("a-long-pass-phrase")
    page.get_by_label("New password confirmation").fill("another-pass-phrase")
    page.get_by_role("button", name="Save password").click()
    page.locator(".field__error").first.wait_for()


def _refuse_member(page: Page) -> None:
    page.get_by_label("Username").fill("owner")
    page.get_by_role("button", name="Add to the team").click()
    page.get_by_text("is in this team already").wait_for()


def _submit_foreign_form(page: Page, action: str, *, next_url: str = "/") -> None:
    """Sends the theme form to another address, as a page left open too long might."""
    form = page.get_by_role("form", name="Theme")
    form.evaluate("(form, action) => { form.action = action; }", action)
    form.locator("[name=next]").evaluate("(input, text) => { input.value = text; }", next_url)
    form.get_by_role("button", name="Light theme").click()
    page.wait_for_load_state()


def _invite(page: Page) -> None:
    add_member(page, f"invited-{next(_numbers)}")


def _overreach(page: Page) -> None:
    _submit_foreign_form(page, f"{TEAM}members/")


def _ask_for_too_much(page: Page) -> None:
    _submit_foreign_form(page, "/accounts/settings/theme/", next_url="x" * TOO_MUCH)


def _send_old_form(page: Page) -> None:
    page.context.clear_cookies(name="csrftoken")
    _submit_foreign_form(page, "/accounts/settings/theme/")


def _break_the_server(page: Page) -> None:
    """The page for errors of our own, which no address may produce on purpose."""
    body = render_to_string("500.html", {"reference": "7f3a19c2d0b4"})
    page.route("**/broken/", lambda route: route.fulfill(status=500, body=body))
    page.goto("/broken/")


def _open_deed(name: str) -> Callable[[Page], None]:
    def open_it(page: Page) -> None:
        page.get_by_role("link", name=name).first.click()
        page.get_by_role("dialog").wait_for()

    return open_it


def _type_a_topic(page: Page) -> None:
    _open_deed("Move to …")(page)
    page.get_by_role("combobox", name="Move to").fill("bio")
    page.get_by_role("option", name="Biology").first.wait_for()
    page.keyboard.press("ArrowDown")


def _refuse_a_name(page: Page) -> None:
    _open_deed("Rename")(page)
    page.get_by_label("New name").fill("a/b")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    page.get_by_text("cannot contain").wait_for()


def _ask_which_topic(page: Page) -> None:
    _open_deed("Merge into …")(page)
    page.get_by_role("dialog").get_by_role("combobox").fill("history")
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    page.get_by_text("Which topic do you mean?").wait_for()


def _add_an_example(page: Page) -> None:
    _open_deed("Add an example")(page)
    text = page.get_by_role("textbox", name="Text", exact=True)
    text.fill(f"Trail number {next(_numbers)} is steep.")
    page.get_by_role("button", name="Add the example").click()
    page.get_by_text("An example added").wait_for()


def _choose_an_example(page: Page) -> None:
    page.locator(".examples").get_by_role("checkbox").first.check()


def _make_focus(page: Page) -> None:
    _open_deed("New focus …")(page)
    page.get_by_label("Name of the focus").fill("Mountain days")
    page.get_by_role("button", name="Make the focus").click()
    page.get_by_text("The focus is made").wait_for()


def _mark_good(page: Page) -> None:
    _make_focus(page)
    page.get_by_role("button", name="Mark good").click()
    page.get_by_text("is good now").wait_for()


def _offer_to_replace(page: Page) -> None:
    _mark_good(page)
    page.get_by_role("navigation", name="Place in the tree").get_by_text("Cycling").click()
    page.locator("#panel-title", has_text="Cycling").wait_for()
    page.get_by_role("button", name="Mark good").click()
    page.get_by_role("heading", name="Replace 1 sub-topic by").wait_for()


def _await_quality(page: Page) -> None:
    page.locator("#reliability svg").first.wait_for()
    page.get_by_text("The figures as a table").click()
    page.get_by_role("heading", name="Contradictions").wait_for()


def _train(page: Page) -> None:
    """Held up here, so that a quick worker does not end it before the look."""
    page.get_by_role("button", name="Train now").click()
    page.get_by_role("heading", name="is being trained").wait_for()
    page.route("**/models/", lambda route: route.fulfill(status=204))


def _compare_two(page: Page) -> None:
    if page.get_by_text("Nothing to compare yet").is_visible():
        page.goto(f"{TREE}models/")
        if page.get_by_role("button", name="Train now").is_visible():
            page.get_by_role("button", name="Train now").click()
        page.get_by_role("link", name="Compare two versions").wait_for(timeout=40_000)
        page.goto(f"{TREE}models/compare/")
    page.get_by_role("heading", name="Measured on held-out pages").wait_for()


def _classify(text: str) -> Callable[[Page], None]:
    def paste(page: Page) -> None:
        page.get_by_label("Text", exact=True).fill(text)
        page.locator("#judgement :is(section, .callout)").first.wait_for()

    return paste


def _preview_settings(page: Page) -> None:
    page.get_by_label("Breadth first").check()
    page.get_by_label("Stay away from").fill("plot-seventeen.localhost")
    page.get_by_role("button", name="Preview the changes").click()
    page.get_by_role("heading", name="What would change").wait_for()


def _ask_why_not(page: Page) -> None:
    _classify(LONG_TEXT)(page)
    page.get_by_role("button", name="Why not?").first.click()
    page.get_by_role("heading", name="The way to").wait_for()


def _fetch_nothing(page: Page) -> None:
    page.get_by_label("Web address").fill("http://127.0.0.1:9/")
    page.get_by_role("button", name="Fetch").click()
    page.locator(".classify__fetch .field__error").wait_for()


def _begin_draft(page: Page) -> None:
    page.get_by_role("button", name="Use my bookmarks").click()
    page.get_by_role("heading", name="Bring your bookmarks").wait_for()


def _upload_messy(page: Page) -> None:
    _begin_draft(page)
    file = FilePayload(name="messy.html", mimeType="text/html", buffer=MESSY_FILE)
    page.get_by_label("A bookmark file").set_input_files([file])
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("heading", name="messy.html").wait_for()
    page.get_by_text("What was skipped").click()


def _ask_contact(page: Page) -> None:
    _upload_messy(page)
    page.get_by_role("button", name="Use these pages").click()
    page.get_by_role("button", name="Fetch the pages").wait_for()


def _refuse_file(page: Page) -> None:
    _begin_draft(page)
    page.get_by_role("button", name="Read the file").click()
    page.get_by_text("Choose a file first.").wait_for()


def _share(page: Page) -> None:
    """With the next teammate; those it was shared with before stay in the table."""
    if page.get_by_label("Teammate").is_visible():
        page.get_by_label("Teammate").select_option(index=0)
        page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name=re.compile("^Stop sharing")).first.wait_for()


_read_drafts: dict[str, str] = {}  # by server, the address of a focus whose pages are read


def _demo_read(page: Page) -> None:
    page.get_by_role("button", name="Try the demo web").click()
    page.get_by_text("All pages are done").wait_for(state="attached", timeout=WORKER_MS)


def demo_twin(page: Page) -> None:
    """A draft with read examples: made once, then only copied, which fetches nothing."""
    server = urlsplit(page.url).netloc
    if server not in _read_drafts:
        _demo_read(page)
        _read_drafts[server] = page.url.removesuffix("examples/")
    page.goto(_read_drafts[server])
    page.get_by_role("button", name="Duplicate").click()
    page.get_by_text("is made. Nothing you change").wait_for()


def _demo_topics(page: Page) -> None:
    demo_twin(page)
    page.get_by_role("link", name="Change", exact=True).click()
    page.get_by_role("button", name="Mark good").first.wait_for()


def _demo_marked(page: Page) -> None:
    _demo_topics(page)
    page.get_by_role("button", name="Mark good").first.click()
    page.get_by_role("heading", name="Good topics").wait_for()
    page.get_by_text("fall outside your good topics").click()


def _demo_conflict(page: Page) -> None:
    _demo_marked(page)
    page.get_by_role("button", name="Mark good: Recreation").click()
    page.get_by_role("button", name="Replace by").wait_for()


def _own_topic(page: Page) -> None:
    _demo_topics(page)
    page.get_by_text("Nothing fits?").click()
    page.get_by_role("button", name="Make the topic").click()
    page.get_by_text("Give the topic a name.").wait_for()


def _demo_explored(page: Page) -> None:
    _demo_marked(page)
    page.get_by_role("link", name="Continue: Explore").click()
    page.get_by_role("button", name="Look around").first.click()
    page.get_by_role("button", name="Add as example").first.wait_for(timeout=WORKER_MS)


def _demo_start(page: Page) -> None:
    _demo_marked(page)
    page.get_by_role("link", name="Start", exact=True).click()
    page.get_by_role("heading", name="What comes first").wait_for()


def _refuse_start(page: Page) -> None:
    _demo_start(page)
    page.get_by_label("Pages at most").fill("0")
    page.get_by_role("button", name="Start the crawl").click()
    page.locator(".field__error").first.wait_for()


SCREENS = [
    Screen("home", "/"),
    Screen("home-account-menu", "/", prepare=_open_account_menu, is_covered=True),
    Screen("home-main-menu", "/", prepare=_open_main_menu, is_covered=True),
    Screen("home-stale", "/", prepare=_lose_updates),
    Screen("home-shortcuts", "/", prepare=_open_shortcuts),
    Screen("help", "/help/"),
    Screen("design", "/design/", prepare=_await_skeletons),
    Screen("settings", "/accounts/settings/"),
    Screen("settings-saved", "/accounts/settings/", prepare=_save_settings),
    Screen("password", "/accounts/settings/password/"),
    Screen("password-refused", "/accounts/settings/password/", prepare=_refuse_password),
    Screen("team", TEAM),
    Screen("team-as-viewer", TEAM, role="viewer"),
    Screen("team-refused", TEAM, prepare=_refuse_member),
    Screen("team-invitation", TEAM, prepare=_invite),
    Screen("home-as-viewer", "/", role="viewer"),
    Screen("focus-new", "/focuses/new/"),
    Screen("focus", "/focuses/1/"),
    Screen("focus-shared", "/focuses/1/", prepare=_share),
    Screen("focus-as-viewer", "/focuses/1/", role="viewer"),
    Screen("examples", "/focuses/1/examples/"),
    Screen("examples-empty", "/focuses/new/", prepare=_begin_draft),
    Screen("examples-refused", "/focuses/new/", prepare=_refuse_file),
    Screen("examples-folders", "/focuses/new/", prepare=_upload_messy),
    Screen("examples-contact", "/focuses/new/", prepare=_ask_contact),
    Screen("examples-read", "/focuses/new/", prepare=_demo_read),
    Screen("guide-topics-empty", "/focuses/1/topics/"),
    Screen("guide-topics", "/focuses/new/", prepare=_demo_topics),
    Screen("guide-topics-marked", "/focuses/new/", prepare=_demo_marked),
    Screen("guide-topics-conflict", "/focuses/new/", prepare=_demo_conflict),
    Screen("guide-topics-own", "/focuses/new/", prepare=_own_topic),
    Screen("explore", "/focuses/1/explore/"),
    Screen("explore-found", "/focuses/new/", prepare=_demo_explored),
    Screen("start", "/focuses/1/start/"),
    Screen("start-ready", "/focuses/new/", prepare=_demo_start),
    Screen("start-refused", "/focuses/new/", prepare=_refuse_start),
    Screen("crawls", "/crawls/"),
    Screen("crawl", "/crawls/1/"),
    Screen("crawl-as-viewer", "/crawls/1/", role="viewer"),
    Screen("hubs", "/crawls/1/hubs/", prepare=_distil),
    Screen("hubs-judged", "/crawls/1/hubs/", prepare=_judge_hub),
    Screen("hubs-as-viewer", "/crawls/1/hubs/", role="viewer"),
    Screen("map", "/crawls/1/map/", prepare=_count),
    Screen("map-as-viewer", "/crawls/1/map/", role="viewer"),
    Screen("sites", "/crawls/1/sites/", prepare=_await_sites),
    Screen("sites-decided", "/crawls/1/sites/", prepare=_decide_site),
    Screen("sites-none", "/crawls/1/sites/?q=no-such-site"),
    Screen("sites-as-viewer", "/crawls/1/sites/", role="viewer"),
    Screen("site", "/crawls/1/sites/", prepare=_open_site),
    Screen("labels", "/crawls/1/label/"),
    Screen("labels-answered", "/crawls/1/label/", prepare=_label),
    Screen("labels-as-viewer", "/crawls/1/label/", role="viewer"),
    Screen("map-pairs", "/crawls/1/map/pairs/?from=/Recreation&to=/Recreation"),
    Screen("questions", "/crawls/1/questions/"),
    Screen("questions-answered", "/crawls/1/questions/", prepare=_ask_census),
    Screen("questions-refused", "/crawls/1/questions/", prepare=_ask_nonsense),
    Screen("site", "/crawls/1/sites/velo-club.localhost/", prepare=_open_site),
    Screen("diagnosis", "/crawls/1/diagnosis/"),
    Screen("diagnosis-as-viewer", "/crawls/1/diagnosis/", role="viewer"),
    Screen("alarms", "/alarms/"),
    Screen("alarms-all", "/alarms/?state=all"),
    Screen("alarms-as-viewer", "/alarms/?state=all", role="viewer"),
    Screen("alarm-settings", "/alarms/settings/my-team/"),
    Screen("crawl-alarm-settings", "/crawls/1/alarms/"),
    Screen("crawl-settings", "/crawls/1/settings/"),
    Screen("crawl-settings-as-viewer", "/crawls/1/settings/", role="viewer"),
    Screen("crawl-settings-preview", "/crawls/1/settings/", prepare=_preview_settings),
    Screen("crawl-stretch", "/crawls/1/stretch/?first=1&last=40"),
    Screen("new", "/new/", prepare=have_news),
    Screen("new-of-crawl", "/crawls/1/new/", prepare=have_news),
    Screen("new-none", "/new/?kind=gone"),
    Screen("new-as-viewer", "/crawls/1/new/?show=all", role="viewer"),
    Screen("pages", "/crawls/1/pages/"),
    Screen("pages-as-viewer", "/crawls/1/pages/?sort=relevance", role="viewer"),
    Screen("pages-filtered", "/crawls/1/pages/?q=the&least=0.1&unique=1&topic=/Recreation"),
    Screen("pages-none", "/crawls/1/pages/?q=xyzzyplugh"),
    Screen("exports", "/crawls/1/exports/?q=the&least=0.1"),
    Screen("crawl-page", "/crawls/1/pages/20/"),
    Screen("frontier", "/crawls/1/frontier/"),
    Screen("frontier-none", "/crawls/1/frontier/?q=xyzzyplugh&state=dead"),
    Screen("topics", "/taxonomies/"),
    Screen("tree", TREE),
    Screen("tree-as-viewer", TOPIC, role="viewer"),
    Screen("tree-search", f"{TREE}?q=history&topic=/Science"),
    Screen("tree-nothing-found", f"{TREE}?q=zebra+crossing"),
    Screen("tree-no-such-topic", f"{TREE}?topic=/Nowhere"),
    Screen("tree-shortcuts", TREE, prepare=_open_shortcuts),
    Screen("topic", TOPIC),
    Screen("topic-inner", f"{TREE}?topic=/Science"),
    Screen("topic-edited", TOPIC, prepare=_add_an_example),
    Screen("topic-examples", TOPIC, prepare=_choose_an_example, is_covered=True),
    Screen("topic-rename-refused", TOPIC, prepare=_refuse_a_name),
    Screen("topic-move", TOPIC, prepare=_type_a_topic),
    Screen("topic-merge-which", TOPIC, prepare=_ask_which_topic),
    Screen("topic-delete", TOPIC, prepare=_open_deed("Delete …")),
    Screen("topic-start-urls", TOPIC, prepare=_open_deed("Edit start URLs")),
    Screen("topic-new", f"{TOPIC}&do=create"),
    Screen("focus-good", TOPIC, prepare=_mark_good),
    Screen("focus-replace", TOPIC, prepare=_offer_to_replace),
    Screen("tree-history", f"{TREE}history/"),
    Screen("classify", "/classify/"),
    Screen("classify-judged", "/classify/", prepare=_classify(LONG_TEXT)),
    Screen("classify-toward", "/classify/", prepare=_ask_why_not),
    Screen("classify-doubtful", "/classify/", prepare=_classify("A bicycle")),
    Screen("classify-foreign", "/classify/", prepare=_classify("Xyzzy plugh " * 20)),
    Screen("classify-not-fetched", "/classify/", prepare=_fetch_nothing),
    Screen("classify-too-long", "/classify/", prepare=_classify("x" * 200_001)),
    Screen("models", f"{TREE}models/"),
    Screen("models-as-viewer", f"{TREE}models/", role="viewer"),
    Screen("models-training", f"{TREE}models/", prepare=_train),
    Screen("models-compare", f"{TREE}models/compare/", prepare=_compare_two),
    Screen("quality", f"{TREE}quality/", prepare=_await_quality),
    Screen("signin", "/accounts/signin/", role=None),
    Screen("signin-refused", "/accounts/signin/", role=None, prepare=_wrong_password),
    Screen("locked", "/accounts/signin/", role=None, prepare=_lock_out),
    Screen("link-spent", "/accounts/signin/link/?token=spent", role=None),
    Screen("error-400", "/", prepare=_ask_for_too_much),
    Screen("error-403", TEAM, role="viewer", prepare=_overreach),
    Screen("error-403-old-form", "/", prepare=_send_old_form),
    Screen("error-404", "/nowhere/"),
    Screen("error-404-signed-out", "/nowhere/", role=None),
    Screen("error-500", "/accounts/signin/", role=None, prepare=_break_the_server),
]

# Routes that are no page of their own, each with the reason.
NOT_A_SCREEN = {
    "accounts:signout": "accepts POST only",
    "accounts:theme": "accepts POST only",
    "accounts:member-add": "accepts POST only; its answers are the team's page",
    "accounts:member-restore": "accepts POST only",
    "accounts:member-role": "accepts POST only",
    "accounts:member-remove": "accepts POST only",
    **{
        f"taxonomy:topic-{key}": "accepts POST only; its answers are the tree's page"
        for key in DEEDS
    },
    "taxonomy:branch": "a fragment of the tree's page",
    "taxonomy:topic": "a fragment of the tree's page",
    "taxonomy:suggest": "a fragment of the tree's page",
    "taxonomy:edit-undo": "accepts POST only",
    "taxonomy:model-train": "accepts POST only",
    "taxonomy:model-use": "accepts POST only",
    "taxonomy:classify-fetch": "accepts POST only; its answers are the classify page",
    "taxonomy:classify-example": "accepts POST only; its answers are the tree's page",
    "taxonomy:classify-undo": "accepts POST only",
    "taxonomy:classify-keep": "accepts POST only; its answers are the classify page",
    "taxonomy:classify-forget": "accepts POST only",
    "taxonomy:focus-create": "accepts POST only",
    "taxonomy:marks": "accepts POST only",
    "taxonomy:marks-restore": "accepts POST only",
    "crawler:status-strip": "a fragment of the home page",
    "crawler:exports-written": "a fragment of the page of the exports",
    "crawler:export-at-once": "a file to keep",
    "crawler:export-download": "a file to keep",
    "crawler:export-cancel": "accepts POST only",
    "crawler:crawl-opening": "figures for the monitor's script",
    "crawler:crawl-view": "figures for the monitor's script",
    "crawler:crawl-points": "figures for the monitor's script",
    "crawler:crawl-upcoming": "a fragment of the monitor",
    "crawler:crawl-rank": "a fragment of the monitor",
    "crawler:feedback-effect": "a fragment of the page of the hubs",
    "crawler:sites-effect": "a fragment of the page of the sites",
    "crawler:crawl-feed": "accepts POST only; its answer is shown once, looked at in test_new.py",
    "crawler:focus-feed": "accepts POST only; its answer is shown once, looked at in test_new.py",
    "crawler:feed": "for feed readers",
    "crawler:digest-off": "its address is in a letter; looked at in test_new_page.py",
    "crawler:labels-progress": "a fragment of the page of the labels",
    "crawler:label-answer": "accepts POST only",
    "crawler:label-undo": "accepts POST only",
    "crawler:labels-sample": "accepts POST only",
    "crawler:labels-train": "accepts POST only",
    "crawler:labels-settings": "accepts POST only",
    "crawler:focus-duplicate": "accepts POST only",
    "crawler:focus-share": "accepts POST only; its answers are the page of the focus",
    "crawler:focus-share-change": "accepts POST only",
    "crawler:focus-export": "a file to keep",
    "crawler:focus-keep": "accepts POST only",
    "crawler:focus-bring": "accepts POST only; its answers are the page of the examples",
    "crawler:focus-reading": "a fragment of the page of the examples",
    "crawler:focus-mark": "accepts POST only; its answers are the page of the topics",
    "crawler:focus-marks-restore": "accepts POST only",
    "crawler:focus-topic-make": "accepts POST only; its answers are the page of the topics",
    "crawler:focus-explore-look": "accepts POST only",
    "crawler:focus-explore-judge": "accepts POST only",
    "crawler:focus-preview": "a fragment of the page of the start",
    **{
        f"crawler:crawl-{verb}": "accepts POST only"
        for verb in ("pause", "resume", "stop", "discard")
    },
    **{
        f"crawler:{route}": "accepts POST only"
        for route in (
            "hubs-distil",
            "sites-decide",
            "sites-act",
            "sites-undo",
            "feedback",
            "feedback-undo",
            "visit",
            "news-seen",
            "revisit",
            "focus-digest",
            "diagnosis-remedy",
            "diagnosis-undo",
            "diagnosis-enough",
            "alarm-mute",
            "alarm-unmute",
            "questions-save",
            "questions-renew",
            "questions-remove",
        )
    },
    "healthz": "for machines",
    "readyz": "for machines",
}
