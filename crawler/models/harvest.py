"""What a crawl knows and has brought home. Written by crawler/store.py, many rows at a time.

Keys are (crawl, number): rows of a crawl lie side by side in the order in which they came, so that
a row more costs the same at three million as at ten thousand (docs/decisions/0012).
"""

from django.db import models

from crawler.models.crawl import Crawl


class CrawlHost(models.Model):
    """A host that the crawl has met, and how it must be treated."""

    pk = models.CompositePrimaryKey("crawl_id", "number")
    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="hosts", db_index=False)
    number = models.PositiveIntegerField()
    host = models.CharField(max_length=300, help_text="With its port, if that is no usual one.")
    site = models.CharField(max_length=300)
    address = models.CharField(max_length=60, blank=True)
    not_before = models.FloatField(default=0.0, help_text="Seconds since 1970.")
    pages = models.PositiveIntegerField(default=0)
    relevance_sum = models.FloatField(default=0.0)
    failures = models.PositiveIntegerField(default=0)
    robots_note = models.CharField(max_length=60, blank=True)
    robots_denied = models.PositiveIntegerField(default=0)
    crawl_delay = models.FloatField(null=True, help_text="What robots.txt asks for, in seconds.")
    requests = models.PositiveIntegerField(
        default=0, help_text="Really made, robots.txt and redirects among them."
    )
    first_asked = models.FloatField(default=0.0, help_text="Seconds since 1970.")
    last_asked = models.FloatField(default=0.0, help_text="Seconds since 1970.")
    shortest_gap = models.FloatField(
        null=True, help_text="Seconds between the beginnings of two requests, as measured."
    )
    last_error = models.CharField(max_length=60, blank=True)
    last_error_at = models.FloatField(default=0.0, help_text="Seconds since 1970.")

    def __str__(self) -> str:
        return self.host


class FrontierUrl(models.Model):
    """A URL that the crawl has seen. `number` is the order of discovery."""

    class State(models.IntegerChoices):
        WAITING = 0, "Waiting"
        DONE = 1, "Done"
        DEAD = 2, "Dead"

    pk = models.CompositePrimaryKey("crawl_id", "number")
    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="frontier", db_index=False
    )
    number = models.PositiveIntegerField()
    url_key = models.BigIntegerField()
    url = models.TextField()
    host = models.PositiveIntegerField(help_text="Number of the host.")
    state = models.SmallIntegerField(choices=State.choices, default=State.WAITING)
    priority = models.FloatField()
    tries = models.PositiveSmallIntegerField(default=0)
    depth = models.PositiveSmallIntegerField(default=0)
    not_before = models.FloatField(default=0.0)
    found_on = models.IntegerField(default=-1, help_text="Number of the page; -1: a start URL.")

    def __str__(self) -> str:
        return self.url


class Page(models.Model):
    """A fetch that came to an end, well or not. `seq` rises with every commit."""

    pk = models.CompositePrimaryKey("crawl_id", "seq")
    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="pages", db_index=False)
    seq = models.BigIntegerField()
    number = models.PositiveIntegerField(help_text="Of the URL in the frontier.")
    url_key = models.BigIntegerField()
    url = models.TextField()
    host = models.PositiveIntegerField()
    site = models.CharField(max_length=300)
    outcome = models.CharField(max_length=40, help_text='"ok", or why there is no page.')
    detail = models.CharField(max_length=300, blank=True)
    status = models.PositiveSmallIntegerField(default=0)
    title = models.CharField(max_length=500, blank=True)
    language = models.CharField(max_length=12, blank=True)
    relevance = models.FloatField(null=True)
    priority_relevance = models.FloatField(null=True)
    topic = models.CharField(max_length=400, blank=True, help_text="Path of the best leaf.")
    topic_probability = models.FloatField(default=0.0)
    is_on_topic = models.BooleanField(default=False)
    content_similarity = models.FloatField(default=0.0)
    depth = models.PositiveSmallIntegerField(default=0)
    size_bytes = models.PositiveIntegerField(default=0)
    fetched_at = models.FloatField(help_text="Seconds since 1970.")
    text_key = models.BigIntegerField(null=True, help_text="Equal for equal texts.")
    same_as = models.BigIntegerField(null=True, help_text="The first page with this text.")

    class Meta:
        indexes = [
            models.Index(name="page_url_key", fields=["crawl", "url_key"]),
            models.Index(name="page_text_key", fields=["crawl", "text_key"]),
            models.Index(name="page_by_relevance", fields=["crawl", "relevance", "seq"]),
            models.Index(name="page_by_site", fields=["crawl", "site", "seq"]),
            models.Index(name="page_by_topic", fields=["crawl", "topic", "seq"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="relevance_is_a_probability",
                condition=models.Q(relevance__isnull=True)
                | models.Q(relevance__gte=0.0, relevance__lte=1.0),
            )
        ]

    def __str__(self) -> str:
        return self.url


class PageBody(models.Model):
    """The text of a page and where its links lead, packed: one row instead of fifty."""

    pk = models.CompositePrimaryKey("crawl_id", "seq")
    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="bodies", db_index=False
    )
    seq = models.BigIntegerField()
    text = models.BinaryField(help_text="UTF-8, zlib.")
    targets = models.BinaryField(help_text="Numbers of the URLs: int32, little-endian.")
    contexts = models.BinaryField(help_text="Relevance of each link's context: float32.")
    anchors = models.BinaryField(help_text="Anchors by line, zlib.")

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.seq}"


class PageBucket(models.Model):
    """A hundred pages in a row, summed up: what a chart of a long crawl is drawn from.

    Bucket n holds the pages with `seq` from 100 n + 1 to 100 n + 100, and is written with the last.
    """

    pk = models.CompositePrimaryKey("crawl_id", "number")
    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="buckets", db_index=False
    )
    number = models.PositiveIntegerField()
    judged = models.PositiveSmallIntegerField()
    failed = models.PositiveSmallIntegerField()
    relevance_sum = models.FloatField()
    relevance_min = models.FloatField(null=True)
    relevance_max = models.FloatField(null=True)
    first_at = models.FloatField(help_text="Seconds since 1970.")
    last_at = models.FloatField()

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.number}"


class CrawlEvent(models.Model):
    """Something worth a flag on the chart, at the page after which it happened."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="events")
    seq = models.BigIntegerField(default=0)
    kind = models.CharField(max_length=30)
    text = models.CharField(max_length=300)
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text
