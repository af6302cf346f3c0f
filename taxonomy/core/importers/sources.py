"""Opens a file of any size as plain UTF-8 bytes and reads its lines in bounded memory."""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from focusadmin.lib.errors import FocusAdminError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = Path("-")
CHUNK = 256 * 1024
LINE_MAX = 1024 * 1024
TOO_LONG = "longer than 1 MiB"

_GZIP = b"\x1f\x8b"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class ImportFileError(FocusAdminError):
    """The file as a whole cannot be imported; says what would help."""


@contextmanager
def open_source(
    path: Path, on_bytes: Callable[[int], None] | None = None
) -> Iterator[io.BufferedReader]:
    """The file's text as UTF-8 without a byte order mark, unpacked on the way if it is gzip.

    "-" is standard input. `on_bytes` hears how many bytes of the file itself have been read so far,
    which is what a progress bar can compare with the file's size.
    """
    with _opened(path) as file:
        stream = _stream(_counted(file, path.name, on_bytes))
        if stream.peek(2)[:2] == _GZIP:
            stream = _stream(_inflated(stream, path.name))
        yield _as_utf8(stream)


def _opened(path: Path) -> io.FileIO:
    if path == STANDARD_INPUT:
        return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise ImportFileError(f"Cannot open {path.name}: {error.strerror}.") from error


def lines(stream: BinaryIO, limit: int = LINE_MAX) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines with their ends, whichever they are; nothing stands for one over `limit`.

    What is too long is read past without being kept: a file may be one line of any size.
    """
    number, line, too_long = 1, b"", False
    for chunk in _without_split_ends(stream):
        for piece in chunk.splitlines(keepends=True):
            too_long = too_long or len(line) + len(piece) > limit
            line = b"" if too_long else line + piece
            if piece.endswith((b"\n", b"\r")):
                yield number, None if too_long else line
                number, line, too_long = number + 1, b"", False
    if line or too_long:
        yield number, None if too_long else line


def _without_split_ends(stream: BinaryIO) -> Iterator[bytes]:
    """Chunks that never end between a carriage return and its line feed."""
    held = b""
    while chunk := stream.read(CHUNK):
        chunk = held + chunk
        held = b"\r" if chunk.endswith(b"\r") else b""
        yield chunk.removesuffix(held)
    yield held


def _stream(chunks: Iterator[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_ChunkStream(chunks), CHUNK)


def _counted(file: io.FileIO, name: str, on_bytes: Callable[[int], None] | None) -> Iterator[bytes]:
    total = 0
    while chunk := _next_chunk(file, name):
        total += len(chunk)
        if on_bytes:
            on_bytes(total)
        yield chunk


def _next_chunk(file: io.FileIO, name: str) -> bytes | None:
    try:
        return file.read(CHUNK)
    except OSError as error:
        raise ImportFileError(f"Cannot read {name}: {error.strerror}.") from error


def _inflated(stream: io.BufferedReader, name: str) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=stream) as packed:
        while chunk := _next_inflated(packed, name):
            yield chunk


def _next_inflated(packed: gzip.GzipFile, name: str) -> bytes:
    try:
        return packed.read(CHUNK)
    except EOFError as error:
        raise ImportFileError(
            f"{name} ends in the middle of its gzip data. Download or copy it again."
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ImportFileError(
            f"The gzip data of {name} is damaged ({error}). Download or copy it again."
        ) from error


def _as_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    head = stream.peek(3)
    if head.startswith(_UTF16):
        return _stream(_recoded(stream))
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


def _recoded(stream: io.BufferedReader) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while chunk := stream.read(CHUNK):
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


class _ChunkStream(io.RawIOBase):
    """A readable file made of chunks, so that each step above can be a plain generator."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
