"""A taxonomy, its topics (a treebeard materialised path) and their examples."""

from typing import TYPE_CHECKING, ClassVar, Self

from django.db import models
from treebeard.mp_tree import MP_Node, MP_NodeManager

from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.core.records import TITLE_MAX, URL_MAX
from taxonomy.core.tree import NAME_MAX, shown_name

KEY_MAX = NAME_MAX * 4  # case folding can lengthen a name

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django.db.models.query import QuerySet

    from focusadmin.accounts.models import User


class TaxonomyQuerySet(VisibleQuerySet["Taxonomy"]):
    def visible_to(self, user: "User | AnonymousUser") -> Self:
        return super().visible_to(user).ready()

    def ready(self) -> Self:
        """Without those that an import is still writing."""
        return self.filter(ready_at__isnull=False)


class Taxonomy(models.Model):
    """A tree of topics that belongs to a team.

    It has two roots: `root` above the topics people see, and `trash` above the removed ones, so
    that a removal is a move and can be undone with every id intact.
    """

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="taxonomies")
    root = models.OneToOneField("Topic", on_delete=models.PROTECT, related_name="+")
    trash = models.OneToOneField("Topic", on_delete=models.PROTECT, related_name="+")
    revision = models.PositiveIntegerField(
        default=0, help_text="Rises with every edit of topics or examples."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(auto_now=True)
    ready_at = models.DateTimeField(
        null=True, blank=True, help_text="Empty while an import is writing; nobody sees it then."
    )

    objects = TaxonomyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "taxonomies"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def topic_count(self) -> int:
        return Topic.objects.of(self).count()


class TopicManager(MP_NodeManager):  # type: ignore[misc]  # treebeard is untyped
    """Treebeard's manager, with the queries of a tree that is also read by parent."""

    def of(self, taxonomy: Taxonomy) -> "QuerySet[Topic]":
        """The topics people see, without the root and without what was removed."""
        return self.below(taxonomy.root)

    def below(self, topic: "Topic") -> "QuerySet[Topic]":
        """Every topic under this one. A range, as LIKE can't use the index on SQLite."""
        interval = topic._get_children_path_interval(topic.path)
        return self.get_queryset().filter(path__range=interval)  # type: ignore[no-any-return]


class Topic(MP_Node):  # type: ignore[misc]  # treebeard is untyped
    """A node of the tree. `parent` repeats what `path` says, for two things a path can't give:

    unique names among siblings, kept by the database, and children in order of their names.
    """

    if TYPE_CHECKING:
        id: int
        pk: int
        path: str
        depth: int
        numchild: int
        parent_id: int | None

    name = models.CharField(max_length=NAME_MAX, blank=True)
    name_key = models.CharField(max_length=KEY_MAX, blank=True)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children"
    )
    description = models.TextField(blank=True)
    terms = models.JSONField(default=list, blank=True)
    start_urls = models.JSONField(default=list, blank=True)
    example_count = models.PositiveIntegerField(
        default=0, help_text="Examples of this topic and of all topics under it."
    )

    objects: ClassVar[TopicManager] = TopicManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="topic_name_once_among_siblings", fields=["parent", "name_key"]
            ),
        ]
        indexes = [models.Index(name="topic_name_key", fields=["name_key"])]

    def __str__(self) -> str:
        return self.shown

    @property
    def shown(self) -> str:
        return shown_name(self.name)

    def ancestor_paths(self) -> list[str]:
        """Materialised paths from the root down to the parent."""
        steps = range(self.steplen, len(self.path), self.steplen)
        return [self.path[:end] for end in steps]

    def is_under(self, other: "Topic") -> bool:
        return self.path != other.path and self.path.startswith(other.path)


class ExampleQuerySet(models.QuerySet["Example"]):
    def kept(self) -> Self:
        """Without those that people removed, which stay for undo."""
        return self.filter(is_removed=False)

    def in_subtree(self, topic: Topic) -> Self:
        below = models.Q(topic__path__range=topic._get_children_path_interval(topic.path))
        return self.kept().filter(models.Q(topic=topic) | below)


class Example(models.Model):
    """A document that shows what a topic is about: D(c) of the classifier."""

    class Source(models.TextChoices):
        SHIPPED = "shipped", "Shipped with FocusAdmin"
        IMPORTED = "imported", "Imported"
        ADDED = "added", "Added by a person"

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="examples")
    title = models.CharField(max_length=TITLE_MAX, blank=True)
    url = models.CharField(max_length=URL_MAX, blank=True)
    text = models.TextField(blank=True)
    source = models.CharField(max_length=8, choices=Source.choices)
    is_removed = models.BooleanField(default=False)
    added_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)

    objects = ExampleQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(name="example_topic_kept", fields=["topic", "is_removed", "id"])]
        constraints = [
            models.CheckConstraint(
                name="example_shows_something", condition=~models.Q(title="", url="", text="")
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.url or self.text[:60]
