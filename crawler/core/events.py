"""How a run of the engine can end."""

from dataclasses import dataclass
from enum import StrEnum


class End(StrEnum):
    """Why the engine handed the crawl back."""

    SLICE_OVER = "slice_over"  # its time is up, another run goes on
    CHANGED = "changed"  # somebody changed the settings: start again with the new ones
    PAUSED = "paused"  # somebody wants it
    HELD = "held"  # paused by itself, because it can't go on; somebody has to do something
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"  # another try would do no better
    LOST = "lost"  # another process holds the crawl


@dataclass(frozen=True)
class Ending:
    end: End
    reason: str = ""
