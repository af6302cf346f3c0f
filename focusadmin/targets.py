"""Which hosts beyond the public Web may be visited: the operator's list, and our own demo web."""

import os
from pathlib import Path

from django.conf import settings

DEMO_DOMAIN = "localhost"


def demo_port_file() -> Path:
    """Where a running demo web says at which port it listens."""
    return Path(settings.DATA_DIR) / "demoweb.port"


def demo_port() -> int | None:
    """The port of the demo web, while it runs: the file also names the process."""
    try:
        port, pid = map(int, demo_port_file().read_text(encoding="ascii").split())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return port


def allowed_targets() -> frozenset[str]:
    """Entries for the address policy."""
    port = demo_port()
    demo = [] if port is None else [f"*.{DEMO_DOMAIN}:{port}"]
    return frozenset([*settings.CRAWLER_ALLOWED_HOSTS, *demo])
