"""Who may call which route. A new route needs a row here: test_access.py fails without one."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.urls import reverse

from crawler.models import Alarm, Crawl, Export
from focusadmin.accounts.models import Membership, Team
from taxonomy.models import Focus, FocusPage, Taxonomy, Topic, TrainedModel, TreeEdit

PEOPLE = ["anonymous", "stranger", "teammate", "owner"]


@dataclass(frozen=True)
class Scene:
    """What addresses are made of, all of it the owner's; a new kind of object is a new field."""

    team: Team
    membership: Membership  # the teammate's, as viewer
    taxonomy: Taxonomy
    topic: Topic  # /Recreation/Cycling of it
    edit: TreeEdit
    focus: Focus
    model: TrainedModel  # whose file is gone
    crawl: Crawl  # running, held by nobody
    export: Export  # of the crawl, by the owner, waiting
    alarm: Alarm  # of the crawl, firing
    focus_page: FocusPage  # an example of the focus


@dataclass(frozen=True)
class Access:
    """One way to call a route, and the status each person gets.

    The anonymous 302 leads to `sign_in`; the stranger gets 404, never 403, for what isn't his.
    """

    route: str
    method: str
    anonymous: int
    stranger: int
    teammate: int  # viewer of the owner's team
    owner: int  # admin of it
    args: Callable[[Scene], list[object]] = lambda scene: []
    data: dict[str, str] = field(default_factory=dict)
    sign_in: str = "accounts:signin"

    def __str__(self) -> str:
        return f"{self.method} {self.route}"

    def url(self, scene: Scene) -> str:
        return reverse(self.route, args=self.args(scene))


def _team(scene: Scene) -> list[object]:
    return [scene.team.slug]


def _member(scene: Scene) -> list[object]:
    return [scene.team.slug, scene.membership.pk]


def _tree(scene: Scene) -> list[object]:
    return [scene.taxonomy.slug]


def _topic(scene: Scene) -> list[object]:
    return [scene.taxonomy.slug, scene.topic.pk]


def _edit(scene: Scene) -> list[object]:
    return [scene.taxonomy.slug, scene.edit.pk]


def _focus(scene: Scene) -> list[object]:
    return [scene.focus.pk]


def _focus_page(scene: Scene) -> list[object]:
    return [scene.focus.pk, scene.focus_page.pk]


def _model(scene: Scene) -> list[object]:
    return [scene.taxonomy.slug, scene.model.version]


def _crawl(scene: Scene) -> list[object]:
    return [scene.crawl.pk]


def _alarm(scene: Scene) -> list[object]:
    return [scene.alarm.pk]


def _export(scene: Scene) -> list[object]:
    return [scene.crawl.pk, scene.export.pk]


def _crawl_part(scene: Scene) -> list[object]:
    return [scene.crawl.pk, 1]


def _site(scene: Scene) -> list[object]:
    return [scene.crawl.pk, "a.example"]


def _edit_of(deed: str, owner: int, **data: str) -> Access:
    """An edit of a topic: curators and higher only."""
    return Access(f"taxonomy:topic-{deed}", "post", 302, 404, 403, owner, _topic, data)


_SPAN = {"first": "1", "last": "100"}
_TEXT = {"by": "small", "text": "Gears and brakes"}
_NO_ADDRESS = {"url": "javascript:alert(1)"}
_PERSON = {"username": "nora", "role": "viewer"}

