"""The name under which a process holds a crawl."""

import os
import socket
import uuid


def owner_prefix(pid: int) -> str:
    """What the names of a process of this machine begin with."""
    return f"{socket.gethostname()[:20]}:{pid}:"


def new_owner() -> str:
    return owner_prefix(os.getpid()) + uuid.uuid4().hex[:8]
