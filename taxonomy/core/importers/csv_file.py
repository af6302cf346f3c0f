"""Tables: directories, lists of links, and taxonomies by tiers, by levels or by parents.

Nothing is asked of the user: the delimiter is counted in the header, the columns are known by
their usual names, and the separator inside paths is whatever the first rows use.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO

from taxonomy.core.importers.csv_rows import Row, line_text, rows, split_line
from taxonomy.core.importers.sources import LINE_MAX, ImportFileError, lines
from taxonomy.core.records import Record, Skipped, import_path, make_example, make_topic
from taxonomy.core.tree import DEPTH_MAX

HEADER_LINES = 5
SAMPLE_ROWS = 500
TABLE_ROWS_MAX = 200_000  # a table by parents has to be held as a whole
TABLE_CHARS_MAX = 32 * 1024 * 1024

DELIMITERS = ",;\t|"
ALIASES: Mapping[str, tuple[str, ...]] = {
    "path": ("path", "category path", "folder", "topic", "category"),
    "title": ("title", "name"),
    "url": ("url", "link", "href", "uri", "address"),
    "text": ("text",),
    "description": ("description", "summary", "notes", "excerpt"),
    "id": ("unique id", "id"),
    "parent": ("parent", "parent id"),
    "name": ("name", "title", "label", "category", "topic", "iab category"),
    "level": ("tier", "level"),
}
_WHOLE_PATH = {"path", "category path", "folder"}  # never the mere name of a topic

_TIER = re.compile(r"tier (\d)")
_LEVEL = re.compile(r"(?:tier|level)?\s*(\d{1,2})", re.IGNORECASE)
_SPACING = re.compile(r"[\s_-]+")

NamesOf = Callable[[Row], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Header:
    """Which column holds what."""

    delimiter: str
    names: tuple[str, ...]

    def columns(self, role: str) -> list[int]:
        """The columns that can play the role, the best name first."""
        return [self.names.index(alias) for alias in ALIASES[role] if alias in self.names]

    def tiers(self) -> list[int]:
        """The columns Tier 1, Tier 2 and so on, in that order."""
        found = [(name, i) for i, name in enumerate(self.names) if _TIER.fullmatch(name)]
        return [column for _, column in sorted(found)]

    def has_parents(self) -> bool:
        has_path = bool(_WHOLE_PATH & set(self.names))
        return not has_path and all(map(self.columns, ("id", "parent", "name")))

    def has_levels(self) -> bool:
        return bool(self.columns("level") and self.columns("name"))

    def is_usable(self) -> bool:
        known = self.tiers() or self.columns("path") or self.columns("url")
        return bool(known or self.has_parents() or self.has_levels())

    def may_describe_paths(self) -> bool:
        """Some published extracts keep the path under "description"; their rows will tell."""
        return len(self.names) > 1 and bool(self.columns("description"))


@dataclass(frozen=True, slots=True)
class _Details:
    """The columns of everything but the path."""

    title: list[int]
    url: list[int]
    text: list[int]
    description: list[int]

    @classmethod
    def of(cls, header: Header, *, used: Iterable[int]) -> "_Details":
        """All but the columns already used for the path."""
        taken = set(used)
        roles = ("title", "url", "text", "description")
        return cls(*([c for c in header.columns(role) if c not in taken] for role in roles))

    def records(self, row: Row, path: tuple[str, ...]) -> Iterator[Record]:
        """An example if the row has an address, title or text of its own, else a topic."""
        title, url, text = row.first(self.title), row.first(self.url), row.first(self.text)
        description = row.first(self.description)
        if title or url or text:
            yield make_example(row.line, path, title=title, url=url, text=text or description)
        else:
            yield from make_topic(row.line, path, description=description)


def read_csv(stream: BinaryIO) -> Iterator[Record]:
    """The records of a table, which may have one of several well-known shapes."""
    numbered = lines(stream)
    first = list(islice(numbered, HEADER_LINES))
    found = find_header([line_text(line) for _, line in first])
    if found is None:
        raise _no_columns()
    index, header = found
    table = rows(chain(first[index + 1 :], numbered), header.delimiter, len(header.names))
    if header.has_parents():
        yield from _read_parents(header, table)
    elif header.has_levels():
        yield from _read_levels(header, table)
    else:
        yield from _read_paths(header, table)


def find_header(first_lines: Sequence[str]) -> tuple[int, Header] | None:
    """The first line that names usable columns: published tables may have a title above it."""
    headers = [(index, _header(line)) for index, line in enumerate(first_lines) if line.strip()]
    for accepts in (Header.is_usable, Header.may_describe_paths):
        for index, header in headers:
            if accepts(header):
                return index, header
    return None


def _header(line: str) -> Header:
    delimiter = max(DELIMITERS, key=line.count)
    cells = split_line(line.rstrip("\r\n")[: LINE_MAX // 8], delimiter)
    return Header(delimiter, tuple(_SPACING.sub(" ", cell).strip().casefold() for cell in cells))


def _no_columns() -> ImportFileError:
    names = "; ".join(
        f"{role}: {', '.join(ALIASES[role])}" for role in ("path", "title", "url", "text")
    )
    return ImportFileError(
        f"No usable columns in the first {HEADER_LINES} lines. Name them in a header: {names}, "
        f"{', '.join(ALIASES['description'])}. Also read: tables with Tier 1, Tier 2, …; with "
        "Unique ID, Parent and Name; and with Tier (or Level) and Name."
    )


def _each(
    table: Iterable[Row | Skipped], records: Callable[[Row], Iterator[Record]]
) -> Iterator[Record]:
    for row in table:
        if isinstance(row, Skipped):
            yield row
        else:
            yield from records(row)


# --- a path in every row ---


def _read_paths(header: Header, table: Iterator[Row | Skipped]) -> Iterator[Record]:
    sample = _sample(table)
    names_of, used = _path_rule(header, [row for row in sample if isinstance(row, Row)])
    details = _Details.of(header, used=used)

    def records(row: Row) -> Iterator[Record]:
        path = import_path(names_of(row))
        if used and not path:
            yield Skipped(row.line, "no topic path")
        else:
            yield from details.records(row, path)

    yield from _each(chain(sample, table), records)


def _sample(table: Iterator[Row | Skipped]) -> list[Row | Skipped]:
    """The first rows, but never more of them than fit easily into memory."""
    sample: list[Row | Skipped] = []
    size = 0
    for row in islice(table, SAMPLE_ROWS):
        sample.append(row)
        size += _size(row)
        if size > LINE_MAX:
            break
    return sample


def _size(row: Row | Skipped) -> int:
    return sum(map(len, row.cells)) if isinstance(row, Row) else 0


def _path_rule(header: Header, sample: Sequence[Row]) -> tuple[NamesOf, list[int]]:
    """How to get the names of a row's path, and the columns this uses up."""
    if tiers := header.tiers():
        # In a tier table without links, "Name" repeats the last tier; it is no page's title.
        return lambda row: [row.cells[i] for i in tiers], tiers + _unless_links(header)
    columns = header.columns("path")[:1] or _described_paths(header, sample)
    if not columns:
        return lambda row: (), []
    separator = path_separator([row.first(columns) for row in sample])
    return lambda row: row.first(columns).split(separator), columns


