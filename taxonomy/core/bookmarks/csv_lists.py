"""Tables with a header (Pocket, Instapaper, Raindrop and others) and plain lists of addresses."""

import csv
import io
import re
from collections.abc import Iterator

from taxonomy.core.bookmarks.addresses import NOT_WEB, SCHEME
from taxonomy.core.bookmarks.cleaning import split_tags
from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.types import FolderPath

COLUMNS = {
    "url": ("url", "uri", "link", "href", "address", "website"),
    "title": ("title", "name"),
    "folder": ("folder", "collection", "category", "path"),
    "tags": ("tags", "tag", "labels"),
    "description": ("description", "note", "notes", "excerpt", "selection", "comment"),
    "added": ("time_added", "created", "created_at", "added", "add_date", "date", "timestamp"),
}
SIGNS = {
    "Pocket CSV": frozenset({"time_added", "status"}),
    "Instapaper CSV": frozenset({"selection", "folder"}),
    "Raindrop CSV": frozenset({"excerpt", "folder", "created"}),
}
DELIMITERS = ",;\t|"
UNREADABLE_ROW = "unreadable row"
LINE_LENGTH = 10_000
CELL_LENGTH = 100_000
ADDRESS = re.compile(r"""(?:https?://|(?<![\w.-])www\.)[^\s<>"]+""", re.I)
MARKDOWN = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)")
AROUND_TITLE = " \t-\u2013\u2014:|,;=*\u2022<>[]()\"'"


def is_table(data: bytes) -> bool:
    """Whether the first line names a column of addresses."""
    return "url" in _columns(_header(data)[0])


def read_table(data: bytes, collector: Collector) -> str:
    """Reads rows by the names of their columns; rows that cannot be read are counted."""
    header, delimiter = _header(data)
    label = _label(header)
    columns = _columns(header)
    for number, row in enumerate(_rows(data, delimiter)):
        collector.count_part()
        if row is None:
            collector.skip(UNREADABLE_ROW)
        elif number and any(row):
            fields = {name: row[at] for name, at in columns.items() if at < len(row)}
            _add_row(fields, label, collector)
    return label


def is_url_list(data: bytes) -> bool:
    """Whether at least a quarter of the lines holds a web address."""
    lines = [line for _, line in zip(range(1000), _lines(data), strict=False)]
    return bool(lines) and 4 * sum(ADDRESS.search(line) is not None for line in lines) >= len(lines)


def read_url_list(data: bytes, collector: Collector) -> str:
    """One address per line, with or without a title; lines that start with # are comments."""
    for line in _lines(data):
        collector.count_part()
        _add_line(line, collector)
    return "URL list"


def _header(data: bytes) -> tuple[list[str], str]:
    line = data[:LINE_LENGTH].lstrip().partition(b"\n")[0].decode("utf-8", "replace").strip()
    delimiter = max(DELIMITERS, key=line.count)
    return [cell.strip(" \"'").lower() for cell in line.split(delimiter)], delimiter


def _columns(header: list[str]) -> dict[str, int]:
    """Where each field stands; of several names the first of our list counts."""
    return {
        field: header.index(name)
        for field, names in COLUMNS.items()
        if (name := next((name for name in names if name in header), None)) is not None
    }


def _label(header: list[str]) -> str:
    return next((label for label, signs in SIGNS.items() if signs <= set(header)), "CSV")


def _rows(data: bytes, delimiter: str) -> Iterator[list[str] | None]:
    text = io.TextIOWrapper(io.BytesIO(data.lstrip()), "utf-8", "replace", newline="")
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        try:
            row = next(reader)
            # Our own limit: the one of the csv module is shared by the whole process.
            yield row if all(len(cell) <= CELL_LENGTH for cell in row) else None
        except csv.Error:
            yield None
        except StopIteration:
            return


def _add_row(fields: dict[str, str], label: str, collector: Collector) -> None:
    folder: FolderPath = ()
    separator = None if label == "Instapaper CSV" else "/"
    for name in fields.get("folder", "").split(separator or "\n")[:200]:
        folder = collector.folder(folder, name)
    collector.add(
        fields.get("url", ""),
        fields.get("title", ""),
        folder,
        description=fields.get("description", ""),
        tags=split_tags(fields.get("tags", ""), separators="|,"),
        added=fields.get("added"),
    )


def _lines(data: bytes) -> Iterator[str]:
    for raw in io.BytesIO(data):
        for part in raw.split() if len(raw) > LINE_LENGTH else raw.split(b"\r"):
            line = part[:LINE_LENGTH].decode("utf-8", "ignore").strip()
            if line and not line.startswith("#"):
                yield line


def _add_line(line: str, collector: Collector) -> None:
    if link := MARKDOWN.search(line):
        collector.add(link[2], link[1])
        return
    addresses = ADDRESS.findall(line)
    if not addresses:
        collector.add(line) if SCHEME.match(line) else collector.skip(NOT_WEB)
        return
    title = ADDRESS.sub(" ", line).strip(AROUND_TITLE) if len(addresses) == 1 else ""
    for address in addresses:
        address = address.rstrip(",;'")
        collector.add(f"http://{address}" if address[:4].lower() == "www." else address, title)
