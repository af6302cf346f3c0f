"""What the distiller found, run by run, so that changes of rank can be shown."""

from django.db import models

from crawler.models.crawl import Crawl


class Distillation(models.Model):
    """One run of the distiller over the pages of a crawl."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="distillations")
    number = models.PositiveIntegerField(help_text="Counts up within the crawl.")
    seq = models.BigIntegerField(help_text="Of the last page that was seen.")
    pages = models.PositiveIntegerField()
    links = models.PositiveIntegerField(help_text="Between different sites, to authorities.")
    threshold = models.FloatField(help_text="No page of less relevance is an authority.")
    rounds = models.PositiveSmallIntegerField()
    has_converged = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                name="distillation_number_in_crawl", fields=["crawl", "number"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.crawl}: distillation {self.number}"


class RankedPage(models.Model):
    """A page among the best hubs or authorities of a distillation."""

    class Kind(models.TextChoices):
        HUB = "hub", "Hub"
        AUTHORITY = "authority", "Authority"

    distillation = models.ForeignKey(Distillation, on_delete=models.CASCADE, related_name="ranked")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    rank = models.PositiveIntegerField()
    earlier_rank = models.PositiveIntegerField(
        null=True, help_text="In the distillation before; none for a newcomer."
    )
    score = models.FloatField()
    page_seq = models.BigIntegerField()
    number = models.PositiveIntegerField(help_text="Of the URL in the frontier.")
    good_links = models.PositiveIntegerField(help_text="To relevant pages of other sites.")
    all_links = models.PositiveIntegerField(help_text="To fetched pages of other sites.")

    class Meta:
        ordering = ["kind", "rank"]
        constraints = [
            models.UniqueConstraint(
                name="ranked_once_in_a_distillation", fields=["distillation", "kind", "rank"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.rank}"
