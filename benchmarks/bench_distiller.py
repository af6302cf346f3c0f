"""Time and memory of a distillation, against networkx and igraph on the same graph in the same run.

Those two have one weight for a link and their own end: they solve a plainer problem, so their
figures are a guide to cost, not to quality. All get the links that count (authorities are the top
15 %); we also choose them. networkx is left out at ten million links, where it takes many minutes.

    --links 1000000 10000000     how large
"""

import argparse
import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import igraph
import networkx as nx
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from crawler.core.distiller import LinkGraph, authority_threshold, distil

LINKS_A_PAGE = 10
PAGES_A_SITE = 25
NETWORKX_MOST = 1_000_000
GOALS = {1_000_000: (2.0, 2_000), 10_000_000: (30.0, 2_000)}  # seconds, MB


def web(links: int) -> LinkGraph:
    """Popular pages get most links, as on the real Web; topics cluster."""
    dice = np.random.default_rng(5)
    pages = links // LINKS_A_PAGE
    sources = dice.integers(0, pages, links)
    popular = (pages * dice.power(0.35, links)).astype(np.int64)
    near = np.clip(sources + dice.integers(-200, 200, links), 0, pages - 1)
    targets = np.where(dice.random(links) < 0.5, near, popular)
    return LinkGraph(
        sources=sources,
        targets=targets,
        relevance=dice.beta(0.6, 1.2, pages),
        sites=np.arange(pages) // PAGES_A_SITE,
        addresses=np.arange(pages) // (4 * PAGES_A_SITE),
        weights=np.ones(pages),
    )


def ours(graph: LinkGraph) -> int:
    return distil(graph).rounds


def counted(graph: LinkGraph) -> tuple[np.ndarray, np.ndarray]:
    good = graph.relevance >= authority_threshold(graph.relevance, 0.15)
    kept = good[graph.targets] & (graph.sites[graph.sources] != graph.sites[graph.targets])
    return graph.sources[kept], graph.targets[kept]


def by_igraph(graph: LinkGraph) -> int:
    sources, targets = counted(graph)
    made = igraph.Graph(n=len(graph), edges=np.column_stack([sources, targets]), directed=True)
    weights = graph.relevance[targets].tolist()
    warnings.simplefilter("ignore")  # pages that are no authority score zero, as they should
    made.hub_score(weights=weights)
    made.authority_score(weights=weights)
    return 0


def by_networkx(graph: LinkGraph) -> int:
    made = nx.DiGraph()
    made.add_edges_from(zip(*map(np.ndarray.tolist, counted(graph)), strict=True))
    nx.hits(made, max_iter=50, tol=1e-8)
    return 0


def alone(run: Callable[[LinkGraph], int], links: int) -> dict[str, float]:
    """In a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (run, links))


def _measured(run: Callable[[LinkGraph], int], links: int) -> dict[str, float]:
    graph = web(links)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, cpu = time.perf_counter(), time.process_time()
    rounds = run(graph)
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "rounds": rounds,
        "added_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=list(GOALS))
    rows = []
    for links in parser.parse_args().links:
        mine = alone(ours, links)
        others = {"igraph": by_igraph}
        if links <= NETWORKX_MOST:
            others["networkx"] = by_networkx
        rows.append(_row("FocusAdmin", links, mine, mine))
        rows += [_row(name, links, alone(run, links), mine) for name, run in others.items()]
    report("distiller", "Hubs and authorities, one distillation", rows)


def _row(
    name: str, links: int, found: dict[str, float], mine: dict[str, float]
) -> dict[str, object]:
    seconds, megabytes = GOALS.get(links, (float("inf"), float("inf")))
    is_met = found["cpu_seconds"] < seconds and found["peak_mb"] < megabytes
    return {
        "links": links,
        "pages": links // LINKS_A_PAGE,
        "who": name,
        "seconds": round(found["seconds"], 2),
        "CPU s": round(found["cpu_seconds"], 2),
        "rounds": int(found["rounds"]) or "",
        "added MB": round(found["added_mb"]),
        "peak MB": round(found["peak_mb"]),
        "times ours": round(found["cpu_seconds"] / mine["cpu_seconds"], 1),
        "goal": "" if name != "FocusAdmin" else ("met" if is_met else "missed"),
    }


if __name__ == "__main__":
    main()
