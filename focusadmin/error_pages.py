"""The page for our own faults."""

from django.http import HttpRequest, HttpResponseServerError
from django.template import loader


def server_error(request: HttpRequest) -> HttpResponseServerError:
    """Needs no database and no context processor: either may be what is broken."""
    page = loader.get_template("500.html")
    reference = getattr(request, "reference", "")
    return HttpResponseServerError(page.render({"reference": reference}))
