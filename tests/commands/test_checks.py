"""System checks and the settings of both modes, read by a fresh process as a person starts one."""

import re

import pytest

from focusadmin.checks import is_loopback
from tests.product import manage

DISTRIBUTED = {
    "FOCUSADMIN_MODE": "distributed",
    "FOCUSADMIN_DB_URL": "postgresql://focus:secret@db.example.org:5432/focus",
    "FOCUSADMIN_BROKER_URL": "redis://:secret@redis.example.org:6379/0",
    "FOCUSADMIN_ALLOWED_HOSTS": "focus.example.org",
}


def test_the_embedded_defaults_pass(tmp_path):
    done = manage(tmp_path, "check")
    assert (done.returncode, done.stdout) == (
        0,
        "System check identified no issues (0 silenced).\n",
    )


def test_the_distributed_settings_pass_the_deployment_checks(tmp_path):
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **DISTRIBUTED)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("identifier", "environment"),
    [
        ("FA.E001", {"FOCUSADMIN_SECRET_KEY": "short"}),
        ("FA.E003", {"FOCUSADMIN_ALLOWED_HOSTS": "*"}),
        ("FA.E004", {"FOCUSADMIN_BIND": "192.168.1.4"}),
        ("FA.E005", {**DISTRIBUTED, "FOCUSADMIN_DB_URL": ""}),
        ("FA.E006", {**DISTRIBUTED, "FOCUSADMIN_BROKER_URL": ""}),
        ("FA.E007", {**DISTRIBUTED, "FOCUSADMIN_ALLOWED_HOSTS": ""}),
    ],
)
def test_a_wrong_configuration_is_named_with_a_hint(tmp_path, identifier, environment):
    done = manage(tmp_path, "check", **environment)
    assert done.returncode == 1
    assert re.findall(r"FA\.E\d+", done.stderr) == [identifier]
    assert "HINT: " in done.stderr


@pytest.mark.parametrize(
    "url", ["mysql://host/base", "postgresql://host", "postgresql://host:port/base", "nonsense"]
)
def test_an_odd_database_address_is_refused_in_one_line(tmp_path, url):
    done = manage(tmp_path, "check", FOCUSADMIN_DB_URL=url)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "FOCUSADMIN_DB_URL" in done.stderr


def test_the_password_of_an_odd_database_address_is_not_shown(tmp_path):
    done = manage(tmp_path, "check", FOCUSADMIN_DB_URL="mysql://focus:hidden@host/base")
    assert "hidden" not in done.stderr


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("localhost.example.org", False),
    ],
)
def test_loopback_addresses_are_known(host, expected):
    assert is_loopback(host) is expected
