"""All addresses of the product (the interface others rely on)."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from focusadmin import health

handler500 = "focusadmin.error_pages.server_error"

urlpatterns = [
    path("", include("crawler.urls")),
    path("", include("taxonomy.urls")),
    path("accounts/", include("focusadmin.accounts.urls")),
    path("design/", TemplateView.as_view(template_name="design.html"), name="design"),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
