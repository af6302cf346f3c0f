"""System checks: a wrong configuration is named before it can do harm."""

import ipaddress
from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from focusadmin.lib.secrets import SECRET_MINIMUM, DataFolderError, ensure_data_dir


def register_all() -> None:
    register(check_configuration, Tags.security)


def check_configuration(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    problems = [*_common()]
    problems += _embedded() if settings.MODE == "embedded" else _distributed()
    return problems


def _common() -> Iterator[CheckMessage]:
    if len(settings.SECRET_KEY) < SECRET_MINIMUM or len(set(settings.SECRET_KEY)) < 5:
        yield Error(
            f"The secret key is shorter than {SECRET_MINIMUM} characters or too simple.",
            hint="Unset FOCUSADMIN_SECRET_KEY: a good one is generated in the data folder.",
            id="FA.E001",
        )
    try:
        ensure_data_dir(settings.DATA_DIR)
    except DataFolderError as error:
        yield Error(str(error), hint="Set FOCUSADMIN_DATA_DIR.", id="FA.E002")
    if "*" in settings.ALLOWED_HOSTS:
        yield Error(
            "ALLOWED_HOSTS must name the hosts that serve the dashboard.",
            hint="Set FOCUSADMIN_ALLOWED_HOSTS, for example to focus.example.org.",
            id="FA.E003",
        )


def _embedded() -> Iterator[CheckMessage]:
    if not is_loopback(settings.BIND_HOST):
        yield Error(
            f"Embedded mode listens on loopback only, not on {settings.BIND_HOST}.",
            hint="Unset FOCUSADMIN_BIND, or set FOCUSADMIN_MODE=distributed behind a proxy.",
            id="FA.E004",
        )


def _distributed() -> Iterator[CheckMessage]:
    if not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        yield Error(
            "Distributed mode needs PostgreSQL.", hint="Set FOCUSADMIN_DB_URL.", id="FA.E005"
        )
    if not settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://", "unix://")):
        yield Error(
            "Distributed mode needs Redis as its broker.",
            hint="Set FOCUSADMIN_BROKER_URL, for example to redis://:password@host:6379/0.",
            id="FA.E006",
        )
    if not settings.ALLOWED_HOSTS:
        yield Error(
            "Distributed mode needs the names of the hosts it serves.",
            hint="Set FOCUSADMIN_ALLOWED_HOSTS.",
            id="FA.E007",
        )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
