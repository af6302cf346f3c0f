"""Sharing a focus with members of its team by name (docs/decisions/0026)."""

from django.db import transaction

from focusadmin.accounts.models import Membership, User
from focusadmin.lib.text import isolated
from taxonomy.models import Focus, FocusShare
from taxonomy.services.focuses import FocusError, Marked

NOT_SHARED = "none"


@transaction.atomic
def focus_share(*, focus: Focus, membership: Membership, rights: str, by: User) -> Marked:
    """Sets what the focus is shared for; `none` ends it. The token leads back to what was."""
    if membership.team_id != focus.team_id:
        raise FocusError("A focus can be shared with members of its team only.")
    if rights != NOT_SHARED and rights not in FocusShare.Rights:
        raise FocusError("Choose whether they can view the focus or edit it.")
    share = focus.shares.filter(membership=membership).first()
    before = share.rights if share else NOT_SHARED
    if rights == NOT_SHARED:
        focus.shares.filter(membership=membership).delete()
    else:
        focus.shares.update_or_create(
            membership=membership,
            defaults={"rights": rights},
            create_defaults={"rights": rights, "shared_by": by},
        )
    return Marked(_told(membership.user, rights), f"{membership.pk}:{before}")


def _told(user: User, rights: str) -> str:
    if rights == NOT_SHARED:
        return f"The focus is not shared with {isolated(user)} any more."
    may = "edit" if rights == FocusShare.Rights.EDIT else "view"
    return f"Shared with {isolated(user)}, who can {may} it and finds it on the home page."
