"""Make a focus on the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction
from django.http import Http404

from focusadmin.accounts.services import first_user_ensure
from focusadmin.commands import ActionCommand
from taxonomy.core.records import clean_url
from taxonomy.models import Taxonomy, Topic
from taxonomy.selectors.trees import path_of, taxonomy_named, topic_by_path
from taxonomy.services.focuses import focus_create


class Command(ActionCommand):
    help = "Make a focus: good topics of a tree, and where to start."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        creating = self.add_action(
            actions, "create", self.create, help="make a focus", show=lambda made: made["focus"]
        )
        creating.add_argument("--name", required=True)
        creating.add_argument("--taxonomy", required=True)
        # Once with many, or many times with one.
        some: dict[str, Any] = {"nargs": "+", "action": "extend"}
        creating.add_argument("--good", **some, required=True, metavar="PATH")
        creating.add_argument(
            "--pass-through",
            **some,
            default=[],
            metavar="PATH",
            help="topics that count for priority, not for the relevance shown",
        )
        creating.add_argument("--start", **some, default=[], metavar="URL")

    @transaction.atomic
    def create(
        self,
        *,
        name: str,
        taxonomy: str,
        good: list[str],
        pass_through: list[str],
        start: list[str],
        **_: Any,
    ) -> dict[str, Any]:
        tree = taxonomy_named(taxonomy)
        if tree is None:
            raise CommandError(f"There is no taxonomy {taxonomy}.")
        refused = [url for url in start if clean_url(url) is None]
        if refused:
            raise CommandError(f"Not a web address: {', '.join(refused)}")
        topics = [_topic(tree, path) for path in good]
        passing = [_topic(tree, path) for path in pass_through]
        focus = focus_create(
            name=name,
            taxonomy=tree,
            by=first_user_ensure(),
            good=topics,
            pass_through=passing,
            start_urls=start,
        )
        return {
            "focus": focus.slug,
            "id": focus.pk,
            "good": [path_of(topic) for topic in topics],
            "pass_through": [path_of(topic) for topic in passing],
            "start_urls": start,
        }


def _topic(tree: Taxonomy, path: str) -> Topic:
    try:
        return topic_by_path(taxonomy=tree, path=path)
    except Http404:
        raise CommandError(f"{tree.slug} has no topic {path}.") from None
