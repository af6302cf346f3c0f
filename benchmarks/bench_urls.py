"""URLs canonicalised a second, beside what others do for the same (and less safe) result."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from urllib.parse import urljoin, urlsplit, urlunsplit

from ada_url import URL

from benchmarks.report import report
from focusadmin.lib.sites import site_of
from focusadmin.lib.urls import canonical_url

BASE = "http://www.example.com/section/page.html?x=1"
LINKS = [
    link
    for n in range(2_000)
    for link in (
        f"http://www.example{n}.com/a/b/c",
        f"../news/{n}.html#top",
        f"/shop/item?id={n}&utm_source=mail&utm_medium=x",
        f"https://Shop.Example.co.uk:443/caf%c3%a9/./{n}",
        f"?page={n}",
    )
]


def stdlib(link: str) -> str:
    """Resolve, lower the host, cut the fragment: the usual few lines."""
    parts = urlsplit(urljoin(BASE, link))
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path, parts.query, ""))


WAYS: dict[str, Callable[[str], object]] = {
    "canonical_url": lambda link: canonical_url(link, BASE),
    "ada alone (parse, no policy)": lambda link: URL(link, BASE).href,
    "urllib.parse (baseline)": stdlib,
}


def per_second(way: Callable[[str], object]) -> float:
    rates = []
    for _ in range(5):
        began = time.process_time()
        for link in LINKS:
            way(link)
        rates.append(len(LINKS) / (time.process_time() - began))
    return sorted(rates)[2]


def main() -> None:
    measured = {name: per_second(way) for name, way in WAYS.items()}
    hosts = [f"www.example{n}.co.uk" for n in range(20_000)]
    began = time.process_time()
    for host in hosts:
        site_of(host)
    measured["site_of, new hosts"] = len(hosts) / (time.process_time() - began)
    baseline = measured["urllib.parse (baseline)"]
    rows = [
        {"what": what, "a second": rate, "ratio": rate / baseline}
        for what, rate in measured.items()
    ]
    report("urls", "URLs a second of CPU time (median of 5)", rows)


if __name__ == "__main__":
    main()
