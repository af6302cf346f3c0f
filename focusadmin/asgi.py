"""The ASGI application that Daphne serves."""

import os
from typing import Any
from urllib.parse import urlsplit

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http.request import split_domain_port, validate_host

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")

http = get_asgi_application()

from crawler.routing import websocket_urlpatterns  # noqa: E402 - needs the apps to be loaded

PORTS = {"http": 80, "https": 443}


def is_our_origin(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether the page that opens a socket is one of ours, as Django asks of a POST.

    Same host and port as the request's `Host`, which must be one that we serve, or one of
    `CSRF_TRUSTED_ORIGINS`. Another port of this machine is another site. Over HTTPS the proxy ends
    TLS, so the scheme is told by the setting and not by the connection.
    """
    origins = [value.decode("latin1") for name, value in headers if name == b"origin"]
    hosts = [value.decode("latin1") for name, value in headers if name == b"host"]
    if len(origins) != 1 or len(hosts) != 1:
        return False
    if origins[0] in settings.CSRF_TRUSTED_ORIGINS:
        return True
    scheme, _, place = origins[0].partition("://")
    if scheme not in (["https"] if settings.SESSION_COOKIE_SECURE else PORTS):
        return False
    domain, _ = split_domain_port(hosts[0])
    is_served = bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)
    return is_served and _place(scheme, place) == _place(scheme, hosts[0])


def _place(scheme: str, host: str) -> tuple[str | None, int | None]:
    """Host and port; nonsense is a place that no other is equal to."""
    try:
        parts = urlsplit(f"//{host}")
        if parts.netloc != host or "@" in host:
            raise ValueError("more than a host and a port")
        return parts.hostname, parts.port or PORTS[scheme]
    except ValueError:
        return f"nonsense: {host}", None


class OwnPagesOnly:
    """Cookies come along from anywhere, so sockets of other sites' pages are refused."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        allowed = is_our_origin(scope["headers"])
        application = self.application if allowed else WebsocketDenier.as_asgi()
        return await application(scope, receive, send)


application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": OwnPagesOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
