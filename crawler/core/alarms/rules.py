"""What is watched in a crawl. Each rule has a name, a meaning, and a patience."""

from dataclasses import dataclass
from enum import StrEnum

from crawler.core.alarms.states import Patience


class RuleKey(StrEnum):
    SPEED = "speed"
    RELEVANCE = "relevance"
    FRONTIER = "frontier"
    ERRORS = "errors"
    CAPTURE = "capture"
    BLOCKED = "blocked"
    RESOURCES = "resources"
    WORKER = "worker"


class Unit(StrEnum):
    PAGES = "pages"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Rule:
    """One thing that can go wrong."""

    key: RuleKey
    label: str
    meaning: str
    unit: Unit
    patience: Patience

    @property
    def patience_words(self) -> str:
        """How long until it fires, and until it is over, as people read it."""
        unit = "pages" if self.unit is Unit.PAGES else "seconds"
        wait = f"after {self.patience.pending:g} {unit}" if self.patience.pending else "at once"
        return f"Fires {wait}, ends after {self.patience.recovery:g} quiet {unit}."


RULES = {
    rule.key: rule
    for rule in (
        Rule(
            RuleKey.RELEVANCE,
            "Relevance falls",
            "The moving average fell to about half of what this crawl was used to, and the fall "
            "is too long to be noise.",
            Unit.PAGES,
            Patience(0, 200),
        ),
        Rule(
            RuleKey.SPEED,
            "Acquisition rate falls",
            "Pages a minute fell to about half of what this crawl was used to.",
            Unit.SECONDS,
            Patience(10, 60),
        ),
        Rule(
            RuleKey.FRONTIER,
            "Frontier nearly empty",
            "Hardly any URL is left to fetch, and the budget would allow more.",
            Unit.SECONDS,
            Patience(4, 60),
        ),
        Rule(
            RuleKey.ERRORS,
            "Many errors",
            "The share of fetches that fail rose by a fifth over what this crawl was used to.",
            Unit.PAGES,
            Patience(0, 200),
        ),
        Rule(
            RuleKey.CAPTURE,
            "One site captures the crawl",
            "More than 40 % of the last 500 pages come from one site, twice its share before.",
            Unit.PAGES,
            Patience(100, 200),
        ),
        Rule(
            RuleKey.BLOCKED,
            "A host blocks us",
            "A host refused five requests in a row.",
            Unit.PAGES,
            Patience(0, 50),
        ),
        Rule(
            RuleKey.RESOURCES,
            "Disk or budget",
            "The disk is nearly full, or the budget ends while relevant pages still come in.",
            Unit.SECONDS,
            Patience(4, 60),
        ),
        Rule(
            RuleKey.WORKER,
            "Worker lost",
            "The crawl should be at work, and no process holds it.",
            Unit.SECONDS,
            Patience(20, 10),
        ),
    )
}
