"""Pages as rows: CSV, JSON lines, XLSX, and the recorded web that the lab reads."""

import csv
import gzip
import io
import json
from collections.abc import Iterable
from typing import IO, Any

import xlsxwriter

from crawler.core.exports.types import COLUMNS, Cell, ExportPage, cells

# A spreadsheet takes a cell that begins so for a formula and runs it.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
SHEET_ROWS = 1_000_000
_LONGEST_CELL = 32_767


def write_csv(pages: Iterable[ExportPage], out: IO[bytes]) -> None:
    text = io.TextIOWrapper(out, encoding="utf-8", errors="replace", newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for page in pages:
        writer.writerow([harmless(cell) for cell in cells(page)])
    text.detach()


def harmless(cell: Cell) -> Cell:
    """With an apostrophe before what would be a formula.

    >>> harmless("=1+1"), harmless("a=b"), harmless(-1)
    ("'=1+1", 'a=b', -1)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def write_jsonl(pages: Iterable[ExportPage], out: IO[bytes]) -> None:
    for page in pages:
        out.write(_line({**dict(zip(COLUMNS, cells(page), strict=True)), "text": page.text}))


def write_web(pages: Iterable[ExportPage], out: IO[bytes]) -> None:
    """Topics are those that the crawl's model gave, not true labels."""
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
        for page in pages:
            packed.write(
                _line(
                    {
                        "url": page.url,
                        "title": page.title,
                        "topic": page.topic,
                        "status": page.status,
                        "text": page.text,
                        "links": [
                            # Words around a link are not stored: its own have to do.
                            {"url": link.url, "anchor": link.anchor, "context": link.anchor}
                            for link in page.links
                        ],
                    }
                )
            )


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def write_xlsx(pages: Iterable[ExportPage], out: IO[bytes]) -> None:
    """Row by row to temporary files; texts stay texts, whatever they begin with."""
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet, row = _sheet(book), 1
        for page in pages:
            if row >= SHEET_ROWS:
                sheet, row = _sheet(book), 1
            _write_row(sheet, row, cells(page))
            row += 1


def _sheet(book: Any) -> Any:
    sheet = book.add_worksheet(f"Pages {len(book.worksheets()) + 1}")
    _write_row(sheet, 0, COLUMNS)
    return sheet


def _write_row(sheet: Any, row: int, values: Iterable[Cell]) -> None:
    for column, value in enumerate(values):
        if isinstance(value, str):
            plain = value.encode("utf-8", "replace").decode()
            sheet.write_string(row, column, plain[:_LONGEST_CELL])
        elif value is not None:
            sheet.write_number(row, column, value)
