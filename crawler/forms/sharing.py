"""The form that shares a focus with a teammate."""

from typing import Any, cast

from django import forms

from focusadmin.accounts.models import Membership, User
from taxonomy.models import Focus, FocusShare
from taxonomy.selectors.sharing import teammates_to_share_with
from taxonomy.services.sharing import NOT_SHARED


class ShareForm(forms.Form):
    """Whom to share with; those it is shared with already stand in the table above it."""

    member = forms.TypedChoiceField(
        coerce=int, label="Teammate", error_messages={"required": "Choose a teammate."}
    )
    rights = forms.ChoiceField(
        choices=FocusShare.Rights.choices, initial=FocusShare.Rights.VIEW.value, label="They"
    )

    def __init__(self, *args: Any, focus: Focus, by: User, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "share-%s", **options})
        self.members = list(teammates_to_share_with(focus=focus, user=by))
        choice = cast("forms.ChoiceField", self.fields["member"])
        choice.choices = [(each.pk, f"{each.user} ({each.role})") for each in self.members]


class ShareChangeForm(forms.Form):
    """A change to one share, or its undo, whose token says both fields in one."""

    member = forms.IntegerField()
    rights = forms.ChoiceField(choices=[*FocusShare.Rights.choices, (NOT_SHARED, "Not shared")])

    def __init__(self, data: Any, *, focus: Focus) -> None:
        member, _, rights = data.get("token", "").partition(":")
        super().__init__({"member": member, "rights": rights} if rights else data)
        self.focus = focus

    def clean_member(self) -> Membership:
        members = self.focus.team.memberships.select_related("user")
        member = members.filter(pk=self.cleaned_data["member"]).first()
        if member is None:
            raise forms.ValidationError("This person is not in the team any more.")
        return member
