"""Wishes for a crawl's frontier, and what people think of its pages and sites."""

from django.db import models
from django.db.models import Q

from crawler.core.nudges import NudgeKind
from crawler.models.crawl import Crawl
from crawler.models.distillation import Distillation


class FrontierNudge(models.Model):
    """A URL that somebody, or the distiller, wants visited before others. The engine applies it."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="nudges")
    number = models.PositiveIntegerField(help_text="Of the URL in the frontier.")
    kind = models.CharField(max_length=7, choices=[(k.value, k.name.title()) for k in NudgeKind])
    priority = models.FloatField()
    reason = models.CharField(max_length=300)
    distillation = models.ForeignKey(
        Distillation, null=True, blank=True, on_delete=models.SET_NULL, related_name="nudges"
    )
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    site = models.CharField(
        max_length=300,
        blank=True,
        default="",
        help_text="The site for whose sake it was made, if for one.",
    )

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                name="nudge_pending", fields=["crawl", "id"], condition=Q(applied_at__isnull=True)
            ),
            models.Index(name="nudge_of_url", fields=["crawl", "number"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.number}: {self.reason}"


class Verdict(models.Model):
    """Useful or not useful, said by a person of a page or of a whole site."""

    class Value(models.TextChoices):
        USEFUL = "useful", "Useful"
        NOT_USEFUL = "not_useful", "Not useful"

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="verdicts")
    number = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of the page's URL in the frontier; none for a site."
    )
    page_seq = models.BigIntegerField(null=True, blank=True)
    site = models.CharField(max_length=300, help_text="The site, or that of the page.")
    value = models.CharField(max_length=10, choices=Value.choices)
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    edits = models.JSONField(default=list, help_text="Edits of the topic tree it caused, by id.")
    effect = models.CharField(max_length=300, blank=True, help_text="What it did, in words.")
    revision = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Settings of the crawl that follow it, or its undoing; none: not yet.",
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(name="verdict_of_page", fields=["crawl", "number"]),
            models.Index(
                name="verdict_unsettled", fields=["crawl"], condition=Q(revision__isnull=True)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                name="one_verdict_of_a_person_on_a_page",
                fields=["crawl", "number", "by"],
                condition=Q(undone_at__isnull=True, number__isnull=False),
            ),
            models.UniqueConstraint(
                name="one_verdict_of_a_person_on_a_site",
                fields=["crawl", "site", "by"],
                condition=Q(undone_at__isnull=True, number__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_value_display()}: {self.site}"

    @property
    def is_of_site(self) -> bool:
        return self.number is None
