"""Train a taxonomy's model now."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from focusadmin.accounts.services import first_user_ensure
from focusadmin.commands import progress_bar
from taxonomy.core.training import DEFAULT_HOLDOUT, KINDS
from taxonomy.selectors.trees import taxonomy_named
from taxonomy.services.shipped import SHIPPED_SLUG
from taxonomy.services.training import model_train


class Command(BaseCommand):
    help = "Train a model on the examples of a taxonomy and judge it on held-out pages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--taxonomy", default=SHIPPED_SLUG)
        parser.add_argument("--model", default="", choices=KINDS)
        parser.add_argument(
            "--holdout",
            type=_share,
            default=DEFAULT_HOLDOUT,
            help="share of the pages to judge on, from 0.05 to 0.5",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        taxonomy = taxonomy_named(options["taxonomy"])
        if taxonomy is None:
            raise CommandError(f"There is no taxonomy {options['taxonomy']}.")
        with progress_bar() as on_progress:
            model = model_train(
                taxonomy=taxonomy,
                kind=options["model"],
                by=first_user_ensure(),
                holdout=options["holdout"],
                on_progress=lambda what, share: on_progress(what, int(share * 100), 100),
            )
        result = {
            "taxonomy": taxonomy.slug,
            "model": model.kind,
            "version": model.version,
            "examples": model.example_count,
            "leaf_accuracy": model.scores["leaf_accuracy"],
            "top_accuracy": model.scores["top_accuracy"],
            "brier": model.scores["brier"],
            "seconds": round(model.seconds, 3),
        }
        self.stdout.write(json.dumps(result) if options["json"] else _told(result))


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.05 <= share <= 0.5:
        raise ArgumentTypeError("must be a share from 0.05 to 0.5")
    return share


def _told(result: dict[str, Any]) -> str:
    return (
        f"{result['taxonomy']} v{result['version']} ({result['model']}), {result['examples']:,} "
        f"examples in {result['seconds']:.1f} s. Held-out pages: {result['top_accuracy']:.1%} "
        f"right at the top, {result['leaf_accuracy']:.1%} at the leaf, Brier {result['brier']:.3f}."
    )
