"""A bookmark file of 50 MB with 75,000 bookmarks, imported by the product's own command.

Goal: under 10 s and 300 MB. Baseline: the same process reading the file and doing nothing with it.
"""

import random
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_import import WORDS, run, text
from benchmarks.report import report
from tests.product import manage

BOOKMARKS, MEGABYTES = 75_000, 49
READ_ONLY = "import json, sys; print(json.dumps({'bytes': len(open(sys.argv[1], 'rb').read())}))"


def write_file(path: Path) -> None:
    """As Chrome writes it: folders, dates, and an icon inside each link, which makes it large."""
    dice = random.Random(1)
    icon = "data:image/png;base64," + "iVBORw0KGgo" * (MEGABYTES * 1024**2 // BOOKMARKS // 11 - 20)
    with path.open("w", encoding="utf-8") as file:
        file.write("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1>\n<DL><p>\n")
        for number in range(BOOKMARKS):
            if number % 50 == 0:
                end = "</DL><p>\n" if number else ""
                file.write(f"{end}<DT><H3>{dice.choice(WORDS)} {number}</H3>\n<DL><p>\n")
            url = f"https://host{number % 9_000}.example/{dice.choice(WORDS)}/{number}"
            file.write(f'<DT><A HREF="{url}" ICON="{icon}">{text(dice, 6)} bicycle trail</A>\n')
        file.write("</DL><p>\n</DL><p>\n")


def cpu_seconds() -> float:
    """Of all children so far: on a busy machine they tell more than the clock."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data_dir, bookmarks = Path(folder) / "data", Path(folder) / "bookmarks.html"
        write_file(bookmarks)
        manage(data_dir, "migrate", "--verbosity", "0")
        manage(data_dir, "shell", "-c", PREPARE)
        _, reading, reading_memory = run(data_dir, "-c", READ_ONLY, str(bookmarks))
        command = ["manage.py", "bookmarks", "import", str(bookmarks), "--json"]
        before = cpu_seconds()
        said, seconds, memory = run(data_dir, *command)
        cpu = cpu_seconds() - before
        size = bookmarks.stat().st_size / 1024**2
    rows: list[dict[str, object]] = [
        {"what": "read only (baseline)", "seconds": reading, "CPU s": 0.0, "MB": reading_memory},
        {"what": "import", "seconds": seconds, "CPU s": cpu, "MB": memory},
    ]
    title = f"{said['bookmarks']:,} bookmarks, {size:.0f} MB (goal: under 10 s, 300 MB)"
    report("bookmarks", title, rows)


PREPARE = "from focusadmin.management.commands.run import prepare; prepare()"

if __name__ == "__main__":
    main()
