"""What can come of a fetch. The Web's own failures are values here, never exceptions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Reason(StrEnum):
    """Why a fetch brought nothing; the value is stored and shown."""

    BAD_URL = "bad_url"
    FORBIDDEN_SCHEME = "forbidden_scheme"
    FORBIDDEN_ADDRESS = "forbidden_address"
    NAME_NOT_FOUND = "name_not_found"
    CONNECT_FAILED = "connect_failed"
    CONNECT_TIMEOUT = "connect_timeout"
    TLS_FAILED = "tls_failed"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    TOO_SLOW = "too_slow"
    DEADLINE = "deadline"
    BROKEN_PROTOCOL = "broken_protocol"
    HEADERS_TOO_LARGE = "headers_too_large"
    CUT_OFF = "cut_off"
    TOO_LARGE = "too_large"
    BOMB = "bomb"
    BROKEN_ENCODING = "broken_encoding"
    UNKNOWN_ENCODING = "unknown_encoding"
    WRONG_TYPE = "wrong_type"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    REDIRECT_LOOP = "redirect_loop"
    REDIRECT_DECLINED = "redirect_declined"


# Worth another try later: the server or the way to it may recover.
_PASSING = frozenset(
    {
        Reason.NAME_NOT_FOUND,
        Reason.CONNECT_FAILED,
        Reason.CONNECT_TIMEOUT,
        Reason.FIRST_BYTE_TIMEOUT,
        Reason.TOO_SLOW,
        Reason.DEADLINE,
        Reason.CUT_OFF,
    }
)


@dataclass(frozen=True, slots=True)
class FetchResult:
    """An answer of the server, whatever its status."""

    url: str  # as asked for
    final_url: str  # after redirects
    status: int
    headers: Mapping[str, str]  # lower-case names
    body: bytes = field(repr=False)  # inflated
    address: str  # the address that was dialled last
    redirects: tuple[str, ...]  # every URL between the two
    raw_bytes: int
    seconds: float
    is_cut: bool = False  # the body went on, and the caller had asked for its beginning only

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """Media type without parameters, lower-case; empty when the server said none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """Why there is no answer; `detail` is one line fit to show."""

    url: str
    reason: Reason
    detail: str
    final_url: str  # where it failed; for a declined redirect, where it led
    redirects: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def may_retry(self) -> bool:
        return self.reason in _PASSING


Outcome = FetchResult | FetchFailure
