"""Who may change a focus, and with whom it is shared by name (docs/decisions/0026)."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, User
from focusadmin.accounts.selectors import has_role, require_role
from taxonomy.models import Focus, FocusShare
from taxonomy.selectors.focuses import focus_get


def focus_edited(*, user: User, focus_id: int) -> Focus:
    """The focus, for somebody who may change it; others are told whom to ask."""
    focus = focus_get(user=user, focus_id=focus_id)
    try:
        require_role(user=user, team=focus.team, wanted=Role.CURATOR)
    except PermissionDenied:
        if not _is_editor(user, focus):
            raise
    return focus


def may_edit_focus(*, user: User, focus: Focus) -> bool:
    """By a role in its team, or because it was shared with this person to edit."""
    return has_role(user=user, team=focus.team, wanted=Role.CURATOR) or _is_editor(user, focus)


def shares_of(focus: Focus) -> QuerySet[FocusShare]:
    return focus.shares.select_related("membership__user", "shared_by").order_by(
        "membership__user__username"
    )


def teammates_to_share_with(*, focus: Focus, user: User) -> QuerySet[Membership]:
    """Members of the focus's team with whom it is not shared yet, oneself left out."""
    members = focus.team.memberships.select_related("user").exclude(user=user)
    return members.exclude(focus_shares__focus=focus).order_by("user__username")


def focuses_shared_with(user: User) -> QuerySet[FocusShare]:
    """What others pointed out to this person, newest first."""
    shared = FocusShare.objects.filter(membership__user=user)
    visible = shared.filter(focus__in=Focus.objects.visible_to(user))
    return visible.select_related("focus", "shared_by").order_by("-shared_at")


def _is_editor(user: User, focus: Focus) -> bool:
    editing = focus.shares.filter(rights=FocusShare.Rights.EDIT)
    return editing.filter(membership__user=user, membership__team=focus.team_id).exists()
