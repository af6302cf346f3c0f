import json

import pytest
from django.core.management import CommandError, call_command

from focusadmin.accounts.models import User

pytestmark = pytest.mark.django_db


def test_prints_a_link_of_the_first_user_that_works(client, capsys):
    call_command("signin_link")
    link = capsys.readouterr().out.strip()
    assert link.startswith("http://127.0.0.1:8000/accounts/signin/link/?token=")
    client.get(link.removeprefix("http://127.0.0.1:8000"))
    assert client.get("/").context["user"] == User.objects.get(is_superuser=True)


def test_json_names_user_and_link(owner, capsys):
    call_command("signin_link", "--json", "--user", "olga", "--base", "https://focus.example.org/")
    said = json.loads(capsys.readouterr().out)
    assert said["user"] == "olga"
    assert said["link"].startswith("https://focus.example.org/accounts/signin/link/?token=")


def test_an_unknown_user_is_a_clear_error(capsys):
    with pytest.raises(CommandError, match="no active user called nobody"):
        call_command("signin_link", "--user", "nobody")


def test_the_link_leads_to_where_the_dashboard_was_started(tmp_path, settings, capsys):
    settings.DATA_DIR = tmp_path
    (tmp_path / "run.lock").write_text("http://127.0.0.1:8010/")
    call_command("signin_link")
    assert capsys.readouterr().out.startswith("http://127.0.0.1:8010/accounts/signin/link/?token=")
