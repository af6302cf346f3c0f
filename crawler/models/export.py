"""Raw bodies that a crawl was told to keep, and files made of a crawl for people to take home."""

from django.db import models

from crawler.models.crawl import Crawl


class RawPage(models.Model):
    """The body of a page as it was fetched. Written only if the crawl is told to keep bodies."""

    pk = models.CompositePrimaryKey("crawl_id", "seq")
    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="raw_pages", db_index=False
    )
    seq = models.BigIntegerField()
    content_type = models.CharField(max_length=200, blank=True)
    body = models.BinaryField(help_text="Inflated as it came, then zlib.")

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.seq}"


class Export(models.Model):
    """A file that is being made, or was."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Being written"
        DONE = "done", "Ready"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20)
    query = models.TextField(blank=True, help_text="The filters, as in the address of the pages.")
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    rows = models.PositiveBigIntegerField(default=0)
    size_bytes = models.PositiveBigIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    attempt = models.PositiveIntegerField(default=0, help_text="Fence: only the last may write.")
    seen_at = models.DateTimeField(null=True, help_text="The last sign of life of who writes it.")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.crawl}: {self.format}"

    @property
    def is_going(self) -> bool:
        return self.state in (self.State.WAITING, self.State.RUNNING)
