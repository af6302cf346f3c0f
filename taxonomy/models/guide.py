"""What the guided path from bookmarks to a crawl remembers of a focus (docs/decisions/0016)."""

from typing import Self

from django.db import models

from focusadmin.accounts.visibility import VisibleQuerySet
from taxonomy.core.records import TITLE_MAX, URL_MAX
from taxonomy.models.focus import Focus


class FocusDraft(models.Model):
    """The saved steps of a focus, as they were left: nothing typed is lost."""

    focus = models.OneToOneField(
        Focus, on_delete=models.CASCADE, primary_key=True, related_name="draft"
    )
    is_demo = models.BooleanField(default=False)
    file_name = models.CharField(max_length=200, blank=True)
    report = models.JSONField(
        default=dict, blank=True, help_text="Of the file: format, duplicates, skipped."
    )
    cancelled_upload = models.CharField(
        max_length=36, blank=True, help_text="Of an upload that is not to be kept when it is read."
    )
    bookmarks = models.BinaryField(
        null=True, blank=True, help_text="What was found in the file: JSON, zlib."
    )
    chosen = models.JSONField(default=list, blank=True, help_text="Numbers of the chosen folders.")
    pasted = models.TextField(blank=True)
    plan = models.JSONField(default=dict, blank=True, help_text="The form of the last step.")
    contact = models.CharField(max_length=254, blank=True)
    reader_until = models.DateTimeField(
        null=True, blank=True, help_text="Till then one worker alone reads this focus's pages."
    )
    edited_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"Draft of {self.focus}"


class FocusPageQuerySet(VisibleQuerySet["FocusPage"]):
    team_field = "focus__team"

    def examples(self) -> Self:
        return self.filter(standing=FocusPage.Standing.EXAMPLE)

    def waiting(self) -> Self:
        return self.filter(state=FocusPage.State.WAITING)


class FocusPage(models.Model):
    """A page that somebody brought to a focus, or that was found near one."""

    class Standing(models.TextChoices):
        EXAMPLE = "example", "Example"
        NEIGHBOUR = "neighbour", "Neighbour"  # linked from an example; nobody has judged it yet
        REJECTED = "rejected", "Rejected"
        BROWSED = "browsed", "Marked while browsing"  # its topics count, the crawl starts elsewhere

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        READ = "read", "Read"
        UNREACHABLE = "unreachable", "Unreachable"
        PASSED_OVER = "passed_over", "Not fetched"

    class Source(models.TextChoices):
        BOOKMARKS = "bookmarks", "Bookmark file"
        PASTED = "pasted", "Pasted list"
        DEMO = "demo", "Demo bookmarks"
        EXPLORED = "explored", "Found by exploring"
        CLASSIFIED = "classified", "Classified while browsing"

    BY_WORDS = (State.UNREACHABLE, State.PASSED_OVER)  # judged by title and address only

    focus = models.ForeignKey(Focus, on_delete=models.CASCADE, related_name="pages")
    url = models.CharField(max_length=URL_MAX)
    url_digest = models.CharField(max_length=32, help_text="Of the address, which is too long.")
    title = models.CharField(max_length=TITLE_MAX, blank=True)
    folder = models.CharField(max_length=500, blank=True)
    source = models.CharField(max_length=10, choices=Source.choices)
    standing = models.CharField(max_length=9, choices=Standing.choices, default=Standing.EXAMPLE)
    state = models.CharField(max_length=11, choices=State.choices, default=State.WAITING)
    problem = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True)
    links = models.JSONField(default=list, blank=True, help_text="Address and anchor of each.")
    topic = models.CharField(max_length=1000, blank=True, help_text="Path that it was routed to.")
    probabilities = models.JSONField(
        default=dict, blank=True, help_text="By path, without those that are negligible."
    )
    routed_by = models.CharField(
        max_length=64, blank=True, help_text="Checksum of the model that routed it."
    )
    found_on = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="neighbours"
    )
    distance = models.PositiveSmallIntegerField(default=0, help_text="Links from an example.")
    added_by = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)

    objects = FocusPageQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="page_once_in_a_focus", fields=["focus", "url_digest"]),
        ]
        indexes = [models.Index(name="focus_page_state", fields=["state", "focus"])]

    def __str__(self) -> str:
        return self.title or self.url

    @property
    def is_by_words(self) -> bool:
        return self.state in self.BY_WORDS
