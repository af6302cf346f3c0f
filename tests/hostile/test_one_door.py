"""Nothing but the guarded fetcher opens a connection or knows how to."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product import ROOT

_CLIENTS = (
    "httpx httpcore aiohttp requests urllib3 urllib.request http.client ftplib smtplib poplib "
    "imaplib telnetlib nntplib xmlrpc.client pycurl websockets websocket httpx_aiohttp "
    "tldextract _socket multiprocessing.connection django.core.mail"
)
_DIALS = (
    "socket create_connection socketpair fromfd create_server open_connection open_unix_connection "
    "getaddrinfo gethostbyname gethostbyname_ex getnameinfo SocketType"
)
# Of event loops, whatever the loop is called.
_METHODS = (
    "create_connection sock_connect sock_sendto create_datagram_endpoint open_connection "
    "create_unix_connection open_unix_connection getaddrinfo"
)
CLIENTS, METHODS = frozenset(_CLIENTS.split()), frozenset(_METHODS.split())
DIALS = frozenset(f"{module}.{name}" for module in ("socket", "asyncio") for name in _DIALS.split())
IMPORTERS = frozenset({"import_module", "__import__"})
# Where a door may be, and why.
ALLOWED = {
    "focusadmin/lib/transport.py": "the guarded transport itself",
    "focusadmin/lib/resolver.py": "looks names up for the transport, dials nothing",
    "focusadmin/lib/http.py": "speaks httpx to the transport",
    "focusadmin/lib/body.py": "reads an httpx response",
    "focusadmin/lib/stops.py": "names the clients' errors",
    "crawler/services/notices.py": "hands mail to the operator's own server, by Django",
    "crawler/services/digests.py": "hands mail to the operator's own server, by Django",
    "focusadmin/management/commands/run.py": "is the port free, and does our own server answer",
}
NO_PRODUCT = {"tests", "benchmarks"}
MODULES = sorted(
    path
    for package in ROOT.glob("*/__init__.py")
    if package.parent.name not in NO_PRODUCT
    for path in package.parent.rglob("*.py")
)


def doors(source: str) -> Iterator[str]:
    """What a module imports or calls that could reach the network, under whatever name."""
    tree = ast.parse(source)
    names = dict(imported(tree))
    yield from (found for found in names.values() if is_door(found))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found = dotted(node, names)
            if node.attr in METHODS or is_door(found):
                yield found
        elif isinstance(node, ast.Call) and dotted(node.func, names).split(".")[-1] in IMPORTERS:
            named = (part.value for part in node.args if isinstance(part, ast.Constant))
            yield from (str(name) for name in named if is_door(str(name)))


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each imported name with what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """`s.socket` as "socket.socket" after `import socket as s`."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else "?"


def is_door(name: str) -> bool:
    of_client = any(name == client or name.startswith(f"{client}.") for client in CLIENTS)
    return of_client or name in DIALS


def test_the_whole_product_is_searched():
    packages = {path.relative_to(ROOT).parts[0] for path in MODULES}
    assert packages >= {"focusadmin", "crawler", "taxonomy"}


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
        "import socket as harmless\nharmless.socket()",
        "import asyncio as a\na.open_connection('h', 1)",
        "from asyncio import streams\nstreams.open_connection('h', 1)",
        "import urllib\nurllib.request.urlopen('x')",
        "from importlib import import_module\nimport_module('httpx')",
        "__import__('requests')",
        "import _socket",
        "from django.core import mail",
    ],
)
def test_the_search_finds_a_door(source: str):
    assert list(doors(source))


@pytest.mark.parametrize(
    "source",
    [
        "import socket\nsocket.gethostname()",
        "from http import HTTPStatus",
        "loop.create_server(f, host, port)",  # listening reaches nobody
        "text = 'httpx is a client'",
    ],
)
def test_the_search_leaves_harmless_modules_alone(source: str):
    assert list(doors(source)) == []


def test_every_exception_is_still_needed():
    unused = [
        path for path in ALLOWED if not list(doors((ROOT / path).read_text(encoding="utf-8")))
    ]
    assert unused == []