# Statuses in the order of PEOPLE: anonymous, stranger, teammate, owner.
ROWS = [
    Access("healthz", "get", 200, 200, 200, 200),
    Access("readyz", "get", 200, 200, 200, 200),
    Access("design", "get", 302, 200, 200, 200),
    # The admin site has a sign-in page of its own; only staff gets in.
    Access("admin:index", "get", 302, 302, 302, 302, sign_in="admin:login"),
    Access("crawler:home", "get", 302, 200, 200, 200),
    Access("crawler:status-strip", "get", 302, 200, 200, 200),
    Access("crawler:help", "get", 200, 200, 200, 200),
    Access("crawler:crawls", "get", 302, 200, 200, 200),
    Access("crawler:crawl", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:crawl-opening", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:crawl-view", "get", 302, 404, 200, 200, _crawl, _SPAN),
    Access("crawler:crawl-points", "get", 302, 404, 200, 200, _crawl, {"after": "0", "event": "0"}),
    Access("crawler:crawl-stretch", "get", 302, 404, 200, 200, _crawl, _SPAN),
    Access("crawler:pages", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:exports", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:exports", "post", 302, 404, 302, 302, _crawl, {"format": "csv"}),
    Access("crawler:exports-written", "get", 302, 404, 200, 200, _crawl),
    # Its hubs are not known: a file would be a 200.
    Access("crawler:export-at-once", "get", 302, 404, 302, 302, _crawl, {"format": "opml"}),
    Access("crawler:export-download", "get", 302, 404, 404, 404, _export),  # not written yet
    Access("crawler:export-cancel", "post", 302, 404, 403, 302, _export),
    Access("crawler:crawl-page", "get", 302, 404, 404, 404, _crawl_part),  # it has no pages
    Access("crawler:crawl-upcoming", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:crawl-rank", "get", 302, 404, 404, 404, _crawl_part),
    Access("crawler:frontier", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:crawl-settings", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:crawl-settings", "post", 302, 404, 403, 422, _crawl),
    Access("crawler:crawl-pause", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:crawl-resume", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:crawl-stop", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:crawl-discard", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:new", "get", 302, 200, 200, 200),
    Access("crawler:news-seen", "post", 302, 302, 302, 302, data={"upto": "1"}),
    Access("crawler:crawl-new", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:revisit", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:crawl-feed", "post", 302, 404, 200, 200, _crawl),
    Access("crawler:focus-feed", "post", 302, 404, 200, 200, _focus),
    Access("crawler:focus-digest", "post", 302, 404, 302, 302, _focus),
    Access("crawler:feed", "get", 404, 404, 404, 404, lambda scene: ["unknown", "atom"]),
    Access("crawler:digest-off", "get", 404, 404, 404, 404, lambda scene: ["unknown"]),
    Access("crawler:digest-off", "post", 200, 200, 200, 200, lambda scene: ["unknown"]),
    Access("crawler:hubs", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:hubs-distil", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:sites", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:site", "get", 302, 404, 404, 404, _site),  # it has met no sites
    Access("crawler:sites-decide", "post", 302, 404, 403, 302, _crawl, {"site": "a.example"}),
    Access("crawler:sites-act", "post", 302, 404, 403, 302, _crawl, {"site": "a.example"}),
    Access("crawler:sites-undo", "post", 302, 404, 403, 302, _crawl, {"token": "allow:a.example"}),
    Access("crawler:sites-effect", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:feedback", "post", 302, 404, 403, 302, _crawl, {"value": "useful"}),
    Access("crawler:feedback-undo", "post", 302, 404, 403, 404, _crawl, {"token": "1"}),
    Access("crawler:feedback-effect", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:visit", "post", 302, 404, 403, 302, _crawl, {"number": "1"}),
    Access("crawler:map", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:labels", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:labels-progress", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:label-answer", "post", 302, 404, 403, 302, _crawl, {"value": "useful"}),
    Access("crawler:label-undo", "post", 302, 404, 403, 404, _crawl, {"token": "1"}),
    Access("crawler:labels-sample", "post", 302, 404, 403, 302, _crawl, {"do": "more"}),
    Access("crawler:labels-train", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:labels-settings", "post", 302, 404, 403, 302, _crawl, {"train_after": "9"}),
    Access(
        "crawler:map-pairs", "get", 302, 404, 200, 200, _crawl, {"from": "/Arts", "to": "/Arts"}
    ),
    Access("crawler:questions", "get", 302, 404, 403, 200, _crawl),
    Access("crawler:questions", "post", 302, 404, 403, 422, _crawl),  # nothing is asked
    Access("crawler:questions-save", "post", 302, 404, 403, 422, _crawl),
    Access("crawler:questions-renew", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:questions-remove", "post", 302, 404, 403, 404, _crawl_part),
    Access("crawler:diagnosis", "get", 302, 404, 200, 200, _crawl),
    Access("crawler:diagnosis-remedy", "post", 302, 404, 403, 302, _crawl, {"kind": "stop"}),
    Access("crawler:diagnosis-undo", "post", 302, 404, 403, 302, _crawl, {"token": "x"}),
    Access("crawler:diagnosis-enough", "post", 302, 404, 403, 302, _crawl, {"recall": "x"}),
    Access("crawler:crawl-alarm-settings", "get", 302, 404, 403, 200, _crawl),
    Access("crawler:crawl-alarm-settings", "post", 302, 404, 403, 302, _crawl),
    Access("crawler:alarms", "get", 302, 200, 200, 200),
    Access("crawler:alarm-mute", "post", 302, 404, 403, 302, _alarm, {"hours": "1"}),
    Access("crawler:alarm-unmute", "post", 302, 404, 403, 302, _alarm),
    Access("crawler:alarm-settings", "get", 302, 404, 403, 200, _team),
    Access("crawler:alarm-settings", "post", 302, 404, 403, 302, _team),
    Access("crawler:focus-new", "get", 302, 200, 200, 200),
    Access("crawler:focus-new", "post", 302, 200, 403, 302, data={"with": "bookmarks"}),
    Access("crawler:focus", "get", 302, 404, 200, 200, _focus),
    Access("crawler:focus-duplicate", "post", 302, 404, 403, 302, _focus),
    Access("crawler:focus-share", "post", 302, 404, 403, 422, _focus),  # nobody was chosen
    Access("crawler:focus-share-change", "post", 302, 404, 403, 302, _focus),
    Access("crawler:focus-export", "get", 302, 404, 200, 200, _focus),
    Access("crawler:focus-keep", "post", 302, 404, 403, 204, _focus, {"pasted": "x"}),
    Access("crawler:focus-examples", "get", 302, 404, 403, 200, _focus),
    Access("crawler:focus-bring", "post", 302, 404, 403, 302, _focus, {"do": "skip"}),
    Access("crawler:focus-reading", "get", 302, 404, 403, 200, _focus),
    Access("crawler:focus-topics", "get", 302, 404, 403, 200, _focus),
    Access("crawler:focus-mark", "post", 302, 404, 403, 302, _focus, {"topic": "/Arts"}),
    Access("crawler:focus-marks-restore", "post", 302, 404, 403, 302, _focus, {"token": "x"}),
    Access("crawler:focus-topic-make", "post", 302, 404, 403, 422, _focus),
    Access("crawler:focus-explore", "get", 302, 404, 403, 200, _focus),
    Access("crawler:focus-explore-look", "post", 302, 404, 403, 302, _focus_page),
    Access("crawler:focus-explore-judge", "post", 302, 404, 403, 302, _focus_page),
    Access("crawler:focus-start", "get", 302, 404, 403, 200, _focus),
    Access("crawler:focus-start", "post", 302, 404, 403, 422, _focus),
    Access("crawler:focus-preview", "get", 302, 404, 403, 200, _focus),
    Access("accounts:signin", "get", 200, 302, 302, 302),
    Access("accounts:signin", "post", 200, 302, 302, 302),
    Access("accounts:signin-link", "get", 410, 410, 410, 410),
    Access("accounts:signout", "post", 302, 302, 302, 302),
    Access("accounts:settings", "get", 302, 200, 200, 200),
    Access("accounts:settings", "post", 302, 302, 302, 302, data={"theme": "dark"}),
    Access("accounts:password", "get", 302, 200, 200, 200),
    Access("accounts:password", "post", 302, 422, 422, 422, data={"old_password": "wrong"}),
    Access("accounts:theme", "post", 302, 302, 302, 302, data={"theme": "dark"}),
    Access("accounts:team", "get", 302, 404, 200, 200, _team),
    Access("accounts:member-add", "get", 302, 404, 302, 302, _team),
    Access("accounts:member-add", "post", 302, 404, 403, 200, _team, _PERSON),
    Access("accounts:member-restore", "post", 302, 404, 403, 302, _team, {"token": "x"}),
    Access("accounts:member-role", "post", 302, 404, 403, 302, _member, {"role": "curator"}),
    Access("accounts:member-remove", "post", 302, 404, 403, 302, _member),
    Access("taxonomy:index", "get", 302, 200, 200, 200),
    Access("taxonomy:tree", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:branch", "get", 302, 404, 200, 200, _topic),
    Access("taxonomy:topic", "get", 302, 404, 302, 302, _topic),
    Access("taxonomy:suggest", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:history", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:quality", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:models", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:models-compare", "get", 302, 404, 200, 200, _tree),
    Access("taxonomy:model-train", "post", 302, 404, 403, 302, _tree),
    Access("taxonomy:model-use", "post", 302, 404, 403, 302, _model),
    Access("taxonomy:classify", "get", 302, 200, 200, 200),
    Access("taxonomy:classify", "post", 302, 200, 200, 200, data=_TEXT),
    Access("taxonomy:classify-fetch", "post", 302, 200, 422, 422, data=_NO_ADDRESS),
    Access("taxonomy:classify-example", "post", 302, 404, 403, 302, _topic, _TEXT),
    Access("taxonomy:classify-keep", "post", 302, 200, 422, 422),
    Access("taxonomy:classify-forget", "post", 302, 404, 403, 302, _focus_page),
    Access("taxonomy:classify-undo", "post", 302, 404, 403, 302, _edit),
    Access("taxonomy:edit-undo", "post", 302, 404, 403, 302, _edit),
    Access("taxonomy:focus-create", "post", 302, 404, 403, 302, _tree, {"name": "Hills"}),
    _edit_of("create", 302, name="Unicycles"),
    _edit_of("rename", 302, name="Bicycles"),
    _edit_of("move", 302, to="/Arts"),
    _edit_of("merge", 302, to="/Recreation/Hiking"),
    _edit_of("split", 302, name="Parts"),  # no example is chosen: a toast says so
    _edit_of("delete", 302, where="parent"),
    _edit_of("describe", 302, description="On two wheels."),
    _edit_of("start-urls", 302, start_urls="https://example.org/"),
    _edit_of("example-add", 422),
    _edit_of("examples-move", 302, to="/Arts"),
    _edit_of("examples-remove", 302),
    Access("taxonomy:marks", "post", 302, 404, 403, 302, _focus, {"topic": "/Arts"}),
    Access("taxonomy:marks-restore", "post", 302, 404, 403, 302, _focus, {"token": "x"}),
]

# Every page that the owner can open, for tests that look at all of them.
PAGES = [row for row in ROWS if row.method == "get" and row.owner == 200]
WRITES = [row for row in ROWS if row.method == "post"]
