"""What to show of a frontier. It comes by the address, so what can't be read is left out."""

from typing import Any
from urllib.parse import urlencode

from django import forms

from crawler.models import FrontierUrl
from crawler.selectors.queue import QueueFilter

WAITING, DEAD = "", "dead"
STATES = ((WAITING, "Waiting"), (DEAD, "Given up"))
LONGEST = 300


class QueueForm(forms.Form):
    q = forms.CharField(
        required=False,
        label="Part of the address",
        max_length=LONGEST,
        widget=forms.TextInput(
            attrs={"class": "input", "type": "search", "data-search": True, "spellcheck": "false"}
        ),
    )
    host = forms.CharField(
        required=False,
        label="Part of the host's name",
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false"}),
    )
    state = forms.ChoiceField(
        required=False,
        choices=STATES,
        label="State",
        widget=forms.Select(attrs={"class": "input"}),
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.is_valid()

    @property
    def given(self) -> dict[str, str]:
        """The filters that are on."""
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def wanted(self) -> QueueFilter:
        given = self.given
        is_dead = given.get("state") == DEAD
        return QueueFilter(
            state=FrontierUrl.State.DEAD if is_dead else FrontierUrl.State.WAITING,
            host=given.get("host", "").lower(),
            words=given.get("q", ""),
        )

    def query(self, **changes: Any) -> str:
        return urlencode({**self.given, **changes})
