"""Server time of the tree's screens at 20,000 topics, against a bare page of the same server.

The tree is generated: 20 top topics, branches of 3 to 9, one node with 5,000 children.
"""

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-bench-")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.core.management import call_command
from django.test import Client

from benchmarks.report import report
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed
from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.models import Taxonomy, Topic
from taxonomy.services.imports import taxonomy_import

TOPICS, WIDE, ROUNDS = 20_000, 5_000, 15
GOALS = {"the page": 1000.0, "a wide node": 100.0, "a small node": 100.0, "a search": 200.0}


def records() -> Iterator[TopicRecord | ExampleRecord]:
    dice = random.Random(2)
    paths: list[tuple[str, ...]] = [(f"Top_{number:02}",) for number in range(20)]
    for path in paths:
        yield TopicRecord(path)
    for number in range(WIDE):
        yield TopicRecord(("Top_00", "Wide", f"Child_{number:05}"))
    while len(paths) < TOPICS - WIDE:
        parent = dice.choice(paths)
        if len(parent) < 9:
            paths.append((*parent, f"{dice.choice(['Music', 'Cycling', 'Law'])}_{len(paths)}"))
            yield ExampleRecord(paths[-1], f"Page {len(paths)}", "", "some words about it")


def milliseconds(ask: Callable[[], object]) -> float:
    def once() -> float:
        began = time.perf_counter()
        ask()
        return (time.perf_counter() - began) * 1000

    once()
    return statistics.median(once() for _ in range(ROUNDS))


def asker(client: Client, address: str) -> Callable[[], None]:
    def ask() -> None:
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code)

    return ask


def signed_in_client() -> tuple[Client, Taxonomy]:
    call_command("migrate", verbosity=0)
    collect_static_if_changed()
    user = first_user_ensure()
    team = user.memberships.get().team
    taxonomy = taxonomy_import(name="Large", team=team, records=records()).taxonomy
    client = Client(headers={"host": "localhost"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client, taxonomy


def main() -> None:
    client, taxonomy = signed_in_client()
    wide = Topic.objects.of(taxonomy).get(name="Wide")
    small = Topic.objects.of(taxonomy).filter(numchild__range=(3, 9))[0]
    base = f"/taxonomies/{taxonomy.slug}"
    measured = {
        "a bare page (baseline)": milliseconds(asker(client, "/help/")),
        "the page": milliseconds(asker(client, f"{base}/?topic=/Top_00/Wide")),
        "a wide node": milliseconds(asker(client, f"{base}/branch/{wide.pk}/?level=3")),
        "a small node": milliseconds(asker(client, f"{base}/branch/{small.pk}/?level=3")),
        "a search": milliseconds(asker(client, f"{base}/?q=cycling_1")),
    }
    baseline = measured["a bare page (baseline)"]
    rows = [
        {"what": what, "ms": ms, "goal": GOALS.get(what, ""), "ratio": ms / baseline}
        for what, ms in measured.items()
    ]
    report("tree", f"Server time at {TOPICS:,} topics, median of {ROUNDS}", rows)


if __name__ == "__main__":
    main()
