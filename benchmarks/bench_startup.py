"""How long from the command to the printed address, first and later starts.

Baseline: a Django that only loads our settings (`manage.py check`).
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from tests.product import Product, manage


def seconds_to_address(data_dir: Path) -> float:
    began = time.monotonic()
    with Product.started(data_dir):
        return time.monotonic() - began


def seconds_of_check(data_dir: Path) -> float:
    began = time.monotonic()
    manage(data_dir, "check")
    return time.monotonic() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder)
        measured = {
            "first start": seconds_to_address(data_dir),
            "second start": seconds_to_address(data_dir),
            "third start": seconds_to_address(data_dir),
            "settings only (baseline)": seconds_of_check(data_dir),
        }
    baseline = measured["settings only (baseline)"]
    rows = [
        {"what": what, "seconds": seconds, "ratio": seconds / baseline}
        for what, seconds in measured.items()
    ]
    report("startup", "Seconds to the printed address (goal for a second start: under 5)", rows)


if __name__ == "__main__":
    main()
