"""The filters of the list of news. They come by the address, so what can't be read is left out."""

from datetime import UTC, datetime, time
from typing import Any
from urllib.parse import urlencode

from django import forms

from crawler.models import Crawl, NewsItem
from crawler.selectors.news import NewsFilter
from focusadmin.accounts.models import User
from taxonomy.models import Focus

_INPUT = {"class": "input"}
ALL = "all"


class NewsForm(forms.Form):
    focus = forms.ModelChoiceField(
        Focus.objects.none(),
        required=False,
        empty_label="All focuses",
        widget=forms.Select(attrs=_INPUT),
    )
    kind = forms.ChoiceField(
        required=False,
        label="What",
        choices=[("", "Everything"), *NewsItem.Kind.choices],
        widget=forms.Select(attrs=_INPUT),
    )
    show = forms.ChoiceField(
        required=False,
        label="Seen or not",
        choices=[("", "Unseen only"), (ALL, "Seen, too")],
        widget=forms.Select(attrs=_INPUT),
    )
    since = forms.DateField(
        required=False,
        label="Since",
        widget=forms.DateInput(attrs={**_INPUT, "type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, *args: Any, user: User, crawl: Crawl | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.crawl = crawl
        if crawl is not None:
            del self.fields["focus"]
        else:
            choice = self.fields["focus"]
            assert isinstance(choice, forms.ModelChoiceField)  # noqa: S101 - for mypy
            choice.queryset = Focus.objects.visible_to(user).order_by("name")

    @property
    def wanted(self) -> NewsFilter:
        self.is_valid()
        data = self.cleaned_data
        since = data.get("since")
        return NewsFilter(
            crawl=self.crawl,
            focus=data.get("focus"),
            kind=data.get("kind", ""),
            since=datetime.combine(since, time(), UTC) if since else None,
            with_seen=data.get("show") == ALL,
            below=self._below(),
        )

    def _below(self) -> int | None:
        given = self.data.get("below", "")
        return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else None

    @property
    def has_filters(self) -> bool:
        return any(self.data.get(name) for name in self.fields)

    def query(self, **more: Any) -> str:
        """The filters as in the address, with others."""
        known = {name: self.data.get(name, "") for name in self.fields}
        return urlencode({name: value for name, value in {**known, **more}.items() if value})
