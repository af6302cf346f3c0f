"""Chance that is the same on every machine."""

from random import Random


def dice(*names: object) -> Random:
    """A source of chance of its own for whatever the names name."""
    return Random("/".join(map(str, names)))  # noqa: S311  # must be repeatable, guards nothing
