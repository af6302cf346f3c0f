"""The ASGI application that Daphne serves."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")

http = get_asgi_application()

from crawler.routing import websocket_urlpatterns  # noqa: E402 - needs the apps to be loaded

application = ProtocolTypeRouter(
    {
        "http": http,
        # Cookies come along from anywhere, so the page that opens a socket must be one of ours.
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
        ),
    }
)
