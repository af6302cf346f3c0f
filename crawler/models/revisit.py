"""Pages that are visited again, and what came of it."""

from datetime import UTC, datetime

from django.db import models
from django.db.models import Q

from crawler.models.crawl import Crawl


class PageWatch(models.Model):
    """A page that is worth another visit: what its visits showed, and when the next one is due."""

    pk = models.CompositePrimaryKey("crawl_id", "number")
    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="watches", db_index=False
    )
    number = models.PositiveIntegerField(help_text="Of the URL in the frontier.")
    page_seq = models.BigIntegerField()
    worth = models.FloatField(help_text="Relevance, or hub score where that is larger.")
    is_hub = models.BooleanField(default=False)
    looks = models.JSONField(default=list, help_text="[seconds since the visit before, changed]")
    visited_at = models.FloatField(help_text="Seconds since 1970.")
    due_at = models.FloatField(help_text="Seconds since 1970.")
    asked_at = models.DateTimeField(null=True, help_text="It is due, and the engine was told so.")
    gone_at = models.DateTimeField(null=True, help_text="Since then the host says: no such page.")

    class Meta:
        indexes = [
            models.Index(
                name="watch_due", fields=["crawl", "due_at"], condition=Q(gone_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.number}"


class PageVisit(models.Model):
    """A visit of a page that was there already. No row of `Page`: that counts what was found."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="page_visits")
    number = models.PositiveIntegerField(help_text="Of the URL in the frontier.")
    page_seq = models.BigIntegerField(help_text="The page that was visited again.")
    after_seq = models.BigIntegerField(help_text="The crawl's last page at that time.")
    at = models.FloatField(help_text="Seconds since 1970.")
    outcome = models.CharField(max_length=40)
    status = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(help_text="Since the visit before.")
    changed = models.BooleanField(null=True, help_text="None: there was no page to compare.")
    similarity = models.FloatField(null=True, help_text="Of the texts, by their shingles.")
    new_links = models.JSONField(default=list, help_text="Numbers of URLs it did not link to.")
    size_bytes = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(name="visit_of_page", fields=["crawl", "number"])]

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.number}: {self.outcome}"

    @property
    def when(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)
