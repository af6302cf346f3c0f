"""Hosts of a good and a bad kind, each behaviour a small class."""

import asyncio
import gzip
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.sites.answers import answer, drip, head, squeezed_zeros, twice_squeezed
from tests.sites.web import Visit

HELLO = b"<!doctype html><title>Hello</title><p>Hello, crawler.</p>"


@dataclass
class Pages:
    """An ordinary site: the pages it has, and 404 for the rest."""

    pages: Mapping[str, bytes] = field(default_factory=lambda: {"/": HELLO})
    content_type: str = "text/html; charset=utf-8"

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        body = self.pages.get(visit.target)
        status = 404 if body is None else 200
        writer.write(answer(body or b"nothing here", status=status, content_type=self.content_type))
        return True


@dataclass
class Says:
    """The same answer to everything."""

    body: bytes = HELLO
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(
            answer(
                self.body, status=self.status, content_type=self.content_type, headers=self.headers
            )
        )
        return True


@dataclass
class Gzipped:
    """Honest compression."""

    body: bytes = HELLO

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        headers = [("Content-Encoding", "gzip")]
        writer.write(answer(gzip.compress(self.body), headers=headers))
        return True


@dataclass
class Raw:
    """Bytes as they are, then the end of the connection."""

    data: bytes

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(self.data)
        await writer.drain()
        return False


@dataclass
class Silent:
    """Accepts and says nothing."""

    first: bytes = b""

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(self.first)
        await writer.drain()
        await asyncio.sleep(60)
        return False


@dataclass
class Drips:
    """Goes on for ever, one small piece after another: never silent, never done."""

    first: bytes
    piece: bytes
    pause: float = 0.05

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(self.first)
        await drip(writer, self.piece, pause=self.pause, times=1_000)
        return False


@dataclass
class Endless:
    """As much as the visitor takes, as fast as it goes."""

    first: bytes = head()
    piece: bytes = b"<p>more of the same " * 3_000
    sent_bytes: int = 0

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(self.first)
        while True:
            writer.write(self.piece)
            await writer.drain()
            self.sent_bytes += len(self.piece)


@dataclass
class Resets:
    """Cuts the connection the hard way, after `first`."""

    first: bytes = b""

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        writer.write(self.first)
        await writer.drain()
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False


@dataclass
class HeaderFlood:
    """A hundred thousand headers."""

    count: int = 100_000

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        lines = (f"X-{number}: flood" for number in range(self.count))
        writer.write(head(*lines))
        return False


@dataclass
class Bomb:
    """Little to carry, much to unpack."""

    megabytes: int = 40
    is_double: bool = False

    def __post_init__(self) -> None:
        make = twice_squeezed if self.is_double else squeezed_zeros
        self.body = make(self.megabytes)  # now: it takes longer than a visitor waits

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        encoding = "gzip, gzip" if self.is_double else "gzip"
        writer.write(answer(self.body, headers=[("Content-Encoding", encoding)]))
        return False


@dataclass
class Redirects:
    """Sends visitors on. `{n}` in `location` is replaced by the number of the visit."""

    location: str
    status: int = 302
    count: int = 0

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        self.count += 1
        where = self.location.replace("{n}", str(self.count))
        writer.write(answer(b"moved", status=self.status, headers=[("Location", where)]))
        return True


@dataclass
class Sequence:
    """Another behaviour with each visit; the last one stays."""

    behaviours: list["Says | Redirects | Resets | Silent | Pages"]

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        current = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        return await current.answer(visit, writer)
