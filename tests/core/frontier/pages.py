"""Scored pages in few words. A page named 7 is http://site-7.test/ unless a test says otherwise."""

from collections.abc import Iterable, Mapping

from crawler.core.types import Expansion, PriorityChange, ScoredLink, ScoredPage


def page(
    key: int,
    links: Iterable[int] | Mapping[int, float] = (),
    *,
    relevance: float = 0.5,
    similarity: float = 0.0,
    on_topic: bool = True,
    shown_relevance: float | None = None,
    hosts: Mapping[int, str] | None = None,
) -> ScoredPage:
    """`links` may give each target its context relevance; else that is 0."""
    contexts = links if isinstance(links, Mapping) else dict.fromkeys(links, 0.0)
    names = hosts or {}
    return ScoredPage(
        key=key,
        url=url(key, names),
        depth=0,
        relevance=relevance if shown_relevance is None else shown_relevance,
        priority_relevance=relevance,
        is_on_topic=on_topic,
        content_similarity=similarity,
        links=tuple(
            ScoredLink(target, url(target, names), "", context)
            for target, context in contexts.items()
        ),
    )


def url(key: int, hosts: Mapping[int, str]) -> str:
    return f"http://{hosts.get(key, f'site-{key}.test')}/{key}"


def priorities(told: Expansion | Iterable[PriorityChange]) -> dict[int, float]:
    """Changes as a dictionary; fails if a URL is named twice."""
    changes = list(told.changes if isinstance(told, Expansion) else told)
    named = {change.key: change.priority for change in changes}
    assert len(named) == len(changes)
    return named
