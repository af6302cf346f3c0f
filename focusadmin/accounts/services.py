"""Writes about people and teams."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, SignInLink, Team, User
from focusadmin.lib.errors import FocusAdminError

FIRST_USER = "owner"
FIRST_TEAM = "My team"
UNDO_SECONDS = 600
_UNDO_SALT = "accounts.member-remove"


class MembershipError(FocusAdminError):
    """A change to a team that can't be made; the text says what to do instead."""


@transaction.atomic
def first_user_ensure() -> User:
    """The person who installed this: made at first start, administrator of the first team."""
    user = User.objects.filter(is_superuser=True).order_by("pk").first()
    if user is None:
        user = User.objects.create_superuser(FIRST_USER)
    if not user.memberships.exists():
        team_create(name=FIRST_TEAM, by=user)
    return user


@transaction.atomic
def team_create(*, name: str, by: User) -> Team:
    base = slugify(name) or "team"
    slug, number = base, 1
    while Team.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base[:70]}-{number}"
    team = Team.objects.create(name=name, slug=slug)
    Membership.objects.create(user=by, team=team, role=Role.ADMIN)
    return team


def sign_in_link_create(*, user: User) -> str:
    """A fresh token for `user`; earlier unused ones stop working: only the newest link is live."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        user.sign_in_links.filter(used_at=None).delete()
        SignInLink.objects.create(
            user=user,
            token_sha256=_digest(token),
            expires_at=timezone.now() + timedelta(minutes=settings.SIGN_IN_LINK_MINUTES),
        )
    return token


def sign_in_link_use(*, token: str) -> User | None:
    """Who the token belongs to, once: of two requests at the same moment one gets None."""
    now = timezone.now()
    links = SignInLink.objects.filter(token_sha256=_digest(token))
    if not links.filter(used_at=None, expires_at__gt=now).update(used_at=now):
        return None
    user = links.select_related("user").get().user
    return user if user.is_active else None


def member_add(*, team: Team, username: str, role: Role) -> tuple[Membership, str]:
    """Add a person, making the account if it is new; returns the token of a sign-in link too."""
    with transaction.atomic():
        user, is_new = User.objects.get_or_create(username=username)
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        try:
            with transaction.atomic():
                membership = Membership.objects.create(team=team, user=user, role=role)
        except IntegrityError:
            raise MembershipError(
                f"{username} is in this team already. Change the role in the table above."
            ) from None
        # A link signs in as that person: only somebody whose account we made may be handed one.
        return membership, sign_in_link_create(user=user) if is_new else ""


@transaction.atomic
def member_set_role(*, membership: Membership, role: Role) -> Membership:
    locked = _lock(membership)
    if role != Role.ADMIN:
        _require_another_admin(locked)
    locked.role = role
    locked.save(update_fields=["role"])
    return locked


@transaction.atomic
def member_remove(*, membership: Membership) -> str:
    """Take a person out of the team; returns the token that undoes it within ten minutes."""
    locked = _lock(membership)
    _require_another_admin(locked)
    undo = {"team": locked.team_id, "user": locked.user_id, "role": locked.role}
    locked.delete()
    return signing.dumps(undo, salt=_UNDO_SALT)


def member_restore(*, team: Team, token: str) -> Membership:
    try:
        undo = signing.loads(token, salt=_UNDO_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        raise MembershipError("This can't be undone any more. Add the person again.") from None
    if undo["team"] != team.pk:
        raise MembershipError("This undo belongs to another team.")
    user = User.objects.filter(pk=undo["user"]).first()
    if user is None:
        raise MembershipError("This can't be undone any more. The account is gone.")
    membership, _ = Membership.objects.get_or_create(
        team=team, user=user, defaults={"role": undo["role"]}
    )
    return membership


def user_set_theme(*, user: User, theme: str) -> None:
    user.theme = User.Theme(theme)
    user.save(update_fields=["theme"])


def _lock(membership: Membership) -> Membership:
    return Membership.objects.select_for_update().get(pk=membership.pk)


def _require_another_admin(membership: Membership) -> None:
    """A team always keeps an admin, or nobody could ever add one again."""
    if membership.role != Role.ADMIN:
        return
    admins = Membership.objects.select_for_update().filter(
        team_id=membership.team_id, role=Role.ADMIN
    )
    if len(admins) == 1:
        raise MembershipError("A team needs an admin. Make somebody else admin first.")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
