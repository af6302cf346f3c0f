"""From names to addresses, without an opinion about them: the transport judges every answer."""

import asyncio
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

LOOKUP_THREADS = 16  # each look-up blocks one; asyncio's own pool has too few on small machines


class Resolver(Protocol):
    """Answers with every address of a name; raises OSError when there is none."""

    async def addresses(self, host: str) -> list[str]: ...


class SystemResolver:
    """The operating system's look-up. Names below localhost are this machine's (RFC 6761)."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LOOKUP_THREADS, thread_name_prefix="lookup")

    async def addresses(self, host: str) -> list[str]:
        if host.rstrip(".").endswith(".localhost"):
            return ["127.0.0.1"]  # an answer like any other: the policy decides whether it opens
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _look_up, host)


def _look_up(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that Python's own name codec does not take
        raise OSError(str(error)) from None
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


@dataclass
class NamedHosts:
    """Names of our own (a demo or a test web), and the system's for the rest."""

    names: Mapping[str, str]
    others: Resolver = field(default_factory=SystemResolver)

    async def addresses(self, host: str) -> list[str]:
        known = self.names.get(host)
        return [known] if known else await self.others.addresses(host)
