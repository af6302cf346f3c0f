"""The links among the fetched pages of a crawl, as the distiller takes them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.core.distiller import NOWHERE, Ints, LinkGraph
from crawler.core.hosts import is_own
from crawler.core.ports import OK
from crawler.models import Crawl, Page, PageBody
from crawler.store import hosts_load

ROWS_AT_ONCE = 5_000
ABSENT = -1


@dataclass(frozen=True)
class CrawlGraph:
    """A graph, and which page of the crawl each of its pages is."""

    graph: LinkGraph
    numbers: Ints  # of the URL, by page
    seqs: Ints  # of the page, by page


def crawl_graph(crawl: Crawl, weights: dict[int, float] | None = None) -> CrawlGraph:
    """All pages and the links among them; `weights` by number of the URL, where not 1."""
    numbers, seqs, hosts, relevance = _pages(crawl)
    index = _index_by_number(numbers)
    sources, targets = _links(crawl, seqs, index)
    sites, addresses = places_of(crawl)
    weight = np.ones(len(numbers))
    for number, value in (weights or {}).items():
        if number < len(index) and index[number] != ABSENT:
            weight[index[number]] = value
    graph = LinkGraph(
        sources=sources,
        targets=targets,
        relevance=relevance,
        sites=sites[hosts],
        addresses=addresses[hosts],
        weights=weight,
    )
    return CrawlGraph(graph, numbers, seqs)


def _pages(crawl: Crawl) -> tuple[Ints, Ints, Ints, npt.NDArray[np.float64]]:
    """A page that was visited again counts once, as it was the last time."""
    rows = Page.objects.filter(crawl=crawl, outcome=OK).order_by("seq")
    latest = {
        number: (number, seq, host, relevance or 0.0)
        for number, seq, host, relevance in rows.values_list(
            "number", "seq", "host", "relevance"
        ).iterator(ROWS_AT_ONCE)
    }
    columns = list(zip(*latest.values(), strict=True)) or [(), (), (), ()]
    numbers, seqs, hosts = (np.array(column, dtype=np.int64) for column in columns[:3])
    return numbers, seqs, hosts, np.array(columns[3], dtype=np.float64)


def _index_by_number(numbers: Ints) -> Ints:
    index = np.full(int(numbers.max()) + 1 if len(numbers) else 0, ABSENT, dtype=np.int64)
    index[numbers] = np.arange(len(numbers))
    return index


def _links(crawl: Crawl, seqs: Ints, index: Ints) -> tuple[Ints, Ints]:
    """Each link once; links to pages that were not fetched are left out."""
    place = {int(seq): page for page, seq in enumerate(seqs)}
    rows = PageBody.objects.filter(crawl=crawl).order_by("seq").values_list("seq", "targets")
    sources, targets = [], []
    for seq, packed in rows.iterator(ROWS_AT_ONCE):
        source = place.get(seq)
        if source is not None and packed:
            found = _fetched(packed, index)
            targets.append(found)
            sources.append(np.full(len(found), source))
    return _concatenated(sources), _concatenated(targets)


def _fetched(packed: bytes | memoryview, index: Ints) -> Ints:
    numbers = np.frombuffer(packed, dtype="<i4")
    pages = index[numbers[numbers < len(index)]]
    return np.unique(pages[pages != ABSENT])


def _concatenated(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def places_of(crawl: Crawl) -> tuple[Ints, Ints]:
    """Numbers of site and address by host. Our own machine's address tells nothing."""
    hosts = hosts_load(crawl.pk)
    sites = _numbered(host.site for host in hosts)
    addresses = _numbered("" if is_own(host) else host.address for host in hosts)
    is_known = np.array([bool(host.address) and not is_own(host) for host in hosts], dtype=bool)
    return sites, np.where(is_known, addresses, NOWHERE)


def _numbered(names: Iterable[str]) -> Ints:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
