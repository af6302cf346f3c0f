"""The filters of the list of sites. They come by the address: what can't be read is left out."""

from typing import Any
from urllib.parse import urlencode

from django import forms

from crawler.forms.pages import Chip
from crawler.models import CrawlSite
from crawler.selectors.sites import DENSITY, PAGES, PREDICTED, WAITING, SiteFilter

STATES = (("", "All sites"), *CrawlSite.State.choices)
SORTS = (
    (DENSITY, "Densest first"),
    (PREDICTED, "Highest prediction first"),
    (PAGES, "Most pages first"),
    (WAITING, "Most waiting URLs first"),
)
MOST_PAGES = 10**9
_LABELS = {"q": "Name with {}", "state": "{}", "refused": "Refused by robots.txt"}


class SitesForm(forms.Form):
    q = forms.CharField(
        required=False,
        label="Name",
        max_length=100,
        widget=forms.TextInput(attrs={"class": "input", "type": "search", "data-search": True}),
        help_text="A part of it is enough.",
    )
    state = forms.ChoiceField(
        required=False,
        choices=STATES,
        label="Decision",
        widget=forms.Select(attrs={"class": "input"}),
    )
    sort = forms.ChoiceField(
        required=False,
        choices=SORTS,
        label="Order",
        widget=forms.Select(attrs={"class": "input"}),
    )
    refused = forms.BooleanField(required=False, label="Only sites whose robots.txt refused us")

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.is_valid()

    def value(self, name: str) -> Any:
        """What was given, or None where nothing was or where it can't be."""
        given = self.cleaned_data.get(name)
        return None if given in ("", False) else given

    @property
    def wanted(self) -> SiteFilter:
        return SiteFilter(
            words=(self.value("q") or "").strip(),
            state=self.value("state") or "",
            only_refused=bool(self.value("refused")),
            sort=self.value("sort") or DENSITY,
        )

    def query(self, **changes: Any) -> str:
        """The address's query, without what is not set."""
        values = {name: self.value(name) for name in self.fields} | changes
        return urlencode({n: "1" if v is True else str(v) for n, v in values.items() if v})

    @property
    def chips(self) -> list[Chip]:
        shown = {name: self.value(name) for name in _LABELS}
        if shown["state"]:
            shown["state"] = dict(STATES)[shown["state"]]
        return [
            Chip(_LABELS[name].format(value), self.query(**{name: None}))
            for name, value in shown.items()
            if value
        ]


class CapForm(forms.Form):
    """The most pages of a site."""

    pages = forms.IntegerField(
        min_value=1,
        max_value=MOST_PAGES,
        error_messages={
            "required": "Say how many pages the site may have at most.",
            "invalid": "A cap is a whole number of pages.",
            "min_value": "A cap is at least 1 page; exclude the site to have none.",
            "max_value": "That is no cap any more: take it away instead.",
        },
    )
