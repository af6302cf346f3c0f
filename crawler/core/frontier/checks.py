"""Checks that the parameters of strategies share; their messages are shown beside form fields."""

from math import isfinite


def require_between(name: str, number: float, low: float, high: float) -> None:
    """Both ends are allowed."""
    _require_number(name, number)
    if not low <= number <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {number}.")


def require_above_zero(name: str, number: float, most: float) -> None:
    """`most` is allowed, 0 is not."""
    _require_number(name, number)
    if not 0 < number <= most:
        raise ValueError(f"{name} must be above 0 and at most {most}, not {number}.")


def require_whole(name: str, number: int, low: int, high: int) -> None:
    """Whole numbers only, both ends allowed."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{name} must be a whole number, not {number!r}.")
    require_between(name, number, low, high)


def _require_number(name: str, number: object) -> None:
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not (is_number and isfinite(number)):  # type: ignore[arg-type]
        raise ValueError(f"{name} must be a number, not {number!r}.")
