"""Reads about focuses together with their crawls."""

from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, QuerySet

from crawler.models import Crawl
from focusadmin.accounts.models import User
from taxonomy.models import Focus, GoodTopic


def focuses_shown(user: User) -> QuerySet[Focus]:
    """With what a list tells of each: its good topics, and whether it is a draft still."""
    return (
        Focus.objects.visible_to(user)
        .select_related("taxonomy", "owner")
        .prefetch_related("good_topics")
        .annotate(
            crawl_count=Count("crawls", distinct=True),
            is_draft=~Exists(Crawl.objects.filter(focus=OuterRef("pk"))),
            has_marks=Exists(GoodTopic.objects.filter(focus=OuterRef("pk"))),
        )
        .order_by("-created_at")
    )


def drafts_of(user: User, most: int = 10) -> Sequence[Focus]:
    """Focuses that nobody has started a crawl with yet, newest first."""
    return list(focuses_shown(user).filter(crawls__isnull=True)[:most])


def crawls_of_focus(user: User, focus: Focus) -> QuerySet[Crawl]:
    return Crawl.objects.visible_to(user).filter(focus=focus)
