"""Who is told of alarms, for how long one is mute, and when a crawl has found enough."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from crawler.core.alarms.rules import RULES
from crawler.models import AlarmSettings
from focusadmin.lib.urls import canonical_url

EMAILS_AT_MOST = 20
MUTES = (("1", "1 hour"), ("24", "1 day"), ("168", "1 week"), ("876000", "for good"))


class AlarmSettingsForm(forms.Form):
    emails = forms.CharField(
        required=False,
        label="E-mail addresses",
        widget=forms.Textarea(attrs={"rows": 3, "class": "input", "spellcheck": "false"}),
        help_text="One a line.",
    )
    webhook_url = forms.CharField(
        required=False,
        label="Webhook",
        max_length=2_000,
        widget=forms.TextInput(attrs={"class": "input", "inputmode": "url", "spellcheck": "false"}),
        help_text="Gets a POST with JSON. Private addresses and redirects are refused.",
    )
    rules = forms.MultipleChoiceField(
        required=False,
        label="What is watched",
        choices=[(key.value, rule.label) for key, rule in RULES.items()],
        widget=forms.CheckboxSelectMultiple,
    )

    @classmethod
    def showing(cls, settings: AlarmSettings) -> "AlarmSettingsForm":
        """As it is now."""
        return cls(
            initial={
                "emails": "\n".join(settings.emails),
                "webhook_url": settings.webhook_url,
                "rules": [key.value for key in RULES if key.value not in settings.rules_off],
            }
        )

    def clean_emails(self) -> list[str]:
        addresses = list(dict.fromkeys(self.cleaned_data["emails"].split()))
        if len(addresses) > EMAILS_AT_MOST:
            raise ValidationError(f"At most {EMAILS_AT_MOST} addresses, please.")
        for address in addresses:
            try:
                validate_email(address)
            except ValidationError:
                raise ValidationError(f"{address} is not an e-mail address.") from None
        return addresses

    def clean_webhook_url(self) -> str:
        given = self.cleaned_data["webhook_url"].strip()
        url = canonical_url(given) if given else ""
        if url is None:
            raise ValidationError("Give an address with http:// or https://.")
        return url

    @property
    def rules_off(self) -> list[str]:
        return [key.value for key in RULES if key.value not in self.cleaned_data["rules"]]


class MuteForm(forms.Form):
    hours = forms.ChoiceField(choices=MUTES)


class EnoughForm(forms.Form):
    """Empty means: go on to the end."""

    recall = forms.IntegerField(required=False, min_value=10, max_value=99)

    @property
    def share(self) -> float | None:
        recall: Any = self.cleaned_data["recall"]
        return None if recall is None else recall / 100
