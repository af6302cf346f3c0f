"""What became of a host's robots.txt, in words for people."""


def robots_words(note: str, denied: int) -> str:
    """By RFC 9309: a 4xx allows everything, no answer and a 5xx forbid everything for now.

    >>> robots_words("status 200", 3), robots_words("status 404", 0)
    ('read; it keeps us from 3 addresses', 'there is none: everything may be visited')
    >>> robots_words("status 503", 0)
    'not readable (status 503): nothing may be visited for now'
    """
    kind, _, status = note.partition(" ")
    if not note:
        return "not asked yet"
    if note in ("too_many_redirects", "redirect_loop"):
        return "only redirects: everything may be visited"
    if kind == "status" and status.startswith("2"):
        return f"read; it keeps us from {_addresses(denied)}"
    if kind == "status" and status[:1] in ("3", "4") and status != "429":
        return "there is none: everything may be visited"
    return f"not readable ({note.replace('_', ' ')}): nothing may be visited for now"


def _addresses(count: int) -> str:
    if not count:
        return "nothing so far"
    return f"{count:,} address{'' if count == 1 else 'es'}"
