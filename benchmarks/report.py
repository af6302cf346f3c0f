"""Shared by all benchmarks: a table on the terminal, JSON under benchmarks/results/."""

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"


def report(name: str, title: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Print `rows` (same keys in each) and keep them for comparison with a later run."""
    table = Table(title=title, title_justify="left")
    for key in rows[0]:
        table.add_column(key, justify="right" if isinstance(rows[0][key], float | int) else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    Console().print(table)
    RESULTS.mkdir(exist_ok=True)
    result = {"benchmark": name, "machine": platform.platform(), "rows": list(rows)}
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _cell(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) else str(value)
