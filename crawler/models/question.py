"""What is told about the links of a crawl, and the questions that people ask of it."""

from django.db import models

from crawler.models.crawl import Crawl
from focusadmin.accounts.visibility import VisibleQuerySet


class CrawlSurvey(models.Model):
    """Figures about topics and links, made with each distillation; only the latest are kept."""

    crawl = models.OneToOneField(
        Crawl, on_delete=models.CASCADE, primary_key=True, related_name="survey"
    )
    seq = models.BigIntegerField(help_text="Of the last page that was seen.")
    figures = models.JSONField()
    at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.crawl}: survey up to page {self.seq}"


class SavedQuestion(models.Model):
    """A query that somebody wants to ask again: of one crawl, or of any of the team's."""

    team = models.ForeignKey(
        "accounts.Team", on_delete=models.CASCADE, related_name="saved_questions"
    )
    crawl = models.ForeignKey(
        Crawl,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="saved_questions",
        help_text="None: of any crawl of the team.",
    )
    name = models.CharField(max_length=120)
    sql = models.TextField()
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet["SavedQuestion"].as_manager()

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
