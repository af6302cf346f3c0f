"""What every response carries, and the one log line of every request."""

import time
import uuid
from collections.abc import Callable
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

import structlog
from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

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


class SignInWallMiddleware(LoginRequiredMiddleware):
    """Leads to the sign-in page, and from there to an address that can be opened."""

    def handle_no_permission(  # type: ignore[override]  # not always a redirect
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        if request.headers.get("HX-Request"):
            # A redirect would put the sign-in page into the middle of the page.
            current = urlsplit(request.headers.get("HX-Current-URL", ""))
            return HttpResponse(headers={"HX-Redirect": self._sign_in(request, current)})
        if request.method not in {"GET", "HEAD"}:
            referrer = urlsplit(request.headers.get("Referer", ""))
            return HttpResponseRedirect(self._sign_in(request, referrer))
        return super().handle_no_permission(request, view_func)

    def _sign_in(self, request: HttpRequest, page: SplitResult) -> str:
        sign_in = reverse(settings.LOGIN_URL)
        if page.netloc != request.get_host():
            return sign_in
        wanted = urlunsplit(("", "", page.path, page.query, ""))
        return f"{sign_in}?{urlencode({'next': wanted})}"


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
