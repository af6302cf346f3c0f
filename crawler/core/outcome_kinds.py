"""What can come of a URL, in the few kinds that charts and tables tell apart."""

from enum import StrEnum

from crawler.core.pipeline import EXCLUDED, ROBOTS_DENIED, ROBOTS_UNREACHABLE, SEEN, UNREADABLE
from crawler.core.ports import OK
from focusadmin.lib.outcomes import Reason


class Kind(StrEnum):
    PAGE = "page"
    REFUSED = "refused"
    ERROR = "error"
    UNREACHABLE = "unreachable"
    UNUSABLE = "unusable"


LABELS = {
    Kind.PAGE: "Page",
    Kind.REFUSED: "Kept away from",
    Kind.ERROR: "The site answered with an error",
    Kind.UNREACHABLE: "Not reachable",
    Kind.UNUSABLE: "Nothing to read",
}
_REFUSED = {
    ROBOTS_DENIED,
    ROBOTS_UNREACHABLE,
    Reason.BAD_URL,
    Reason.FORBIDDEN_SCHEME,
    Reason.FORBIDDEN_ADDRESS,
    Reason.REDIRECT_DECLINED,
}
_UNUSABLE = {
    SEEN,
    Reason.WRONG_TYPE,
    Reason.TOO_LARGE,
    Reason.BOMB,
    Reason.BROKEN_ENCODING,
    Reason.UNKNOWN_ENCODING,
}
_WORDS = {
    OK: "read and judged",
    ROBOTS_DENIED: "robots.txt asks us to stay away",
    ROBOTS_UNREACHABLE: "robots.txt could not be read",
    EXCLUDED: "on the stay-away list",
    SEEN: "leads to a page that is known",
}


def kind_of(outcome: str) -> Kind:
    if outcome == OK:
        return Kind.PAGE
    if outcome in _REFUSED or outcome.startswith(EXCLUDED):
        return Kind.REFUSED
    if outcome.startswith("status_"):
        return Kind.ERROR
    if outcome in _UNUSABLE or outcome.startswith(UNREADABLE):
        return Kind.UNUSABLE
    return Kind.UNREACHABLE


def outcomes_of(kind: Kind) -> tuple[list[str], list[str]]:
    """The outcomes of a kind that has a list: in full, and by how they begin."""
    if kind == Kind.REFUSED:
        return sorted(_REFUSED), [EXCLUDED]
    if kind == Kind.ERROR:
        return [], ["status_"]
    return sorted(_UNUSABLE), [UNREADABLE]


def outcome_text(outcome: str) -> str:
    """The outcome in words.

    >>> outcome_text("status_404"), outcome_text("too_large")
    ('answered with 404', 'too large')
    """
    if outcome in _WORDS:
        return _WORDS[outcome]
    if outcome.startswith("status_"):
        return f"answered with {outcome.removeprefix('status_')}"
    return outcome.replace("_", " ")
