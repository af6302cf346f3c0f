"""Start the whole product on this machine and keep it running until Ctrl-C."""

import fcntl
import http.client
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from focusadmin.accounts.management.commands.signin_link import sign_in_address
from focusadmin.accounts.services import first_user_ensure, sign_in_link_create
from focusadmin.lib.secrets import ensure_data_dir
from focusadmin.lib.supervisor import ChildSpec, Supervisor
from focusadmin.static_build import collect_static_if_changed
from focusadmin.targets import demo_port_file
from taxonomy.services.shipped import shipped_taxonomy_ensure
from taxonomy.services.training import shipped_model_ensure

PATIENCE_SECONDS = 30.0


class Command(BaseCommand):
    help = "Start web, worker and scheduler, print a one-time sign-in link, run until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-demo", action="store_true", help="without the demo web")

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"]
        host = settings.BIND_HOST
        ensure_data_dir(settings.DATA_DIR)
        with only_instance(settings.DATA_DIR / "run.lock", f"http://{host}:{port}/"):
            require_free_port(host, port)
            prepare()
            specs = children(host, port)
            if not options["no_demo"]:
                specs.append(demo_web(port))
            supervisor = Supervisor(specs, report=self._report)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, lambda *_: supervisor.stop())
            supervisor.start()
            Thread(target=self._welcome_when_ready, args=(host, port), daemon=True).start()
            supervisor.watch()
            self.stdout.write("Stopped.")

    def _welcome_when_ready(self, host: str, port: int) -> None:
        """However long it takes: on a slow machine the link comes late, but it comes."""
        if not is_ready_within(PATIENCE_SECONDS, host, port):
            log = settings.DATA_DIR / "logs" / "web.log"
            self._report(f"The dashboard does not answer yet. If that lasts, look into {log}")
            while not is_ready_within(PATIENCE_SECONDS, host, port):
                pass
        self._welcome(host, port)

    def _welcome(self, host: str, port: int) -> None:
        base = f"http://{host}:{port}"
        link = sign_in_address(base, sign_in_link_create(user=first_user_ensure()))
        self.stdout.write(
            f"\nFocusAdmin is running at {base}/\n\n"
            f"  Sign in (works once): {link}\n\n"
            f"  Data: {settings.DATA_DIR}\n"
            f"  Stop: Ctrl-C\n"
        )
        self.stdout.flush()

    def _report(self, line: str) -> None:
        self.stderr.write(line)


def prepare() -> None:
    """Bring the data folder up to date: schema, first user, shipped topics, static files."""
    call_command("migrate", interactive=False, verbosity=0)
    team = first_user_ensure().memberships.select_related("team").earliest("pk").team
    shipped_taxonomy_ensure(team=team)
    shipped_model_ensure()
    collect_static_if_changed()


def children(host: str, port: int) -> list[ChildSpec]:
    logs = settings.DATA_DIR / "logs"
    celery = [sys.executable, "-m", "celery", "--app", "focusadmin.celery", "--quiet"]
    web = f"-m daphne --verbosity 0 --http-timeout 60 --bind {host} --port {port}".split()
    worker = "worker --hostname jobs@%h --concurrency 2 --loglevel WARNING"
    # Each thread only waits for the engine that it started.
    threads = "--pool threads --concurrency 8"
    crawls = f"worker --hostname crawls@%h --queues crawls {threads} --loglevel WARNING"
    alone = "--without-gossip --without-mingle --without-heartbeat"  # one worker has no peers
    beat = ["beat", "--loglevel", "WARNING", "--pidfile", ""]
    schedule = ["--schedule", str(settings.DATA_DIR / "beat-schedule")]
    return [
        ChildSpec("web", [sys.executable, *web, "focusadmin.asgi:application"], logs / "web.log"),
        ChildSpec("worker", [*celery, *worker.split(), *alone.split()], logs / "worker.log"),
        ChildSpec("crawls", [*celery, *crawls.split(), *alone.split()], logs / "crawls.log"),
        ChildSpec("beat", [*celery, *beat, *schedule], logs / "beat.log"),
    ]


def demo_web(port: int) -> ChildSpec:
    """Our own small web, at the next port if that is free: then addresses stay the same."""
    demo_port = port + 1 if is_free("127.0.0.1", port + 1) else 0
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "demoweb"]
    options = ["--port", str(demo_port), "--port-file", str(demo_port_file())]
    return ChildSpec("demoweb", [*command, *options], settings.DATA_DIR / "logs" / "demoweb.log")


def is_free(host: str, port: int) -> bool:
    try:
        require_free_port(host, port)
    except CommandError:
        return False
    return True


def require_free_port(host: str, port: int) -> None:
    if not 1 <= port <= 65535:
        raise CommandError(
            f"Port {port} does not exist. Choose one from 1 to 65535: make run PORT=8000"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise CommandError(
            f"Port {port} can't be used ({error.strerror}). Another: make run PORT={port + 1}"
        ) from error


@contextmanager
def only_instance(path: Path, address: str) -> Iterator[None]:
    """Two supervisors on one data folder would run every worker twice."""
    with path.open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CommandError(
                f"FocusAdmin is running already at {lock.read().strip()} with this data folder. "
                "For a second one: make run DATA_DIR=/another/folder PORT=another"
            ) from None
        lock.truncate(0)
        lock.write(address)
        lock.flush()
        yield


def is_ready_within(seconds: float, host: str, port: int) -> bool:
    """Whether the web process answers before the time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection(host, port, timeout=10)
        try:
            connection.request("GET", "/readyz", headers={"Host": "localhost"})
            if connection.getresponse().status == http.HTTPStatus.OK:
                return True
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    return False
