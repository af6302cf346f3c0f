"""Finding topics by name."""

from django.http import Http404

from taxonomy.core.tree import name_key
from taxonomy.models import Taxonomy, Topic
from taxonomy.selectors.trees import ROW_FIELDS, topic_by_path

MATCHES_SHOWN = 50
SUGGESTIONS_SHOWN = 12


def matches(taxonomy: Taxonomy, query: str, limit: int = MATCHES_SHOWN) -> list[Topic]:
    """Names that are the query first, then those that begin with it, then those that hold it."""
    key = name_key(query.strip().rstrip("/").rpartition("/")[2])
    if not key:
        return []
    topics = Topic.objects.of(taxonomy).only(*ROW_FIELDS)
    ranked = [
        topics.filter(name_key=key),
        topics.filter(name_key__startswith=key),
        topics.filter(name_key__contains=key),
    ]
    found: dict[int, Topic] = {}
    for candidates in ranked:
        if len(found) < limit:
            found |= {topic.pk: topic for topic in candidates.order_by("depth", "name_key")[:limit]}
    return list(found.values())[:limit]


def suggestions(taxonomy: Taxonomy, query: str, *, without: Topic | None = None) -> list[Topic]:
    """Topics to choose from while a name is typed; the top level while nothing is."""
    if query.strip(" /"):
        found = matches(taxonomy, query, limit=MATCHES_SHOWN)
    else:
        top = Topic.objects.filter(parent=taxonomy.root).only(*ROW_FIELDS)
        found = list(top.order_by("name_key")[:SUGGESTIONS_SHOWN])
    allowed = [topic for topic in found if without is None or not _is_inside(topic, without)]
    return allowed[:SUGGESTIONS_SHOWN]


def topic_meant(taxonomy: Taxonomy, text: str) -> Topic | None:
    """The topic at a typed path, or the only one with a typed name."""
    if text.startswith("/"):
        try:
            return topic_by_path(taxonomy=taxonomy, path=text)
        except Http404:
            return None
    same = Topic.objects.of(taxonomy).filter(name_key=name_key(text))[:2]
    return same[0] if len(same) == 1 else None


def name_parts(shown: str, query: str) -> list[tuple[str, bool]]:
    """The name cut where it holds the query: what is found is marked in the tree."""
    wanted = query.strip().replace("_", " ").casefold()
    start = shown.casefold().find(wanted) if wanted else -1
    if start < 0 or len(shown.casefold()) != len(shown):  # folding moved the letters
        return [(shown, False)]
    end = start + len(wanted)
    parts = [(shown[:start], False), (shown[start:end], True), (shown[end:], False)]
    return [part for part in parts if part[0]]


def _is_inside(topic: Topic, other: Topic) -> bool:
    return topic.pk == other.pk or topic.is_under(other)
