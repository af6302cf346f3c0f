"""A directory of ODP's size: 700,000 topics with 1,000,000 examples, imported in bounded memory.

The dump is generated (gzip, about the form of the real files), imported by the product's own
command in a process of its own, and its memory is read from the operating system. Baseline: reading
the same file without writing anything. `bench_import.py 0.1` takes a tenth of it.
"""

import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from tests.product import ROOT, clean_environment, manage

TOPICS, EXAMPLES = 700_000, 1_000_000
WORDS = [f"word{number}" for number in range(3000)]
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns:r="http://www.w3.org/TR/RDF/" '
    'xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">\n'
)


def write_dump(path: Path, topics: int, examples: int) -> None:
    """A tree that grows as directories do: new topics under random older ones, mostly shallow."""
    dice = random.Random(1)
    paths = [f"Top/Main_{number}" for number in range(15)]
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write(HEAD)
        for number in range(topics):
            if number >= len(paths):
                parent = paths[int(len(paths) * dice.random() ** 3)]
                paths.append(f"{parent}/{dice.choice(WORDS).title()}_{number}")
            file.write(
                f'<Topic r:id="{paths[number]}">\n  <catid>{number}</catid>\n'
                f"  <d:Description>{text(dice, 20)}</d:Description>\n</Topic>\n"
            )
        for number in range(examples):
            topic = paths[number % len(paths)]
            file.write(
                f'<ExternalPage about="http://host{number % 90_000}.example/{number}">\n'
                f"  <d:Title>{text(dice, 4)}</d:Title>\n"
                f"  <d:Description>{text(dice, 15)} &amp; more</d:Description>\n"
                f"  <topic>{topic}</topic>\n</ExternalPage>\n"
            )
        file.write("</RDF>\n")


def text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(WORDS, k=words))


def run(data_dir: Path, *arguments: str) -> tuple[dict[str, int], float, float]:
    """What the child said, its seconds of wall time, and its peak memory in MB."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *arguments],
        env=clean_environment(data_dir),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return json.loads(said), time.monotonic() - began, peak_megabytes(usage)


def peak_megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


READ_ONLY = (
    "import json, sys; from pathlib import Path; from taxonomy.core.importers.detect import read; "
    "print(json.dumps({'records': sum(1 for _ in read(Path(sys.argv[1])))}))"
)


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as folder:
        data_dir, dump = Path(folder) / "data", Path(folder) / "content.rdf.u8.gz"
        write_dump(dump, int(TOPICS * share), int(EXAMPLES * share))
        manage(data_dir, "migrate", "--verbosity", "0")
        _, reading, reading_memory = run(data_dir, "-c", READ_ONLY, str(dump))
        command = ["manage.py", "taxonomy", "import", str(dump), "--name", "odp", "--json"]
        said, seconds, memory = run(data_dir, *command)
    rows: list[dict[str, object]] = [
        {"what": "read only (baseline)", "seconds": reading, "MB": reading_memory, "ratio": 1.0},
        {"what": "import", "seconds": seconds, "MB": memory, "ratio": seconds / reading},
    ]
    size = f"{said['topics']:,} topics and {said['examples']:,} examples"
    report("import", f"An ODP dump of {size} (goal: under 500 MB)", rows)


if __name__ == "__main__":
    main()
