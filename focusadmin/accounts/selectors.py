"""Reads about people and teams."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, Team, User
from focusadmin.lib.text import isolated


def teams_of(user: User) -> QuerySet[Team]:
    return Team.objects.visible_to(user)


def team_get(*, user: User | AnonymousUser, slug: str) -> Team:
    """The team, or 404: a stranger can't tell a team he is not in from one that isn't there."""
    return get_object_or_404(Team.objects.visible_to(user), slug=slug)


def role_in(*, user: User, team: Team) -> Role | None:
    membership = team.memberships.filter(user=user).first()
    return Role(membership.role) if membership else None


def has_role(*, user: User, team: Team, wanted: Role) -> bool:
    role = role_in(user=user, team=team)
    return role is not None and role.includes(wanted)


def has_role_anywhere(*, user: User, wanted: Role) -> bool:
    """In at least one team."""
    return any(
        Role(role).includes(wanted) for role in user.memberships.values_list("role", flat=True)
    )


def require_role(*, user: User, team: Team, wanted: Role) -> None:
    """Refuses with the names of those who can grant the role."""
    if has_role(user=user, team=team, wanted=wanted):
        return
    admins = ", ".join(map(isolated, team_admin_names(team=team)))
    article = "an" if wanted.value[0] in "ao" else "a"
    raise PermissionDenied(
        f"Only {article} {wanted.value} of {isolated(team)} may do this. Ask: {admins}."
    )


def team_members(*, team: Team) -> QuerySet[Membership]:
    return team.memberships.select_related("user").order_by("user__username")


def team_admin_names(*, team: Team) -> list[str]:
    """Who can grant a role, for the page that says why something is refused."""
    admins = team.memberships.filter(role=Role.ADMIN).order_by("user__username")
    return list(admins.values_list("user__username", flat=True))
