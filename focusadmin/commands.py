"""The manners all our commands share: --json, progress on standard error, actions by name."""

import json
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import Progress


class ActionCommand(BaseCommand):
    """`manage.py <command> <action> …`; each action returns what --json prints."""

    def add_action(
        self,
        actions: "_SubParsersAction[Any]",
        name: str,
        run: Callable[..., dict[str, Any]],
        *,
        help: str,
        show: Callable[[dict[str, Any]], str],
    ) -> ArgumentParser:
        parser: ArgumentParser = actions.add_parser(name, help=help)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run, show=show)
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        result = options["run"](**options)
        self.stdout.write(json.dumps(result) if options["json"] else options["show"](result))


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Tells how far a long work is: what is done, how much, of how much. Silent off a terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("")
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )
