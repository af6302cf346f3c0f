"""Nothing but the guarded fetcher opens a connection or knows how to."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product import ROOT

_CLIENTS = (
    "httpx httpcore aiohttp requests urllib3 urllib.request http.client ftplib smtplib poplib "
    "imaplib telnetlib nntplib xmlrpc.client pycurl websockets websocket httpx_aiohttp tldextract"
)
_DIALS = (
    "socket create_connection socketpair fromfd create_server open_connection open_unix_connection "
    "getaddrinfo gethostbyname gethostbyname_ex getnameinfo"
)
CLIENTS, DIALS = frozenset(_CLIENTS.split()), frozenset(_DIALS.split())
METHODS = frozenset({"create_connection", "sock_connect", "create_datagram_endpoint"})
# Where a door may be, and why.
ALLOWED = {
    "focusadmin/lib/transport.py": "the guarded transport itself",
    "focusadmin/lib/resolver.py": "looks names up for the transport, dials nothing",
    "focusadmin/lib/http.py": "speaks httpx to the transport",
    "focusadmin/lib/body.py": "reads an httpx response",
    "focusadmin/lib/stops.py": "names the clients' errors",
    "focusadmin/management/commands/run.py": "is the port free, and does our own server answer",
}
MODULES = sorted(
    path
    for package in ("focusadmin", "crawler", "taxonomy")
    for path in (ROOT / package).rglob("*.py")
    if ".venv" not in path.parts
)


def doors(source: str) -> Iterator[str]:
    """What a module imports or calls that could reach the network."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_client(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from imported_doors(node)
        elif isinstance(node, ast.Attribute):
            yield from called_doors(node)


def imported_doors(node: ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        is_dial = node.module in {"socket", "asyncio"} and alias.name in DIALS
        if is_dial or is_client(f"{node.module}.{alias.name}"):
            yield f"{node.module}.{alias.name}"


def called_doors(node: ast.Attribute) -> Iterator[str]:
    of_module = isinstance(node.value, ast.Name) and node.value.id in {"socket", "asyncio"}
    if node.attr in METHODS or (of_module and node.attr in DIALS):
        yield node.attr


def is_client(name: str) -> bool:
    return any(name == client or name.startswith(f"{client}.") for client in CLIENTS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_reaches_the_network_only_through_the_guarded_fetcher(path: Path):
    found = sorted(set(doors(path.read_text(encoding="utf-8"))))
    assert not found or str(path.relative_to(ROOT)) in ALLOWED


@pytest.mark.parametrize(
    "source",
    [
        "import httpx",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import http.client",
        "import socket\nsocket.socket()",
        "from socket import create_connection",
        "import asyncio\nasyncio.open_connection('h', 1)",
        "def f():\n    import requests.sessions",
        "loop.create_connection(p)",
        "from aiohttp import ClientSession as Harmless",
    ],
)
def test_the_search_finds_a_door(source: str):
    assert list(doors(source))


@pytest.mark.parametrize(
    "source", ["import socket\nsocket.gethostname()", "from http import HTTPStatus"]
)
def test_the_search_leaves_harmless_modules_alone(source: str):
    assert list(doors(source)) == []


def test_every_exception_is_still_needed():
    unused = [
        path for path in ALLOWED if not list(doors((ROOT / path).read_text(encoding="utf-8")))
    ]
    assert unused == []
