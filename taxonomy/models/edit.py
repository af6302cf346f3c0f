"""The history of a tree."""

from django.db import models

from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.models.tree import Taxonomy, Topic


class TreeEditQuerySet(VisibleQuerySet["TreeEdit"]):
    team_field = "taxonomy__team"


class TreeEdit(models.Model):
    """One thing a person did to a tree, as a list of reversible changes (core/changes.py)."""

    class Kind(models.TextChoices):
        CREATE = "create", "New topic"
        RENAME = "rename", "Renamed"
        MOVE = "move", "Moved"
        MERGE = "merge", "Merged"
        SPLIT = "split", "Split"
        DELETE = "delete", "Deleted"
        DESCRIBE = "describe", "Described"
        EXAMPLES = "examples", "Examples"
        UNDO = "undo", "Undone"

    taxonomy = models.ForeignKey(Taxonomy, on_delete=models.CASCADE, related_name="edits")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    summary = models.CharField(max_length=500)
    changes = models.JSONField()
    topic = models.ForeignKey(
        Topic, null=True, on_delete=models.SET_NULL, related_name="+", help_text="Where to look."
    )
    by = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="tree_edits"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    undoes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="undone_by"
    )

    objects = TreeEditQuerySet.as_manager()

    class Meta:
        ordering = ["-revision"]
        constraints = [
            models.UniqueConstraint(name="edit_revision_once", fields=["taxonomy", "revision"]),
        ]

    def __str__(self) -> str:
        return self.summary
