"""Opens a bundle that a stranger may have made: bounded, by known names, nothing unpacked blindly.

Members are never written under names of their own, and each is read only up to the length that
manifest and directory agree on. What is not as it should be is refused with its name.
"""

import hashlib
import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from crawler.core.bundle import layout
from crawler.core.bundle.layout import BundleError
from crawler.core.bundle.writing import Member, content_checksum

_PORTION = 1024 * 1024
_TAIL = struct.Struct("<4s4H2LH")  # end of central directory
_TAIL64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_LONGEST_COMMENT = 65_535
Note = Callable[[int, int], None]  # told the bytes that were checked, and of how many


class Bundle:
    """A whole and undamaged bundle: opening it checks every byte of it."""

    def __init__(self, path: Path, note: Note = lambda done, total: None) -> None:
        self.path = path
        self._zip = _opened(path)
        self._handles: list[IO[bytes]] = []
        try:
            self._infos = _directory(path, self._zip)
            self.manifest = self.values(layout.MANIFEST)
            self.members = _told(self.manifest, self._infos)
            self._check_members(note)
            self.checksum = self._checked_checksum()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Rows that nobody reads to the end are closed, too."""
        for handle in self._handles:
            handle.close()
        self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def values(self, name: str) -> dict[str, Any]:
        """A member that is one JSON object."""
        if self._infos[name].file_size > layout.LARGEST_TOLD:
            raise BundleError(f"{name} is larger than any of its kind.")
        with self._open(name) as member:
            return _object(self._read(name, member, layout.LARGEST_TOLD), name)

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """A member that is JSON lines, one by one."""
        with self._open(name) as member:
            number = 0
            while line := self._line(name, member):
                number += 1
                if len(line) > layout.LONGEST_LINE:
                    raise BundleError(f"{name}: line {number:,} is longer than any of ours.")
                yield _object(line, f"{name}, line {number:,}")

    def copy(self, name: str, path: Path) -> None:
        """Under a name of our own."""
        with self._open(name) as member, path.open("wb") as out:
            while data := self._read(name, member, _PORTION):
                out.write(data)

    def _check_members(self, note: Note) -> None:
        total, done = sum(each.bytes for each in self.members), 0
        for each in self.members:
            digest = hashlib.sha256()
            with self._open(each.name) as member:
                while data := self._read(each.name, member, _PORTION):
                    digest.update(data)
                    done += len(data)
                    note(done, total)
            if each.name not in layout.ABOUT and digest.hexdigest() != each.sha256:
                raise BundleError(
                    f"{each.name} is not what was written: its SHA-256 is "
                    f"{digest.hexdigest()[:12]}…, the manifest says {each.sha256[:12]}…."
                )

    def _checked_checksum(self) -> str:
        found = content_checksum(self.members)
        if found != self.manifest.get("checksum"):
            raise BundleError("The manifest's checksum does not fit the members it lists.")
        return found

    def _open(self, name: str) -> IO[bytes]:
        try:
            handle = self._zip.open(self._infos[name])
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
            raise BundleError(f"{name} is damaged: {error}.") from error
        self._handles.append(handle)
        return handle

    def _read(self, name: str, member: IO[bytes], size: int) -> bytes:
        try:
            return member.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BundleError(f"{name} is damaged: {error}.") from error

    def _line(self, name: str, member: IO[bytes]) -> bytes:
        try:
            return member.readline(layout.LONGEST_LINE + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BundleError(f"{name} is damaged: {error}.") from error


def _opened(path: Path) -> zipfile.ZipFile:
    if not path.is_file():
        raise BundleError("There is no such file.")
    if path.stat().st_size > layout.LARGEST_FILE:
        raise BundleError(f"The file is larger than {layout.LARGEST_FILE // 1024**3} GiB.")
    if (size := _directory_bytes(path)) is None:
        raise BundleError("This is no bundle, or its end is missing: it has no zip directory.")
    if size > layout.LARGEST_DIRECTORY:
        raise BundleError("This is no bundle: it lists more files than a bundle has.")
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BundleError(f"The file is damaged, or cut: {error}.") from error


def _directory_bytes(path: Path) -> int | None:
    """How long the list of files claims to be, before anybody reads it into memory."""
    with path.open("rb") as file:
        start = max(0, path.stat().st_size - _TAIL.size - _LONGEST_COMMENT - _LOCATOR64.size)
        file.seek(start)
        tail = file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or len(tail) - at < _TAIL.size:
            return None
        size = int(_TAIL.unpack_from(tail, at)[5])
        if at < _LOCATOR64.size or tail[at - _LOCATOR64.size :][:4] != b"PK\x06\x07":
            return size
        file.seek(min(_LOCATOR64.unpack_from(tail, at - _LOCATOR64.size)[2], start + len(tail)))
        found = file.read(_TAIL64.size)
        return int(_TAIL64.unpack(found)[8]) if len(found) == _TAIL64.size else None


def _directory(path: Path, container: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in container.infolist():
        if info.filename in layout.FOLDERS and not info.file_size:
            continue
        _check_name(info)
        if info.filename in infos:
            raise BundleError(f"{info.filename} is in the file twice.")
        infos[info.filename] = info
    if missing := [name for name in layout.MEMBERS if name not in infos]:
        raise BundleError(f"This is no whole bundle: {', '.join(missing)} is missing.")
    _check_sizes(path, infos)
    return infos


def _check_name(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    if name.startswith(("/", "\\")) or ".." in name or "\\" in name or ":" in name:
        raise BundleError(f"{name!r} leads out of the bundle. It was not written by FocusAdmin.")
    if name not in layout.MEMBERS:
        raise BundleError(f"{name[:100]!r} is no part of a bundle. It was not written by us.")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise BundleError(f"{name} is a link to another file. It was not written by FocusAdmin.")
    if info.flag_bits & 0x1:
        raise BundleError(f"{name} is encrypted. Bundles never are.")


def _check_sizes(path: Path, infos: dict[str, zipfile.ZipInfo]) -> None:
    if sum(info.compress_size for info in infos.values()) > path.stat().st_size:
        raise BundleError("Its parts lie over one another: this is a zip bomb.")
    for info in infos.values():
        may_be = max(layout.SQUEEZED_FREELY, layout.MOST_SQUEEZED * info.compress_size)
        if info.file_size > may_be:
            raise BundleError(
                f"{info.filename} would unpack from {info.compress_size:,} to "
                f"{info.file_size:,} bytes: this is a zip bomb."
            )
    if sum(info.file_size for info in infos.values()) > layout.LARGEST_WHOLE:
        raise BundleError(
            f"Unpacked it would be larger than {layout.LARGEST_WHOLE // 1024**3} GiB."
        )
    if infos[layout.MODEL].file_size > layout.LARGEST_MODEL:
        raise BundleError(f"{layout.MODEL} is larger than any model.")


def _told(manifest: dict[str, Any], infos: dict[str, zipfile.ZipInfo]) -> list[Member]:
    if manifest.get("format") != layout.FORMAT:
        raise BundleError("This is no bundle: its manifest was not written by FocusAdmin.")
    if manifest.get("version") != layout.FORMAT_VERSION:
        raise BundleError(
            f"The bundle has format version {manifest.get('version')}; this FocusAdmin reads "
            f"version {layout.FORMAT_VERSION}."
        )
    try:
        members = [
            Member(str(one["name"]), int(one["bytes"]), str(one["sha256"]))
            for one in manifest["members"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"{layout.MANIFEST} can't be read: {error}.") from error
    if [each.name for each in members] != [*layout.DATA, *layout.ABOUT]:
        raise BundleError(f"{layout.MANIFEST} does not list the members of a bundle.")
    for each in members:
        if each.name not in layout.ABOUT and infos[each.name].file_size != each.bytes:
            raise BundleError(
                f"{each.name} has {infos[each.name].file_size:,} bytes, the manifest says "
                f"{each.bytes:,}."
            )
    return members


def _object(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{where} can't be read: {error}.") from error
    if not isinstance(found, dict):
        raise BundleError(f"{where} is no object.")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")
