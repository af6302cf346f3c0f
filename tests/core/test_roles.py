"""Each role holds the rights of those below it."""

import itertools

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import Toast, toast_from_message, undo_tag


def test_roles_are_ordered_from_viewer_to_admin():
    assert [role.value for role in Role] == ["viewer", "curator", "operator", "admin"]
    for lower, higher in itertools.combinations(Role, 2):
        assert higher.includes(lower)
        assert not lower.includes(higher)
    assert all(role.includes(role) and role.promise for role in Role)


def test_an_undo_travels_with_its_message():
    tag = undo_tag("/teams/a/restore/", "token:with:parts")
    assert toast_from_message("Gone.", "success", tag) == Toast(
        "Gone.", "success", "/teams/a/restore/", "token:with:parts"
    )
    assert toast_from_message("Saved.", "info", "") == Toast("Saved.", "info")
