"""The registry of trained models; the weights themselves are files."""

from django.db import models

from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.models.tree import Taxonomy


class TrainedModelQuerySet(VisibleQuerySet["TrainedModel"]):
    team_field = "taxonomy__team"


class TrainedModel(models.Model):
    """One training of a taxonomy: what went in, what came out, and how well it judges."""

    class Kind(models.TextChoices):
        NAIVE_BAYES = "naive_bayes", "Naive Bayes"
        LOGISTIC = "logistic", "Logistic regression"
        SVM = "svm", "Support vector machine"

    class State(models.TextChoices):
        TRAINING = "training", "Training"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    taxonomy = models.ForeignKey(Taxonomy, on_delete=models.CASCADE, related_name="trained_models")
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.TRAINING)
    is_current = models.BooleanField(default=False)
    taxonomy_revision = models.PositiveIntegerField(
        help_text="Edits up to here are in the model; later ones are learnt or retrained."
    )
    parameters = models.JSONField(default=dict)
    scores = models.JSONField(default=dict)
    example_count = models.PositiveIntegerField(default=0)
    topic_count = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    file = models.CharField(max_length=200, blank=True)
    checksum = models.CharField(max_length=64, blank=True)
    progress = models.CharField(max_length=80, blank=True)
    progress_share = models.FloatField(default=0.0)
    failure = models.CharField(max_length=500, blank=True)
    trained_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    started_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TrainedModelQuerySet.as_manager()

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(name="model_version_once", fields=["taxonomy", "version"]),
            models.UniqueConstraint(
                name="one_current_model", fields=["taxonomy"], condition=models.Q(is_current=True)
            ),
            models.UniqueConstraint(
                name="one_training_at_a_time",
                fields=["taxonomy"],
                condition=models.Q(state="training"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.taxonomy} v{self.version}"
