"""Export the pages, the best or the links of a crawl."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.core.exports.formats import FORMATS, Format
from crawler.models import Crawl
from crawler.selectors.crawls import crawl_named
from crawler.selectors.page_filter import PageFilter
from crawler.services.exports import export_to_file, export_write, wanted_by
from focusadmin.commands import progress_bar
from focusadmin.lib.errors import FocusAdminError

STANDARD_OUTPUT = Path("-")


class Command(BaseCommand):
    help = "Export a crawl as a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("crawl", help="id or slug")
        parser.add_argument("--format", required=True, choices=list(FORMATS))
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            type=Path,
            metavar="FILE",
            help="- is standard output; what is told goes to standard error then",
        )
        parser.add_argument(
            "--filter",
            default="",
            metavar="QUERY",
            help='pages like these only, as in the address of the list: "topic=/Arts&least=0.5"',
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        crawl = crawl_named(options["crawl"])
        if crawl is None:
            raise CommandError(f"There is no crawl {options['crawl']}. See: manage.py crawl list")
        path: Path = options["output"]
        if path != STANDARD_OUTPUT and (path.is_dir() or not path.parent.is_dir()):
            raise CommandError(f"{path} is no place for a file.")
        try:
            wanted = wanted_by(crawl, options["filter"])
            with progress_bar() as tell:
                rows = _written(
                    crawl,
                    FORMATS[options["format"]],
                    wanted,
                    path,
                    lambda rows: tell("pages", rows, crawl.seq),
                )
        except FocusAdminError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from error
        result = {"rows": rows, "file": str(path)}
        told = json.dumps(result) if options["json"] else f"{rows:,} pages in {path}"
        # The file itself has standard output, if it is there.
        (self.stderr if path == STANDARD_OUTPUT else self.stdout).write(told)


def _written(
    crawl: Crawl, kind: Format, wanted: PageFilter, path: Path, note: Callable[[int], None]
) -> int:
    if path != STANDARD_OUTPUT:
        return export_to_file(crawl, kind, wanted, path, note)
    rows = export_write(crawl, kind, wanted, sys.stdout.buffer, note)
    sys.stdout.buffer.flush()
    return rows
