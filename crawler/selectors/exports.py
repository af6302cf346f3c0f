"""Reads about the files that were made of crawls."""

from pathlib import Path

from django.conf import settings
from django.shortcuts import get_object_or_404

from crawler.core.exports.formats import FORMATS, Format
from crawler.models import Crawl, Export


def exports_of(crawl: Crawl) -> list[Export]:
    return list(Export.objects.filter(crawl=crawl).select_related("by", "crawl"))


def export_get(*, crawl: Crawl, export_id: int) -> Export:
    return get_object_or_404(Export.objects.select_related("crawl"), crawl=crawl, pk=export_id)


def format_of(export: Export) -> Format:
    return FORMATS[export.format]


def export_path(export: Export) -> Path:
    return Path(settings.DATA_DIR) / "exports" / f"{export.pk}.{format_of(export).extension}"
