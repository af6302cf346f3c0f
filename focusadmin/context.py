"""What the frame of every page needs: theme, navigation, teams, toasts."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from focusadmin.accounts.core.toasts import Toast, toast_from_message
from focusadmin.accounts.selectors import teams_of


def page_frame(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    signed_in = user is not None and user.is_authenticated
    return {
        "version": settings.VERSION,
        "theme": user.theme if signed_in else "auto",
        "navigation": _navigation(request) if signed_in else [],
        "my_teams": teams_of(user) if signed_in else [],
        "toasts": _toasts(request),
    }


def _navigation(request: HttpRequest) -> list[dict[str, Any]]:
    items = [("Home", reverse("crawler:home"), "h")]
    return [
        {"label": label, "url": url, "go": letter, "is_current": request.path == url}
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
