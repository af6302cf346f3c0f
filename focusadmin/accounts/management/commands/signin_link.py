"""Print a fresh one-time sign-in link."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from focusadmin.accounts.models import User
from focusadmin.accounts.services import first_user_ensure, sign_in_link_create

DEFAULT_BASE = "http://127.0.0.1:8000"


class Command(BaseCommand):
    help = "Print a fresh one-time sign-in link; earlier unused links of that user stop working."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="user name; without it, the person who installed this")
        parser.add_argument(
            "--base", help="address of the dashboard; without it, where it was started last"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self._user(options["user"])
        link = sign_in_address(options["base"] or _base(), sign_in_link_create(user=user))
        if options["json"]:
            self.stdout.write(json.dumps({"user": user.username, "link": link}))
        else:
            self.stdout.write(link)

    def _user(self, username: str | None) -> User:
        if username is None:
            return first_user_ensure()
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user called {username}.")
        return user


def _base() -> str:
    """The address that `run` leaves in the data folder."""
    left = settings.DATA_DIR / "run.lock"
    return (left.read_text(encoding="utf-8").strip() if left.exists() else "") or DEFAULT_BASE


def sign_in_address(base: str, token: str) -> str:
    return f"{base.rstrip('/')}{reverse('accounts:signin-link')}?token={token}"