def _unless_links(header: Header) -> list[int]:
    return [] if header.columns("url") else header.columns("name")


def _described_paths(header: Header, sample: Sequence[Row]) -> list[int]:
    if header.columns("url"):
        return []
    columns = header.columns("description")[:1]
    if not any(" > " in row.first(columns) for row in sample):
        raise _no_columns()
    return columns


def path_separator(values: Sequence[str]) -> str:
    """What separates the names of the paths: the sign that most of them have.

    A slash is common inside names ("TV/Film"), " > " is not: a few of the latter settle it,
    unless the paths begin with a slash.
    """
    holding = {sign: sum(sign in value for value in values) for sign in ("/", " > ", ">", "|")}
    rooted = sum(value.startswith("/") for value in values)
    if holding[" > "] * 10 >= len(values) > rooted * 2 and holding[" > "]:
        return ">"
    return max(holding, key=lambda sign: (holding[sign], sign == "/")).strip()


# --- a level in every row, as in an outline ---


def _read_levels(header: Header, table: Iterator[Row | Skipped]) -> Iterator[Record]:
    level_column, name_column = header.columns("level")[0], header.columns("name")[0]
    details = _Details.of(header, used=[level_column, name_column])
    above: list[str] = []

    def records(row: Row) -> Iterator[Record]:
        level = _level(row.cells[level_column])
        del above[max(level - 1, 0) :]
        if not level or len(above) < level - 1:
            yield Skipped(row.line, f"no topic for level {row.cells[level_column].strip()[:20]}")
        elif not (path := import_path([*above, row.cells[name_column]]))[level - 1 :]:
            yield Skipped(row.line, "no topic name")
        else:
            above.append(path[-1])
            yield from details.records(row, path)

    yield from _each(table, records)


