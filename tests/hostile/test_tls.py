"""Certificates that do not prove anything, and handshakes that never end."""

import asyncio
import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.limits import PAGE_LIMITS
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from focusadmin.lib.transport import GuardedTransport
from tests.hostile.fetching import IDENTITY
from tests.sites.answers import head
from tests.sites.behaviours import Endless, Pages
from tests.sites.tls import self_signed, server_context
from tests.sites.web import LoopbackWeb

QUICK = replace(PAGE_LIMITS, connect_seconds=0.5, first_byte_seconds=0.5, total_seconds=3.0)


def fetch_over_tls(web: LoopbackWeb, name: str, trusted: Path | None) -> Outcome:
    tls = ssl.create_default_context(cafile=str(trusted)) if trusted else None

    async def run() -> Outcome:
        transport = GuardedTransport(web.policy, web.resolver, tls)
        async with HttpxFetcher(IDENTITY, transport=transport) as fetcher:
            return await fetcher.fetch(f"https://{name}:{web.port}/", limits=QUICK)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("asked", "days", "is_trusted", "is_fine"),
    [
        ("safe.test", 2, True, True),
        ("safe.test", 2, False, False),  # self-signed
        ("safe.test", -2, True, False),  # expired
        ("other.test", 2, True, False),  # another host's
    ],
)
def test_only_a_valid_certificate_is_accepted(
    tmp_path: Path, asked: str, days: int, is_trusted: bool, is_fine: bool
):
    certificate = self_signed(tmp_path, "safe.test", days=days)
    with LoopbackWeb.running(tls=server_context(certificate)) as web:
        web.add(asked, Pages())
        outcome = fetch_over_tls(web, asked, certificate if is_trusted else None)
    if is_fine:
        assert isinstance(outcome, FetchResult), outcome
    else:
        assert isinstance(outcome, FetchFailure)
        assert outcome.reason is Reason.TLS_FAILED
        assert web.visits == []


def test_bytes_are_counted_behind_tls_too(tmp_path: Path):
    certificate = self_signed(tmp_path, "safe.test", days=2)
    with LoopbackWeb.running(tls=server_context(certificate)) as web:
        web.add("safe.test", Endless(head("Transfer-Encoding: chunked") + b"5;", b"x" * 65_536))
        outcome = fetch_over_tls(web, "safe.test", certificate)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is Reason.TOO_LARGE


def test_a_plain_server_behind_https_is_a_failure_of_tls(web: LoopbackWeb):
    web.add("plain.test", Pages())
    outcome = fetch_over_tls(web, "plain.test", None)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason in {Reason.TLS_FAILED, Reason.CONNECT_TIMEOUT, Reason.CONNECT_FAILED}
