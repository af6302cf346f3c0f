"""Find the hubs, authorities and sites of a crawl."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.models import RankedPage
from crawler.selectors.crawls import crawl_named
from crawler.selectors.hubs import Ranked, ranked_pages, sites_top
from crawler.services.distillation import TOP as KEPT
from crawler.services.distillation import crawl_distil
from focusadmin.lib.errors import FocusAdminError

TOP = 20


class Command(BaseCommand):
    help = "Distil a crawl: its best hubs, authorities and sites."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("crawl", help="id or slug")
        parser.add_argument("--top", type=int, default=TOP, help=f"how many; {TOP} if not said")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        crawl = crawl_named(options["crawl"])
        if crawl is None:
            raise CommandError(f"There is no crawl {options['crawl']}. See: manage.py crawl list")
        if options["top"] < 1:
            raise CommandError("--top must be at least 1.", returncode=2)
        try:
            distillation = crawl_distil(crawl=crawl, top=max(KEPT, options["top"]))
        except FocusAdminError as error:
            raise CommandError(str(error)) from None
        top = options["top"]
        found = {
            "hubs": _rows(ranked_pages(distillation, RankedPage.Kind.HUB, top)),
            "authorities": _rows(ranked_pages(distillation, RankedPage.Kind.AUTHORITY, top)),
            "sites": [
                {"site": site.site, "relevant": site.relevant, "pages": site.pages}
                for site in sites_top(crawl, top)
            ],
        }
        self.stdout.write(json.dumps(found) if options["json"] else _shown(found))


def _rows(ranked: list[Ranked]) -> list[dict[str, Any]]:
    return [
        {
            "url": one.page.url,
            "title": one.page.title,
            "score": round(one.place.score, 6),
            "relevance": round(one.page.relevance or 0.0, 4),
            "good_links": one.place.good_links,
            "links": one.place.all_links,
        }
        for one in ranked
    ]


def _shown(found: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for kind in ("hubs", "authorities"):
        lines.append(kind.capitalize())
        lines += [f"  {row['score']:.4f}  {row['url']}" for row in found[kind]]
    lines.append("Sites")
    lines += [
        f"  {row['relevant']:>5} of {row['pages']:<5} {row['site']}" for row in found["sites"]
    ]
    return "\n".join(lines)
