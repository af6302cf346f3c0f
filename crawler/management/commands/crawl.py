"""Start, watch and steer crawls on the command line."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from crawler.core.config import CrawlConfig
from crawler.core.frontier import registry
from crawler.management.waiting import WaitingEndedError, wait_for
from crawler.models import Crawl
from crawler.selectors.crawls import crawl_figures, crawl_named
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

INTERRUPTED = 130  # what shells make of Ctrl-C
FROM_HERE = "on the command line"
_AT_WORK = (Crawl.State.QUEUED, Crawl.State.RUNNING, Crawl.State.RATE_LIMITED)


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
            if name == "resume":
                action.add_argument("--wait", action="store_true", help="until it is finished")

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
        return _waited(crawl) if wait else asdict(crawl_figures(crawl))

    def list(self, **_: Any) -> dict[str, Any]:
        return {"crawls": [asdict(crawl_figures(crawl)) for crawl in Crawl.objects.all()]}

    def status(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return asdict(crawl_figures(_crawl(crawl)))

    def pause(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return self._did(crawl, crawl_pause, reason=FROM_HERE)

    def resume(self, *, crawl: str, wait: bool, **_: Any) -> dict[str, Any]:
        """With --wait also for a crawl that should be at work: somebody may have killed it."""
        resting = _crawl(crawl)
        if not (wait and resting.state in _AT_WORK):
            resumed = self._did(crawl, crawl_resume)
        return _waited(resting) if wait else resumed

    def stop(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        return self._did(crawl, crawl_stop, reason=FROM_HERE)

    def discard(self, *, crawl: str, **_: Any) -> dict[str, Any]:
        gone = _crawl(crawl)
        figures = asdict(crawl_figures(gone)) | {"state": "discarded"}
        try:
            crawl_discard(crawl=gone)
        except FocusAdminError as error:
            raise CommandError(str(error)) from None
        return figures

    def _did(self, name: str, service: Any, **told: str) -> dict[str, Any]:
        try:
            return asdict(crawl_figures(service(crawl=_crawl(name), **told)))
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


def _waited(crawl: Crawl) -> dict[str, Any]:
    try:
        wait_for(crawl)
    except WaitingEndedError as ended:
        raise CommandError(str(ended), returncode=INTERRUPTED) from None
    if crawl.state == Crawl.State.FAILED:
        raise CommandError(f"The crawl failed: {crawl.reason}")
    return asdict(crawl_figures(crawl))


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
