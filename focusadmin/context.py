"""What the frame of every page needs: theme, navigation, teams, toasts."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from crawler.selectors.alarms import alarms_ringing
from focusadmin.accounts.core.toasts import Toast, toast_from_message
from focusadmin.accounts.selectors import teams_of


def page_frame(request: HttpRequest) -> dict[str, Any]:
    frame: dict[str, Any] = {"version": settings.VERSION, "toasts": _toasts(request)}
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {**frame, "theme": "auto", "navigation": [], "my_teams": []}
    return {
        **frame,
        "theme": user.theme,
        "navigation": _navigation(request),
        "my_teams": teams_of(user),
        "alarms_ringing": alarms_ringing(user).count(),
    }


def _navigation(request: HttpRequest) -> list[dict[str, Any]]:
    home = reverse("crawler:home")
    items = [
        ("Home", home, "h"),
        ("Crawls", reverse("crawler:crawls"), "c"),
        ("New", reverse("crawler:new"), "n"),
        ("Topics", reverse("taxonomy:index"), "t"),
        ("Classify", reverse("taxonomy:classify"), "y"),
    ]
    return [
        {
            "label": label,
            "url": url,
            "go": letter,
            "is_current": request.path == url or (url != home and request.path.startswith(url)),
        }
        for label, url, letter in items
    ]


def _toasts(request: HttpRequest) -> list[Toast]:
    if not hasattr(request, "_messages"):  # an error before the messages middleware ran
        return []
    from django.contrib import messages

    return [
        toast_from_message(str(message), message.level_tag, message.extra_tags)
        for message in messages.get_messages(request)
    ]
