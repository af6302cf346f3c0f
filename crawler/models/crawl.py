"""A crawl: what it is for, how it runs, and who holds it at the moment."""

from django.core.exceptions import ValidationError
from django.db import models

from crawler.core.frontier import registry
from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.models import Focus, TrainedModel


class Crawl(models.Model):
    """One run of the crawler for a focus.

    Good topics and model are copied from the focus at the start, so that what a crawl did stays
    explained when the focus moves on.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        RATE_LIMITED = "rate_limited", "Rate-limited"
        PAUSING = "pausing", "Pausing"
        PAUSED = "paused", "Paused"
        STOPPING = "stopping", "Stopping"
        FINISHED = "finished", "Finished"
        FAILED = "failed", "Failed"

    # What should be at work; the scheduler looks for those that nobody holds.
    ACTIVE = (State.QUEUED, State.RUNNING, State.RATE_LIMITED, State.PAUSING, State.STOPPING)

    focus = models.ForeignKey(Focus, on_delete=models.PROTECT, related_name="crawls")
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="crawls")
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=80, unique=True)
    started_by = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    reason = models.CharField(max_length=300, blank=True)
    contact = models.CharField(max_length=254)

    strategy = models.CharField(max_length=40, default=registry.DEFAULT)
    config = models.JSONField(default=dict)
    good = models.JSONField(default=list, help_text="Lineages: they count in the relevance shown.")
    pass_through = models.JSONField(
        default=list, help_text="Lineages that count for priority only (1999 paper, section 2.2)."
    )
    start_urls = models.JSONField(default=list)
    model = models.ForeignKey(TrainedModel, on_delete=models.PROTECT, related_name="crawls")
    settings_revision = models.PositiveIntegerField(default=1)
    ranked_revision = models.PositiveIntegerField(
        default=0, help_text="The settings that relevances and priorities follow."
    )

    judged_with = models.JSONField(
        default=dict,
        blank=True,
        help_text="Model file and topics by which all relevances were judged.",
    )

    seq = models.BigIntegerField(default=0, help_text="Of the last page that was committed.")
    fetched = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    revisited = models.PositiveIntegerField(
        default=0, help_text="Visits of pages that were there already; not among `fetched`."
    )
    round_until = models.PositiveIntegerField(
        null=True, blank=True, help_text="In a revisit round: so many pages fetched, old and new."
    )
    relevant = models.PositiveIntegerField(default=0)
    relevance_sum = models.FloatField(default=0.0)
    bytes_fetched = models.BigIntegerField(default=0)
    seconds_run = models.FloatField(default=0.0)
    frontier_size = models.PositiveIntegerField(default=0)
    status = models.JSONField(default=dict, help_text="What the engine last told about itself.")

    fence = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    crashes = models.PositiveSmallIntegerField(
        default=0, help_text="Slices in a row that ended without a single page."
    )

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    was_handed_over = True  # no column: whether the holder before took its leave

    objects = VisibleQuerySet["Crawl"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(name="crawl_state", fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Against the registry and not in `choices`, which would write it into the schema."""
        if self.strategy not in registry.KEYS:
            raise ValidationError({"strategy": f"There is no strategy {self.strategy}."})

    @property
    def strategy_label(self) -> str:
        """Its name as people read it."""
        return registry.entry(self.strategy).label

    @property
    def mean_relevance(self) -> float:
        return self.relevance_sum / self.fetched if self.fetched else 0.0

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE
