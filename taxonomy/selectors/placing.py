"""Where texts belong, in the short form in which a focus keeps it with its pages."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from taxonomy.core.features import FloatArray
from taxonomy.core.proposals import Placed
from taxonomy.core.routing import routed_columns
from taxonomy.core.tree import join_path, split_path
from taxonomy.models import FocusPage
from taxonomy.selectors.models import Judge

BATCH = 512
NEGLIGIBLE = 0.01  # sums of what is left out stay small beside a relevance shown with two digits


def placed_texts(judge: Judge, texts: Iterable[str]) -> Iterator[Placed]:
    """One for each text, in batches: texts may be without end."""
    waiting = iter(texts)
    while batch := list(islice(waiting, BATCH)):
        yield from (_placed(judge, row) for row in judge.scorer.judge(batch).log_probabilities)


def placed_pages(pages: Iterable[FocusPage]) -> list[Placed]:
    """As they were routed last; a page that nobody routed yet is nowhere."""
    return [
        Placed(
            split_path(page.topic or "/"),
            {split_path(path): share for path, share in page.probabilities.items()},
        )
        for page in pages
    ]


def kept_form(placed: Placed) -> tuple[str, dict[str, float]]:
    """What a page keeps of it: its topic and the probabilities, by path."""
    shares = {join_path(topic): round(p, 4) for topic, p in placed.probabilities.items() if topic}
    return join_path(placed.lineage)[:1000], shares


def _placed(judge: Judge, log_probabilities: FloatArray) -> Placed:
    tree = judge.scorer.tree
    way = routed_columns(log_probabilities, tree)
    columns = np.union1d(np.flatnonzero(log_probabilities > np.log(NEGLIGIBLE)), way)
    shares = {tree.lineages[int(c)]: float(np.exp(log_probabilities[int(c)])) for c in columns}
    return Placed(tree.lineages[way[-1]] if way else (), shares)
