"""Start, watch and steer crawls on the command line."""

import time
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from crawler.core.config import CrawlConfig
from crawler.core.frontier import registry
from crawler.models import Crawl
from crawler.runners.watch import run_engine
from crawler.selectors.crawls import crawl_figures, crawl_named, crawls_unheld
from crawler.selectors.system import Health, system_status
from crawler.services.crawls import (
    crawl_discard,
    crawl_pause,
    crawl_resume,
    crawl_start,
    crawl_stop,
)
from focusadmin.accounts.services import first_user_ensure
from focusadmin.commands import ActionCommand
from focusadmin.lib.errors import FocusAdminError
from taxonomy.selectors.focuses import focus_named

POLL_SECONDS = 0.3
WORKER_PATIENCE_SECONDS = 8.0


class Command(ActionCommand):
    help = "Start, list, pause, resume, stop and discard crawls."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        self._add_start(actions)
        self.add_action(actions, "list", self.list, help="all crawls", show=_shown_list)
        for name, help_ in (
            ("status", "how a crawl fares"),
            ("pause", "bring home what is in flight, then wait"),
            ("resume", "go on"),
            ("stop", "end it and keep everything"),
            ("discard", "remove a crawl and all it brought home"),
        ):
            action = self.add_action(actions, name, getattr(self, name), help=help_, show=_shown)
            action.add_argument("crawl", help="id or slug")

    def _add_start(self, actions: Any) -> None:
        start = self.add_action(
            actions, "start", self.start, help="start a crawl for a focus", show=_shown
        )
        start.add_argument("--focus", required=True, help="id or slug")
        start.add_argument("--strategy", default=registry.DEFAULT, choices=registry.KEYS)
        start.add_argument("--max-pages", type=int, default=1_000, help="1,000 unless you say so")
        start.add_argument("--max-seconds", type=float, default=None)
        start.add_argument("--max-bytes", type=int, default=None)
        start.add_argument("--concurrency", type=int, default=None)
        start.add_argument("--delay", type=float, default=None, help="seconds between requests")
        start.add_argument(
            "--keep-bodies", action="store_true", help="store pages as fetched too, for WARC"
        )
        start.add_argument("--seed", type=int, default=0)
        start.add_argument("--name", default="")
        start.add_argument("--wait", action="store_true", help="until it is finished")

    def start(self, *, focus: str, wait: bool, name: str, **options: Any) -> dict[str, Any]:
        chosen = focus_named(focus)
        if chosen is None:
            raise CommandError(f"There is no focus {focus}. Make one: manage.py focus create")
        try:
            config = _config(options)
            crawl = crawl_start(focus=chosen, by=first_user_ensure(), config=config, name=name)
        except FocusAdminError as error:
            raise CommandError(str(error)) from None
        if wait:
            wait_for(crawl, options["max_pages"])
            crawl.refresh_from_db()
        result = asdict(crawl_figures(crawl))
        if wait and crawl.state == Crawl.State.FAILED:
            raise CommandError(f"The crawl failed: {crawl.reason}")
        return result

    def list(self, **_: Any) -> dict[str, Any]:
        return {"crawls": [asdict(crawl_figures(crawl)) for crawl in Crawl.objects.all()]}

    def status(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return asdict(crawl_figures(_crawl(crawl)))

    def pause(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return self._did(crawl, crawl_pause)

    def resume(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return self._did(crawl, crawl_resume)

    def stop(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return self._did(crawl, crawl_stop)

    def discard(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        gone = _crawl(crawl)
        figures = asdict(crawl_figures(gone)) | {"state": "discarded"}
        try:
            crawl_discard(crawl=gone)
        except FocusAdminError as error:
            raise CommandError(str(error)) from None
        return figures

    def _did(self, name: str, service: Any) -> dict[str, Any]:
        try:
            return asdict(crawl_figures(service(crawl=_crawl(name))))
        except FocusAdminError as error:
            raise CommandError(str(error)) from None


def _config(options: dict[str, Any]) -> CrawlConfig:
    given = {name: options[name] for name in ("strategy", "seed", "keep_bodies")}
    budget = {
        name: options[name]
        for name in ("max_pages", "max_seconds", "max_bytes")
        if options[name] is not None
    }
    named = {"concurrency": options["concurrency"], "delay_seconds": options["delay"]}
    known = CrawlConfig().to_json()
    return CrawlConfig.from_json(
        {
            **known,
            **given,
            **{name: value for name, value in named.items() if value is not None},
            "budget": {**known["budget"], **budget},
        }
    )


def wait_for(crawl: Crawl, max_pages: int | None) -> None:
    """Until the crawl ends. When no worker takes it up, this process does what one would do."""
    began = time.monotonic()
    with progress() as bar:
        task = bar.add_task("", total=max_pages)
        while True:
            crawl.refresh_from_db()
            bar.update(task, completed=crawl.fetched, description=_line(crawl))
            if not crawl.is_active:
                return
            is_alone = system_status().worker_health is not Health.OK
            is_late = time.monotonic() - began > WORKER_PATIENCE_SECONDS
            if (is_alone or is_late) and any(each.pk == crawl.pk for each in crawls_unheld()):
                _run_here(crawl, bar, task)
            time.sleep(POLL_SECONDS)


def _run_here(crawl: Crawl, bar: Progress, task: Any) -> None:
    import threading

    engine = threading.Thread(target=run_engine, args=(crawl.pk,), daemon=True)
    engine.start()
    while engine.is_alive():
        engine.join(POLL_SECONDS)
        crawl.refresh_from_db()
        bar.update(task, completed=crawl.fetched, description=_line(crawl))


def progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} pages"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _line(crawl: Crawl) -> str:
    return f"{crawl.get_state_display()}  mean relevance {crawl.mean_relevance:.2f}"


def _crawl(name: str) -> Crawl:
    crawl = crawl_named(name)
    if crawl is None:
        raise CommandError(f"There is no crawl {name}. See: manage.py crawl list")
    return crawl


def _shown(figures: dict[str, Any]) -> str:
    reason = f" ({figures['reason']})" if figures["reason"] else ""
    return (
        f"{figures['crawl']}: {figures['state']}{reason}, {figures['fetched']} fetched, "
        f"{figures['failed']} failed, {figures['frontier']} in the frontier, "
        f"mean relevance {figures['mean_relevance']:.3f}"
    )


def _shown_list(listed: dict[str, Any]) -> str:
    return "\n".join(map(_shown, listed["crawls"])) or "No crawls yet."
