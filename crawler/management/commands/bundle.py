"""Check a citable bundle: does it replay to the figures that it tells?"""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from crawler.core.bundle.layout import BundleError
from crawler.core.bundle.verifying import verified
from focusadmin.commands import ActionCommand, progress_bar

WIDEST = 40
_HEAD = ("figure", "recorded", "replayed")


class Command(ActionCommand):
    help = "Check citable bundles. Write one with: manage.py export CRAWL --format bundle -o FILE"

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = self.add_action(
            actions, "verify", self.verify, help="compute its figures again", show=_shown
        )
        verify.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        self.differing = 0
        super().handle(*args, **options)
        if self.differing:
            raise CommandError(f"{self.differing} figures differ from those that it tells.")

    def verify(self, *, file: Path, **_: Any) -> dict[str, Any]:
        try:
            with progress_bar() as tell:
                report = verified(file, tell)
        except BundleError as error:
            raise CommandError(f"{file.name}: {error}") from None
        except OSError as error:
            raise CommandError(f"{file.name} can't be read: {error.strerror}.") from None
        self.differing = len(report.differing)
        return {
            "file": str(file),
            "crawl": report.crawl,
            "format_version": report.version,
            "checksum": report.checksum,
            "agrees": not report.differing,
            "figures": [asdict(figure) for figure in report.figures],
        }


def _shown(result: dict[str, Any]) -> str:
    rows = [(row["name"], row["recorded"], row["replayed"]) for row in result["figures"]]
    wide = [max(len(_cut(row[column])) for row in (_HEAD, *rows)) for column in range(3)]
    lines = [result["crawl"], f"sha256:{result['checksum']}", "", _line("", _HEAD, wide)]
    for figure, row in zip(result["figures"], rows, strict=True):
        lines.append(_line(figure["verdict"], row, wide))
        if figure["note"]:
            lines.append(f"{'':<14}{figure['note']}")
    return "\n".join(lines)


def _line(verdict: str, row: tuple[str, ...], wide: list[int]) -> str:
    cells = [f"{_cut(cell):<{width}}" for cell, width in zip(row, wide, strict=True)]
    return f"{verdict:<14}{'  '.join(cells)}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
