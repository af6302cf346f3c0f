"""Forms about people and teams."""

from django import forms
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.validators import UnicodeUsernameValidator

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import User

ROLE_CHOICES = [(role.value, role.label) for role in Role]


class PreferencesForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["first_name", "last_name", "email", "theme", "has_shortcuts"]


class MemberAddForm(forms.Form):
    username = UsernameField(
        max_length=150,
        label="Username",
        validators=[UnicodeUsernameValidator()],
        help_text="Of an account here, or a new name: then you get a one-time link to pass on.",
    )
    role = forms.ChoiceField(choices=ROLE_CHOICES, initial=Role.VIEWER.value)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=ROLE_CHOICES)


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=User.Theme.choices)
