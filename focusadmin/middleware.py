"""What every response carries, and the one log line of every request."""

import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = structlog.get_logger("focusadmin.request")


class SecurityHeadersMiddleware:
    """Adds the content policy (no inline script or style) and switches browser features off."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
        )
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if not response.headers.get("Cache-Control"):
            # Pages are private; static files come with their own rule.
            response.headers["Cache-Control"] = "private, no-store"
        return response


class RequestLogMiddleware:
    """Logs route, status and time under a request id, which error pages show too.

    The route, not the path: a one-time sign-in token must not end up in a log.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.reference = uuid.uuid4().hex[:12]  # type: ignore[attr-defined]
        structlog.contextvars.bind_contextvars(request_id=request.reference)  # type: ignore[attr-defined]
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            match = request.resolver_match
            log.info(
                "request",
                method=request.method,
                route=match.view_name if match else None,
                status=response.status_code,
                milliseconds=round((time.perf_counter() - started) * 1000, 1),
            )
            response.headers["X-Request-ID"] = request.reference  # type: ignore[attr-defined]
            return response
        finally:
            structlog.contextvars.unbind_contextvars("request_id")
