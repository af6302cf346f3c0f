"""Where the parts of the map's drawings go. Numbers come as text, ready for SVG in any locale."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crawler.core.topicmap import Citation

WIDTH, HEIGHT = 720, 520
_RADII = (190.0, 200.0)
_LABEL = 12.0  # from the circle to the name
_PULL = 0.35  # how far a curve keeps from the middle: 0 goes through it
LEVELS = (1.0, 2.0, 4.0, 8.0)  # the lift from which a shade, or a line, is one stronger


def level_of(lift: float) -> int:
    """1 to 4.

    >>> level_of(1.2), level_of(2.0), level_of(80.0)
    (1, 2, 4)
    """
    return max(1, sum(lift >= each for each in LEVELS))


@dataclass(frozen=True)
class Node:
    topic: str
    x: str
    y: str
    label_x: str
    label_y: str
    anchor: str

    @property
    def name(self) -> str:
        return self.topic.rpartition("/")[2].replace("_", " ")


@dataclass(frozen=True)
class Arc:
    path: str
    level: int
    citation: Citation


@dataclass(frozen=True)
class Drawing:
    nodes: list[Node]
    arcs: list[Arc]
    width: int = WIDTH
    height: int = HEIGHT


def drawn(citations: Sequence[Citation]) -> Drawing:
    """The topics on an ellipse, in the order of the tree, and a curve for each citation."""
    topics = sorted({topic for each in citations for topic in (each.source, each.target)})
    angles = {
        topic: 2 * math.pi * (place + 0.5) / len(topics) - math.pi / 2
        for place, topic in enumerate(topics)
    }
    nodes = [_node(topic, angle) for topic, angle in angles.items()]
    arcs = [
        Arc(_curve(angles[each.source], angles[each.target]), level_of(each.lift), each)
        for each in citations
    ]
    return Drawing(nodes, arcs)


def _at(angle: float, further: float = 0.0) -> tuple[float, float]:
    across, down = _RADII
    return (
        WIDTH / 2 + (across + further) * math.cos(angle),
        HEIGHT / 2 + (down + further) * math.sin(angle),
    )


def _node(topic: str, angle: float) -> Node:
    x, y = _at(angle)
    label_x, label_y = _at(angle, _LABEL)
    anchor = "start" if math.cos(angle) > 0 else "end"
    return Node(topic, f"{x:.1f}", f"{y:.1f}", f"{label_x:.1f}", f"{label_y + 4:.1f}", anchor)


def _curve(start: float, end: float) -> str:
    """Bent to the right hand of who goes along it, so that there and back are two curves."""
    (x1, y1), (x2, y2) = _at(start, -6.0), _at(end, -10.0)
    middle_x = WIDTH / 2 + _PULL * ((x1 + x2) / 2 - WIDTH / 2) - 0.12 * (y2 - y1)
    middle_y = HEIGHT / 2 + _PULL * ((y1 + y2) / 2 - HEIGHT / 2) + 0.12 * (x2 - x1)
    return f"M{x1:.1f} {y1:.1f}Q{middle_x:.1f} {middle_y:.1f} {x2:.1f} {y2:.1f}"


@dataclass(frozen=True)
class Bar:
    x: str
    y: str
    width: str
    height: str
    middle: str
    over: str  # where the count stands
    under: str  # and the label
    label: str
    count: int


BARS_WIDTH, BARS_HEIGHT, BARS_FOOT, BARS_HEAD = 640, 220, 40, 18


def bars(counts: Sequence[tuple[str, int]]) -> list[Bar]:
    """Side by side, the highest as high as there is room."""
    highest = max((count for _, count in counts), default=0) or 1
    step = BARS_WIDTH / max(len(counts), 1)
    room = BARS_HEIGHT - BARS_FOOT - BARS_HEAD
    told = []
    for place, (label, count) in enumerate(counts):
        height = room * count / highest
        told.append(
            Bar(
                x=f"{step * (place + 0.15):.1f}",
                y=f"{BARS_HEIGHT - BARS_FOOT - height:.1f}",
                width=f"{step * 0.7:.1f}",
                height=f"{height:.1f}",
                middle=f"{step * (place + 0.5):.1f}",
                over=f"{BARS_HEIGHT - BARS_FOOT - height - 5:.1f}",
                under=f"{BARS_HEIGHT - BARS_FOOT + 20:.1f}",
                label=label,
                count=count,
            )
        )
    return told
