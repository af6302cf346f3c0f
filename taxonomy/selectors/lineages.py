"""From the lineages a model knows back to topics of the tree, which may have changed since."""

from collections.abc import Iterable
from dataclasses import dataclass

from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.tree import join_path, name_key, shown_name
from taxonomy.models import Taxonomy, Topic
from taxonomy.selectors.trees import ROW_FIELDS, paths_of


@dataclass(frozen=True)
class NamedTopic:
    """A topic as a model names it; `id` is missing when the tree has it no more."""

    lineage: Lineage
    id: int | None = None

    @property
    def name(self) -> str:
        return shown_name(self.lineage[-1]) if self.lineage else "All topics"

    @property
    def path(self) -> str:
        return join_path(self.lineage)

    @property
    def above(self) -> list[str]:
        """Where it stands: the names above it, from the top down."""
        return [shown_name(name) for name in self.lineage[:-1]]


class TopicNames:
    """Finds the topics of many lineages with two queries, whatever their number."""

    def __init__(self, taxonomy: Taxonomy, lineages: Iterable[Lineage]) -> None:
        keys = {name_key(lineage[-1]) for lineage in lineages if lineage}
        known = Topic.objects.of(taxonomy).filter(name_key__in=keys).only(*ROW_FIELDS)
        ids = {path: pk for pk, path in paths_of(list(known)).items()}
        self._ids = ids

    def __getitem__(self, lineage: Iterable[str]) -> NamedTopic:
        names = tuple(lineage)
        return NamedTopic(names, self._ids.get(join_path(names)))
