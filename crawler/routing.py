"""Addresses of websockets."""

from typing import Any

from django.urls import path, re_path

from crawler.consumers import CrawlConsumer, Nowhere

# Django's types know views only; Channels routes by the same patterns.
websocket_urlpatterns: list[Any] = [
    path("ws/crawls/<int:crawl_id>/", CrawlConsumer.as_asgi()),  # type: ignore[arg-type]
    re_path(r"", Nowhere.as_asgi()),  # type: ignore[arg-type]
]
