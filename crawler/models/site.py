"""The sites of a crawl: their figures, and what people decided about them."""

from django.db import models
from django.db.models import Q

from crawler.models.crawl import Crawl


class CrawlSite(models.Model):
    """A site in figures, counted anew every few seconds, and whether it is in or out."""

    class State(models.TextChoices):
        NEW = "new", "Not looked at"
        IN = "in", "In"
        OUT = "out", "Out"
        UNDECIDED = "undecided", "Undecided"

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="sites", db_index=False)
    site = models.CharField(max_length=300)
    state = models.CharField(max_length=9, choices=State.choices, default=State.NEW)
    entries = models.JSONField(
        default=list, blank=True, help_text="What being out added to the stay-away list."
    )
    hosts = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(default=0)
    relevant = models.PositiveIntegerField(default=0)
    relevance_sum = models.FloatField(default=0.0)
    failed = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0, help_text="By robots.txt.")
    waiting = models.PositiveIntegerField(default=0)
    evidence_sum = models.FloatField(
        default=0.0, help_text="Relevances of the pages on which the waiting URLs were found."
    )
    density_low = models.FloatField(default=0.0)
    density_high = models.FloatField(default=1.0)
    predicted = models.FloatField(default=0.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="a_site_once_in_a_crawl", fields=["crawl", "site"])
        ]
        indexes = [
            models.Index(name="site_by_density", fields=["crawl", "density_low", "id"]),
            models.Index(name="site_by_prediction", fields=["crawl", "predicted", "id"]),
        ]

    def __str__(self) -> str:
        return self.site

    @property
    def density(self) -> float:
        """Share of relevant pages among those that were read."""
        return self.relevant / self.pages if self.pages else 0.0


class SiteCount(models.Model):
    """When a crawl's sites were counted, and what the crawl was like then."""

    crawl = models.OneToOneField(
        Crawl, on_delete=models.CASCADE, primary_key=True, related_name="site_count"
    )
    at = models.DateTimeField()
    seconds = models.FloatField(help_text="How long it took.")
    seq = models.BigIntegerField()
    frontier_size = models.PositiveIntegerField()
    ranked_revision = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.crawl_id} at {self.seq}"


class SiteDecision(models.Model):
    """In, out or undecided, said by a person of a site. The majority of them is in force."""

    class Value(models.TextChoices):
        IN = "in", "In"
        OUT = "out", "Out"
        UNDECIDED = "undecided", "Undecided"

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="site_decisions")
    site = models.CharField(max_length=300)
    value = models.CharField(max_length=9, choices=Value.choices)
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField()
    kept_from = models.ForeignKey(
        Crawl,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The earlier crawl of the same focus in which it was said.",
    )
    effect = models.CharField(max_length=300, blank=True, help_text="What it did, in words.")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(name="decision_on_site", fields=["crawl", "site"])]
        constraints = [
            models.UniqueConstraint(
                name="one_decision_of_a_person_on_a_site",
                fields=["crawl", "site", "by"],
                condition=Q(undone_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_value_display()}: {self.site}"
