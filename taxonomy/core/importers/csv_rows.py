"""Reads the rows of a table of any size, and gets over rows that are broken."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from taxonomy.core.importers.sources import LINE_MAX, TOO_LONG
from taxonomy.core.records import Skipped

NumberedLine = tuple[int, bytes | None]


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row, and the line on which it begins."""

    line: int
    cells: list[str]

    def first(self, columns: Iterable[int]) -> str:
        """The first of these cells that is not empty."""
        return next((cell for column in columns if (cell := self.cells[column].strip())), "")


class _BrokenRowError(Exception):
    """The row in hand cannot be finished."""


def line_text(line: bytes | None) -> str:
    """A line as text without NUL, which no cell may have."""
    return (line or b"").decode("utf-8", "replace").replace("\0", "")


def split_line(text: str, delimiter: str) -> list[str]:
    """The cells of a row that is known to be one line."""
    return next(csv.reader([text], delimiter=delimiter), [])


def rows(numbered: Iterable[NumberedLine], delimiter: str, width: int) -> Iterator[Row | Skipped]:
    """The rows that have `width` cells; empty rows are passed over, others noted."""
    csv.field_size_limit(max(csv.field_size_limit(), 2 * LINE_MAX))  # the feed caps whole rows
    feed = _Feed(numbered)
    reader = csv.reader(feed, delimiter=delimiter)
    while True:
        feed.begin_row()
        try:
            cells = next(reader)
            if len(cells) != width and feed.spans_lines():
                raise _BrokenRowError("a quoted cell has no end")
        except StopIteration:
            return
        except (_BrokenRowError, csv.Error) as error:
            yield Skipped(feed.give_back(), str(error))
            continue
        if any(map(str.strip, cells)):
            yield _checked(Row(feed.line, cells), width)


def _checked(row: Row, width: int) -> Row | Skipped:
    count = len(row.cells)
    if count < width or any(map(str.strip, row.cells[width:])):
        return Skipped(row.line, f"{count} cells where the header has {width}")
    return row


class _Feed:
    """Hands lines to `csv.reader` and takes them back when a quote was never closed.

    A stray quote makes the rest of the file one cell. Then only the line of the quote is given
    up; the lines after it are read again, each as a row of its own, so that every line is looked
    at twice at most, whatever the file does.
    """

    def __init__(self, numbered: Iterable[NumberedLine]) -> None:
        self._lines = iter(numbered)
        self._again: deque[NumberedLine] = deque()
        self._taken: list[NumberedLine] = []
        self._size = 0
        self._single_until = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._taken and (self._size > LINE_MAX or self.line <= self._single_until):
            raise _BrokenRowError("a quoted cell has no end")
        number, line = self._next_line()
        self._taken.append((number, line))
        if line is None:
            raise _BrokenRowError(f"the line is {TOO_LONG}")
        self._size += len(line)
        return line_text(line)

    @property
    def line(self) -> int:
        """The line on which the row in hand begins."""
        return self._taken[0][0]

    def begin_row(self) -> None:
        self._taken.clear()
        self._size = 0

    def spans_lines(self) -> bool:
        return len(self._taken) > 1

    def give_back(self) -> int:
        """Give up the row's first line, put the others back, and tell the first one's number."""
        self._again.extendleft(reversed(self._taken[1:]))
        self._single_until = max(self._single_until, self._taken[-1][0])
        return self.line

    def _next_line(self) -> NumberedLine:
        if self._again:
            return self._again.popleft()
        found = next(self._lines, None)
        if found is None and self._taken:
            raise _BrokenRowError("a quoted cell has no end")
        if found is None:
            raise StopIteration
        return found
