"""How behaviours write: whole answers, or pieces of broken ones."""

import asyncio
import gzip
import zlib
from collections.abc import Iterable
from functools import cache


def answer(
    body: bytes = b"",
    *,
    status: int = 200,
    content_type: str = "text/html; charset=utf-8",
    headers: Iterable[tuple[str, str]] = (),
) -> bytes:
    """A correct HTTP/1.1 answer."""
    lines = [f"HTTP/1.1 {status} Something", f"Content-Length: {len(body)}"]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


def head(*lines: str, status: int = 200) -> bytes:
    """Status and headers, with nothing added that a behaviour did not ask for."""
    first = f"HTTP/1.1 {status} Something"
    return "\r\n".join([first, "Content-Type: text/html", *lines, "", ""]).encode()


@cache
def squeezed_zeros(megabytes: int) -> bytes:
    """A gzip body of a thousand to one, made without holding what it inflates to."""
    squeeze = zlib.compressobj(9, wbits=31)
    block = bytes(1024 * 1024)
    pieces = [squeeze.compress(block) for _ in range(megabytes)]
    return b"".join([*pieces, squeeze.flush()])


@cache
def twice_squeezed(megabytes: int) -> bytes:
    return gzip.compress(squeezed_zeros(megabytes))


async def drip(writer: asyncio.StreamWriter, piece: bytes, *, pause: float, times: int) -> None:
    for _ in range(times):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)
