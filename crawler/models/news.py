"""What is new on somebody's topic, who has seen it, and the ways in which it reaches people."""

from django.db import models
from django.db.models import Q

from crawler.models.crawl import Crawl
from taxonomy.models import Focus


class NewsItem(models.Model):
    """One thing that a crawl has come upon. `id` rises, and is what people have seen up to."""

    class Kind(models.TextChoices):
        PAGE = "page", "New page"
        LINKS = "links", "New links on a hub"
        CHANGED = "changed", "Changed page"
        GONE = "gone", "Page gone"

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="news")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    page_seq = models.BigIntegerField()
    site = models.CharField(max_length=300)
    links = models.JSONField(default=list, help_text="Numbers of the URLs that are new on a hub.")
    at = models.DateTimeField(help_text="When the crawl saw it.")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(name="news_of_crawl", fields=["crawl", "id"]),
            models.Index(name="news_by_kind", fields=["crawl", "kind", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.crawl_id}/{self.page_seq}"


class NewsProgress(models.Model):
    """Up to where a crawl's pages, visits and hubs were looked through."""

    crawl = models.OneToOneField(
        Crawl, primary_key=True, on_delete=models.CASCADE, related_name="news_progress"
    )
    page_seq = models.BigIntegerField(default=0)
    visit_id = models.BigIntegerField(default=0)
    watched_seq = models.BigIntegerField(default=0)
    distillation = models.PositiveIntegerField(default=0, help_text="Number of the last one seen.")

    def __str__(self) -> str:
        return f"{self.crawl_id}: {self.page_seq}"


class NewsMark(models.Model):
    """A person has seen a crawl's news up to here."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="news_marks")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+")
    upto = models.BigIntegerField(default=0, help_text="The item's id.")
    before = models.BigIntegerField(default=0, help_text="Where it was before, for undo.")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_news_mark_of_a_person", fields=["crawl", "user"])
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.upto}"


class NewsFeed(models.Model):
    """A secret address at which a feed reader finds the news that its owner may see."""

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+")
    focus = models.ForeignKey(Focus, null=True, on_delete=models.CASCADE, related_name="feeds")
    crawl = models.ForeignKey(Crawl, null=True, on_delete=models.CASCADE, related_name="feeds")
    token_hash = models.CharField(
        max_length=64, unique=True, help_text="The address has the token."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="feed_of_a_focus_or_a_crawl",
                condition=Q(focus__isnull=True, crawl__isnull=False)
                | Q(focus__isnull=False, crawl__isnull=True),
            ),
            models.UniqueConstraint(
                name="one_feed_of_a_focus", fields=["user", "focus"], condition=Q(crawl=None)
            ),
            models.UniqueConstraint(
                name="one_feed_of_a_crawl", fields=["user", "crawl"], condition=Q(focus=None)
            ),
        ]

    def __str__(self) -> str:
        return f"feed {self.pk}"


class NewsDigest(models.Model):
    """A person wants the news of a focus by e-mail, every day or every week."""

    class Every(models.TextChoices):
        DAY = "day", "Every day"
        WEEK = "week", "Every week"

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+")
    focus = models.ForeignKey(Focus, on_delete=models.CASCADE, related_name="digests")
    every = models.CharField(max_length=4, choices=Every.choices)
    upto = models.BigIntegerField(default=0, help_text="The last item that was mailed, by id.")
    next_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, help_text="When the last one was about to leave.")
    outcome = models.CharField(
        max_length=200, blank=True, help_text="Of the last one; empty: nobody knows."
    )
    base_url = models.CharField(max_length=300, help_text="Where the person reads FocusAdmin.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(name="digest_due", fields=["next_at"])]
        constraints = [
            models.UniqueConstraint(name="one_digest_of_a_focus", fields=["user", "focus"])
        ]

    def __str__(self) -> str:
        return f"digest {self.pk}"
