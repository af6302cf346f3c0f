"""A ledger without a database, for the lab and for tests."""

from collections.abc import Sequence

from crawler.core.nudges import Nudge
from crawler.core.ports import Batch, PageRecord
from crawler.core.urlrows import FrontierRow


class MemoryLedger:
    """Keeps everything in dictionaries."""

    def __init__(self) -> None:
        self.pages: list[PageRecord] = []
        self.rows: dict[int, FrontierRow] = {}
        self.commits = 0
        self.wishes: dict[int, Nudge] = {}

    def commit(self, batch: Batch) -> int:
        self.commits += 1
        self.pages += batch.pages
        for nudge in batch.nudges:
            self.wishes.pop(nudge, None)
        for row in batch.frontier.new:
            self.rows[row.number] = row
        for number, state, priority, tries, not_before in batch.frontier.updated:
            old = self.rows[number]
            self.rows[number] = FrontierRow(
                number, old.key, old.url, old.host, state, priority, tries, old.depth,
                not_before, old.found_on,
            )  # fmt: skip
        return len(self.pages)

    def urls(self, numbers: Sequence[int]) -> dict[int, str]:
        return {number: self.rows[number].url for number in numbers if number in self.rows}

    def nudges(self) -> Sequence[Nudge]:
        return list(self.wishes.values())

    def close(self) -> None:
        """Nothing to give back."""
