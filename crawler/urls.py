from django.urls import path

from crawler.views import home

app_name = "crawler"

urlpatterns = [
    path("", home.home, name="home"),
    path("status/", home.status_strip, name="status-strip"),
    path("help/", home.help_page, name="help"),
]
