"""The product's addresses, and two views that the product does not have."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from focusadmin import urls


@login_not_required
def fails(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret in the message")


def undecorated(request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen")


handler500 = urls.handler500
urlpatterns = [
    path("fails/", fails),
    path("undecorated/", undecorated),
    path("", include("focusadmin.urls")),
]