def _level(cell: str) -> int:
    found = _LEVEL.fullmatch(cell.strip())
    return int(found[1]) if found else 0


# --- a parent in every row ---


def _read_parents(header: Header, table: Iterator[Row | Skipped]) -> Iterator[Record]:
    family = _Family(header)
    details = _Details.of(header, used=family.columns)
    held = _held(table)
    duplicates = {row.line for row in held if isinstance(row, Row) and not family.add(row)}

    def records(row: Row) -> Iterator[Record]:
        path = (
            Skipped(row.line, "the ID occurs twice") if row.line in duplicates else family.path(row)
        )
        if isinstance(path, Skipped):
            yield path
        else:
            yield from details.records(row, path)

    yield from _each(held, records)


def _held(table: Iterator[Row | Skipped]) -> list[Row | Skipped]:
    held: list[Row | Skipped] = []
    size = 0
    for row in table:
        held.append(row)
        size += _size(row)
        if len(held) > TABLE_ROWS_MAX or size > TABLE_CHARS_MAX:
            raise ImportFileError(
                f"A table by parents may have {TABLE_ROWS_MAX:,} rows and "
                f"{TABLE_CHARS_MAX // 2**20} million characters. Give a path in every row instead."
            )
    return held


class _Family:
    """Finds the way from a row up to the top through the parents' rows."""

    def __init__(self, header: Header) -> None:
        self._id, self._parent, self._name = (
            header.columns(role)[0] for role in ("id", "parent", "name")
        )
        self._tiers = header.tiers()
        self._by_id: dict[str, Row] = {}

    @property
    def columns(self) -> list[int]:
        return [self._id, self._parent, self._name, *self._tiers]

    def add(self, row: Row) -> bool:
        """Whether the row's ID is new."""
        return self._by_id.setdefault(row.cells[self._id].strip(), row) is row

    def path(self, row: Row) -> tuple[str, ...] | Skipped:
        """The names from the top; a row with tiers is found by them if its parents are no help."""
        path = self._by_parents(row)
        if isinstance(path, Skipped) and (tiers := import_path(row.cells[i] for i in self._tiers)):
            return tiers
        return path

    def _by_parents(self, row: Row) -> tuple[str, ...] | Skipped:
        names = [row.cells[self._name]]
        seen = {row.line}
        at: Row | None = row
        while at and (parent := at.cells[self._parent].strip()):
            at = self._by_id.get(parent)
            if at is None and parent != "0":
                return Skipped(row.line, f"the parent {parent[:40]} is missing")
            if at and (at.line in seen or len(names) > DEPTH_MAX):
                return Skipped(row.line, "the parents go in a circle or too deep")
            if at:
                seen.add(at.line)
                names.append(at.cells[self._name])
        return self._named(row, names)

    def _named(self, row: Row, names: list[str]) -> tuple[str, ...] | Skipped:
        path = import_path(reversed(names))
        return path if len(path) == len(names) else Skipped(row.line, "no topic name")
