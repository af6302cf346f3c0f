"""The label queue of a crawl: which pages people are asked about, and what they answered."""

from django.db import models
from django.db.models import Q

from crawler.core.labels.choosing import Part
from crawler.models.crawl import Crawl
from crawler.models.feedback import Verdict

TRAIN_AFTER = 20


class LabelQueue(models.Model):
    """What holds for the queue of one crawl, and how far its trainings have come."""

    crawl = models.OneToOneField(Crawl, on_delete=models.CASCADE, related_name="label_queue")
    train_after = models.PositiveSmallIntegerField(
        default=TRAIN_AFTER, help_text="Labels; then the model is trained anew."
    )
    wants_agreement = models.BooleanField(
        default=False, help_text="Each page is labelled by two people."
    )
    counted_from = models.BigIntegerField(
        default=0, help_text="The last answer that the training before has seen."
    )
    is_due = models.BooleanField(default=False, help_text="Enough labels, but no training yet.")
    training = models.ForeignKey(
        "taxonomy.TrainedModel", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    is_followed = models.BooleanField(
        default=True, help_text="The crawl has taken what the training made of it."
    )

    def __str__(self) -> str:
        return f"{self.crawl}: labels"


class PrecisionSample(models.Model):
    """Pages drawn at random among those that the crawl calls relevant, for one model."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="precision_samples")
    model = models.ForeignKey("taxonomy.TrainedModel", on_delete=models.CASCADE, related_name="+")
    draw = models.PositiveSmallIntegerField(default=1, help_text="Counts up within the model.")
    good = models.JSONField(help_text="Lineages of the good topics then.")
    seed = models.PositiveIntegerField()
    seq = models.BigIntegerField(help_text="Of the last page that could be drawn.")
    population = models.PositiveIntegerField(help_text="Pages that were called relevant.")
    pages = models.JSONField(help_text="Number and seq of each page drawn, in an order of chance.")
    asked = models.PositiveSmallIntegerField(help_text="How many of them shall be labelled.")
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(name="sample_drawn_once", fields=["crawl", "model", "draw"])
        ]

    def __str__(self) -> str:
        return f"{self.crawl}: sample for {self.model}"


class LabelTask(models.Model):
    """A page of the queue; the order is that of the ids."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="label_tasks")
    number = models.PositiveIntegerField(help_text="Of the page's URL in the frontier.")
    page_seq = models.BigIntegerField()
    part = models.CharField(max_length=11, choices=[(p.value, p.name.title()) for p in Part])
    sample = models.ForeignKey(
        PrecisionSample, null=True, blank=True, on_delete=models.CASCADE, related_name="tasks"
    )
    reason = models.CharField(max_length=300)
    is_open = models.BooleanField(default=True)
    handed_to = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    handed_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(name="label_task_open", fields=["crawl", "id"], condition=Q(is_open=True)),
            models.Index(name="label_task_of_page", fields=["crawl", "number"]),
        ]
        constraints = [
            models.UniqueConstraint(
                name="asked_once", fields=["crawl", "number"], condition=Q(sample__isnull=True)
            ),
            models.UniqueConstraint(name="asked_once_in_a_sample", fields=["sample", "number"]),
        ]

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.page_seq}: {self.part}"


class LabelAnswer(models.Model):
    """What one person said when asked about a page. The verdict is what acts."""

    class Value(models.TextChoices):
        USEFUL = Verdict.Value.USEFUL.value, "Useful"
        NOT_USEFUL = Verdict.Value.NOT_USEFUL.value, "Not useful"
        SKIPPED = "skipped", "Skipped"

    task = models.ForeignKey(LabelTask, on_delete=models.CASCADE, related_name="answers")
    by = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+")
    value = models.CharField(max_length=10, choices=Value.choices)
    verdict = models.ForeignKey(
        Verdict,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="None for what was skipped, or was said of the page before.",
    )
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                name="one_answer_of_a_person",
                fields=["task", "by"],
                condition=Q(undone_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_value_display()}: {self.task_id}"
