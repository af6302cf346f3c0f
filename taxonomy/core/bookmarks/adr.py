"""Opera's hotlist (.adr), used up to version 12."""

from collections.abc import Iterator

from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.types import FolderPath

TRASH = "in the trash"
LINE_BREAK = "\x02\x02"  # how Opera writes a line break within a value
Section = tuple[str, dict[str, str]]


def read_adr(data: bytes, collector: Collector) -> str:
    """Sections start with #FOLDER or #URL; a line with a single dash ends a folder."""
    open_folders: list[tuple[FolderPath, bool]] = [((), False)]
    for kind, fields in _sections(data):
        collector.count_part()
        folder, in_trash = open_folders[-1]
        if kind == "#FOLDER":
            in_trash = in_trash or fields.get("TRASH FOLDER") == "YES"
            path = folder if in_trash else collector.folder(folder, fields.get("NAME", ""))
            open_folders.append((path, in_trash))
        elif kind == "-" and len(open_folders) > 1:
            open_folders.pop()
        elif kind == "#URL" and in_trash:
            collector.skip(TRASH)
        elif kind == "#URL":
            _add(fields, folder, collector)
    return "Opera ADR"


def _sections(data: bytes) -> Iterator[Section]:
    kind, fields = "", dict[str, str]()
    for raw in data.splitlines():
        line = raw[:20_000].decode("utf-8", "replace").strip()
        if line == "-" or line.startswith("#"):
            yield kind, fields
            kind, fields = line.upper(), {}
        elif "=" in line:
            name, _, value = line.partition("=")
            fields.setdefault(name.upper(), value)
    yield kind, fields


def _add(fields: dict[str, str], folder: FolderPath, collector: Collector) -> None:
    collector.add(
        fields.get("URL", ""),
        fields.get("NAME", ""),
        folder,
        description=fields.get("DESCRIPTION", "").replace(LINE_BREAK, "\n"),
        added=fields.get("CREATED"),
    )
