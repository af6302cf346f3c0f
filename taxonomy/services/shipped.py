"""Loads the shipped tree for a team."""

from pathlib import Path

from focusadmin.accounts.models import Team
from taxonomy.core.shipped import shipped_records
from taxonomy.models import Example, Taxonomy
from taxonomy.services.imports import ImportReport, taxonomy_import

DATA = Path(__file__).resolve().parent.parent / "data"
SHIPPED_SLUG = "canonical"
SHIPPED_NAME = "Canonical topics"


def shipped_taxonomy_ensure(*, team: Team) -> ImportReport | None:
    """Load the tree at first start; afterwards it is the team's own, to edit as they like."""
    if Taxonomy.objects.ready().filter(slug=SHIPPED_SLUG).exists():
        return None
    return taxonomy_import(
        name=SHIPPED_NAME,
        slug=SHIPPED_SLUG,
        team=team,
        records=shipped_records(DATA),
        source=Example.Source.SHIPPED,
    )
