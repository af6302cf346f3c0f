"""Who may call which route. A new route needs a row here: test_access.py fails without one."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.urls import reverse

from focusadmin.accounts.models import Membership, Team

PEOPLE = ["anonymous", "stranger", "teammate", "owner"]


@dataclass(frozen=True)
class Scene:
    """What addresses are made of, all of it the owner's; a new kind of object is a new field."""

    team: Team
    membership: Membership  # the teammate's, as viewer


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
]

# Every page that the owner can open, for tests that look at all of them.
PAGES = [row for row in ROWS if row.method == "get" and row.owner == 200]
WRITES = [row for row in ROWS if row.method == "post"]
