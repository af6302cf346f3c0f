"""Writes a bundle member by member, as a stream. The same content gives the same bytes."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from crawler.core.bundle.layout import DATA, FORMAT, FORMAT_VERSION, MANIFEST

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # no zip can say less
_READABLE = 0o100644 << 16
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the bundle, as the manifest tells it."""

    name: str
    bytes: int
    sha256: str


class _Hashed:
    """Passes bytes on and sums them up."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out, self._digest, self.bytes = out, hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        self.bytes += len(data)
        return self._out.write(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


class BundleWriter:
    """Members in the order in which they are given; `finish` adds the manifest."""

    def __init__(self, out: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(out, "w")
        self.members: list[Member] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """What was begun and not finished is no bundle: it has no manifest."""
        with suppress(OSError) if error else nullcontext():
            self._zip.close()

    def rows(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        with self._member(name) as member:
            for row in rows:
                member.write(_packed(row) + b"\n")

    def lines(self, name: str, lines: Iterable[str]) -> None:
        with self._member(name) as member:
            for line in lines:
                member.write(line.encode("utf-8", "replace") + b"\n")

    def values(self, name: str, values: Mapping[str, Any]) -> None:
        self.text(name, json.dumps(values, ensure_ascii=False, indent=2) + "\n")

    def text(self, name: str, text: str) -> None:
        with self._member(name) as member:
            member.write(text.encode("utf-8", "replace"))

    def file(self, name: str, path: Path) -> None:
        """As it is: what is packed already is not packed again."""
        with path.open("rb") as source, self._member(name, zipfile.ZIP_STORED) as member:
            shutil.copyfileobj(source, member)

    @property
    def checksum(self) -> str:
        return content_checksum(self.members)

    def finish(self, about: Mapping[str, Any]) -> None:
        told = [
            {"name": each.name, "bytes": each.bytes, "sha256": each.sha256} for each in self.members
        ]
        head = {"format": FORMAT, "version": FORMAT_VERSION, "checksum": self.checksum}
        self.values(MANIFEST, {**head, **about, "members": told})

    @contextmanager
    def _member(self, name: str, how: int = zipfile.ZIP_DEFLATED) -> Iterator[_Hashed]:
        info = zipfile.ZipInfo(name, LONG_AGO)
        info.compress_type, info.create_system, info.external_attr = how, _UNIX, _READABLE
        with self._zip.open(info, "w", force_zip64=True) as out:
            hashed = _Hashed(out)
            yield hashed
        self.members.append(Member(name, hashed.bytes, hashed.sha256))


def content_checksum(members: Iterable[Member]) -> str:
    """SHA-256 of the lines that `sha256sum` prints for the data members, in their order."""
    lines = (f"{each.sha256}  {each.name}\n" for each in members if each.name in DATA)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _packed(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")
