"""Alarms: one per crawl and rule, their history, and who is told."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from crawler.core.alarms.rules import RULES, Rule, RuleKey
from crawler.core.alarms.states import State
from crawler.models.crawl import Crawl
from focusadmin.accounts.visibility import VisibleQuerySet

STATES = [(state.value, state.label) for state in State]


class AlarmWatch(models.Model):
    """What the rules of a crawl remember, and up to which page they have looked."""

    crawl = models.OneToOneField(Crawl, on_delete=models.CASCADE, related_name="alarm_watch")
    seq = models.BigIntegerField(default=0)
    memory = models.JSONField(default=dict)
    seq_changed_at = models.DateTimeField(
        null=True, help_text="When pages were last seen to come in."
    )
    estimated_seq = models.BigIntegerField(
        default=0, help_text="Page at which it was last estimated how much is left."
    )
    is_closed = models.BooleanField(default=False, help_text="The crawl rests; all was looked at.")

    def __str__(self) -> str:
        return f"watch over {self.crawl}"


class AlarmQuerySet(VisibleQuerySet["Alarm"]):
    team_field = "crawl__team"


class Alarm(models.Model):
    """How one rule stands for one crawl."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="alarms")
    rule = models.CharField(max_length=12)
    state = models.CharField(max_length=10, choices=STATES, default=State.NO_DATA)
    held_since = models.FloatField(
        null=True, help_text="Page or second from which the signal has held."
    )
    since_seq = models.BigIntegerField(default=0, help_text="Page after which it began.")
    since = models.DateTimeField()
    evidence = models.CharField(max_length=300, blank=True)
    muted_until = models.DateTimeField(null=True, blank=True)
    muted_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    objects = AlarmQuerySet.as_manager()

    class Meta:
        ordering = ["-since", "rule"]
        constraints = [
            models.UniqueConstraint(name="alarm_once_per_crawl_and_rule", fields=["crawl", "rule"]),
        ]
        indexes = [models.Index(name="alarm_state", fields=["state"])]

    def __str__(self) -> str:
        return f"{self.about.label}: {self.crawl}"

    @property
    def about(self) -> Rule:
        return RULES[RuleKey(self.rule)]

    def is_muted(self, now: datetime) -> bool:
        return self.muted_until is not None and self.muted_until > now


class AlarmChange(models.Model):
    """An alarm went from one state to another."""

    alarm = models.ForeignKey(Alarm, on_delete=models.CASCADE, related_name="changes")
    before = models.CharField(max_length=10, choices=STATES)
    after = models.CharField(max_length=10, choices=STATES)
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    text = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.alarm}: {self.before} to {self.after}"


class AlarmSettings(models.Model):
    """Who is told, for a team's crawls or for one of them; the crawl's own win."""

    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    crawl = models.OneToOneField(
        Crawl, null=True, blank=True, on_delete=models.CASCADE, related_name="alarm_settings"
    )
    emails = models.JSONField(default=list, blank=True)
    webhook_url = models.CharField(max_length=2_000, blank=True)
    rules_off = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "alarm settings"
        constraints = [
            models.UniqueConstraint(
                name="alarm_settings_once_per_team", fields=["team"], condition=Q(crawl=None)
            ),
        ]

    def __str__(self) -> str:
        return f"alarm settings of {self.crawl or self.team}"


class AlarmNotice(models.Model):
    """A change that somebody is to be told of; those that wait go out together."""

    class Channel(models.TextChoices):
        EMAIL = "email", "E-mail"
        WEBHOOK = "webhook", "Webhook"

    change = models.ForeignKey(AlarmChange, on_delete=models.CASCADE, related_name="notices")
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    rule = models.CharField(max_length=12)
    channel = models.CharField(max_length=7, choices=Channel.choices)
    target = models.CharField(max_length=2_000)
    claimed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(name="alarm_notice_waiting", fields=["claimed_at"])]

    def __str__(self) -> str:
        return f"{self.get_channel_display()} about {self.change}"
