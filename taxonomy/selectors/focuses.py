"""Reads about focuses and their good topics."""

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from focusadmin.accounts.models import User
from taxonomy.models import Focus, Taxonomy, Topic
from taxonomy.selectors.trees import ROW_FIELDS


def focuses_of(*, user: User, taxonomy: Taxonomy) -> QuerySet[Focus]:
    return Focus.objects.visible_to(user).filter(taxonomy=taxonomy)


def focuses_visible_to(user: User) -> QuerySet[Focus]:
    """On every tree, for screens where the tree is chosen too."""
    return Focus.objects.visible_to(user).select_related("taxonomy")


def focus_get(*, user: User, focus_id: int) -> Focus:
    related = ("taxonomy__root", "taxonomy__trash", "taxonomy__team", "team")
    visible = Focus.objects.visible_to(user).select_related(*related)
    return get_object_or_404(visible, pk=focus_id)


def focus_named(name: str) -> Focus | None:
    """By id or slug, for commands."""
    by_id = Q(pk=int(name)) if name.isascii() and name.isdigit() else Q()
    focuses = Focus.objects.select_related("taxonomy", "team")
    return focuses.filter(slug=name).first() or (focuses.filter(by_id).first() if by_id else None)


def good_topics_of(focus: Focus) -> list[Topic]:
    return list(focus.good_topics.only(*ROW_FIELDS).order_by("name_key"))


def good_under(*, focus: Focus, topic: Topic) -> int:
    """How many good topics would give way if this one became good."""
    under = topic._get_children_path_interval(topic.path)
    return focus.marks.filter(topic__path__range=under).count()
