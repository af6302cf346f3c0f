"""A focus: what somebody is interested in."""

from django.db import models

from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.models.tree import Taxonomy, Topic


class Focus(models.Model):
    """A named interest: good topics of a taxonomy, and where to start."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=80, unique=True)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="focuses")
    owner = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="focuses"
    )
    taxonomy = models.ForeignKey(Taxonomy, on_delete=models.PROTECT, related_name="focuses")
    start_urls = models.JSONField(default=list, blank=True)
    good_topics = models.ManyToManyField(Topic, through="GoodTopic", related_name="focuses")
    # They count for a crawl's priorities, not for the relevance shown (1999 paper, section 2.2).
    pass_through_topics = models.ManyToManyField(
        Topic, related_name="focuses_passing_through", blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet["Focus"].as_manager()

    class Meta:
        verbose_name_plural = "focuses"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class GoodTopic(models.Model):
    """A mark: this focus wants this topic. No good topic of a focus is above another."""

    focus = models.ForeignKey(Focus, on_delete=models.CASCADE, related_name="marks")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="marks")
    marked_by = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    marked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="topic_good_once_in_a_focus", fields=["focus", "topic"]),
        ]

    def __str__(self) -> str:
        return f"{self.focus}: {self.topic}"


class FocusShare(models.Model):
    """A focus that was shown to a member of its team by name (docs/decisions/0026).

    It hangs on the membership: whoever leaves the team keeps nothing.
    """

    class Rights(models.TextChoices):
        VIEW = "view", "Can view"
        EDIT = "edit", "Can edit"

    focus = models.ForeignKey(Focus, on_delete=models.CASCADE, related_name="shares")
    membership = models.ForeignKey(
        "accounts.Membership", on_delete=models.CASCADE, related_name="focus_shares"
    )
    rights = models.CharField(max_length=4, choices=Rights.choices, default=Rights.VIEW)
    shared_by = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    shared_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-shared_at"]
        constraints = [
            models.UniqueConstraint(name="focus_shared_once", fields=["focus", "membership"]),
            models.CheckConstraint(
                name="focus_share_rights_known",
                condition=models.Q(rights__in=["view", "edit"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.focus} for {self.membership.user}: {self.get_rights_display()}"
