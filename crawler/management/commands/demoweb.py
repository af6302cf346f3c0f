"""Serve the demo web: a small made-up Web to try a focused crawl on."""

import asyncio
import json
import os
import signal
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.core.demoweb.server import DemoServer
from crawler.core.demoweb.web import PAGES, SEED, SITES, DemoWeb, DemoWebError

DEFAULT_PORT = 8090
START_TOPIC = "/Recreation/Cycling"


class Command(BaseCommand):
    help = "Serve a made-up Web on this machine, print where a crawl can start, run until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes any free port")
        parser.add_argument("--sites", type=int, default=SITES)
        parser.add_argument("--pages", type=int, default=PAGES, help="at least so many")
        parser.add_argument("--seed", type=int, default=SEED, help="another seed, another web")
        parser.add_argument("--port-file", type=Path, help="holds the port while the web is up")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["port"] <= 65535:
            raise CommandError("A port is a number from 0 to 65535.")
        try:
            web = DemoWeb.build(options["seed"], options["sites"], options["pages"])
            asyncio.run(self._serve(web, **options))
        except DemoWebError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The demo web can't be served: {error.strerror}.") from error
        self.stderr.write("Stopped.")

    async def _serve(self, web: DemoWeb, **options: Any) -> None:
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        async with DemoServer(web, port=options["port"]) as server:
            with port_file(options["port_file"], server.port):
                self._welcome(web, server.port, is_json=options["json"])
                await stopped.wait()

    def _welcome(self, web: DemoWeb, port: int, *, is_json: bool) -> None:
        facts = {
            "port": port,
            "start_urls": web.start_urls(port, START_TOPIC),
            "sites": len(web.sites),
            "pages": len(web.pages),
        }
        self.stdout.write(json.dumps(facts) if is_json else _told(facts))
        self.stdout.flush()


def _told(facts: dict[str, Any]) -> str:
    urls = "\n".join(f"  {url}" for url in facts["start_urls"])
    return (
        f"The demo web is at http://localhost:{facts['port']}/ "
        f"with {facts['sites']} sites and {facts['pages']} pages.\n\n"
        f"Start a crawl for {START_TOPIC} at:\n{urls}\n\nStop: Ctrl-C"
    )


@contextmanager
def port_file(path: Path | None, port: int) -> Iterator[None]:
    """Tell other processes the port and our number, all at once; take it back at the end."""
    if path is None:
        yield
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(f"{port} {os.getpid()}\n", encoding="utf-8")
    draft.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
