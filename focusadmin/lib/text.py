"""Text of others, shown safely inside our sentences."""

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"


def isolated(text: object) -> str:
    """`text` so that a direction mark in it turns nothing around it (what <bdi> does in HTML)."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"
