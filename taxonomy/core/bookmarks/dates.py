"""When a bookmark was saved, out of the many ways browsers write it."""

from datetime import UTC, datetime

SECONDS_1601_TO_1970 = 11_644_473_600
LAST_SECOND = 4_102_444_800  # the year 2100
LOG_FORMAT = "%d/%b/%Y:%H:%M:%S %z"


def seconds_of(raw: object) -> int | None:
    """Seconds since 1970 from seconds, milliseconds, microseconds, ISO text or a date."""
    if isinstance(raw, datetime):
        return _plausible(_from_date(raw))
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return _from_number(raw)
    if isinstance(raw, str) and (text := raw.strip()[:40]):
        return _from_number(int(text)) if _is_digits(text) else _from_text(text)
    return None


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _from_number(number: float) -> int | None:
    """The size tells the unit; Chrome counts microseconds from the year 1601."""
    if not 0 < number < 1e18:
        return None
    if number >= 1e16:
        return _plausible(int(number // 1_000_000) - SECONDS_1601_TO_1970)
    if number >= 1e14:
        return _plausible(int(number // 1_000_000))
    return _plausible(int(number // 1000 if number >= 1e11 else number))


def _from_text(text: str) -> int | None:
    for read in (_iso_date, _log_date):
        try:
            return _plausible(_from_date(read(text)))
        except (ValueError, OverflowError):
            continue
    return None


def _iso_date(text: str) -> datetime:
    return datetime.fromisoformat(text.replace(" UTC", "+00:00"))


def _log_date(text: str) -> datetime:
    return datetime.strptime(text, LOG_FORMAT)


def _from_date(date: datetime) -> int:
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return int((aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())


def _plausible(seconds: int) -> int | None:
    return seconds if 0 < seconds < LAST_SECOND else None
