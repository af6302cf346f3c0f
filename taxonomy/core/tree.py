"""Names of topics and the paths made of them."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from focusadmin.lib.errors import FocusAdminError

NAME_MAX = 100
DEPTH_MAX = 50  # the deepest public directories have about 15 levels

# Characters that show nothing and could make two different names look the same: controls, bidi
# marks, zero-width spaces, joiners and fillers, interlinear marks, tags. Line ends count as space.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_GAPS = re.compile(r"[\s_]+")
# Persian, Indic scripts and emoji need the joiners, but only between two visible characters.
_LOOSE_JOINERS = re.compile("(?<![^_\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?=_|$)")
_JOINERS = re.compile("[\u200c\u200d]+")
_HASH_LENGTH = 8
# Normalising a long run of accents takes quadratic time, two minutes for a name of 1 MiB. Nobody
# misses it in a name this long, which is refused or cut anyway.
_NORMALISED_MAX = 10 * NAME_MAX


class TopicNameError(FocusAdminError):
    """A text that cannot name a topic; says what to change."""


def clean_name(raw: str) -> str:
    """The one spelling under which a name is stored, or an error that says what to change."""
    if _SURROGATE.search(raw):
        raise TopicNameError("The topic name has broken characters. Type it again.")
    name = _tidy(raw)
    if not name:
        raise TopicNameError("The topic name is empty. Give it at least one visible character.")
    if name in {".", ".."}:
        raise TopicNameError('A topic cannot be called "." or "..". Choose a word.')
    if "/" in name:
        raise TopicNameError('A topic name cannot contain "/". Use "-" or "and" in its place.')
    if len(name) > NAME_MAX:
        raise TopicNameError(
            f"The topic name has {len(name)} characters. Shorten it to {NAME_MAX} or fewer."
        )
    return name


def _tidy(raw: str) -> str:
    spaced = _GAPS.sub("_", _UNSEEN.sub("", raw))
    name = _GAPS.sub("_", _LOOSE_JOINERS.sub("", spaced)).strip("_")
    return unicodedata.normalize("NFC", name) if len(name) <= _NORMALISED_MAX else name


def import_name(raw: str) -> str | None:
    """A name made of whatever a file holds, so that one odd name does not lose its topic.

    Returns nothing if no visible character is left. Long names are cut and end in a hash of
    the whole name, so that two of them stay different and every import cuts them the same way.
    """
    name = _tidy(_SURROGATE.sub("", raw).replace("/", "-"))
    if not name or name in {".", ".."}:
        return None
    if len(name) <= NAME_MAX:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_HASH_LENGTH]
    start = _tidy(name[:_NORMALISED_MAX])[: NAME_MAX - _HASH_LENGTH - 1]
    return f"{_tidy(start)}~{digest}"


def name_key(name: str) -> str:
    """What makes two sibling names equal: letters only, whatever their case, width or joiners."""
    key = unicodedata.normalize("NFD", _JOINERS.sub("", _UNSEEN.sub("", name[:_NORMALISED_MAX])))
    for _ in range(2):  # folding can undo normal form once (Unicode, definition D146)
        key = unicodedata.normalize("NFKC", key.casefold())
    return _GAPS.sub("_", key).strip("_")


def shown_name(name: str) -> str:
    """The name as a person reads it."""
    return name.replace("_", " ")


def split_path(path: str) -> tuple[str, ...]:
    """The clean names along a path such as "/Arts/Music"; the root has none."""
    inner = path.strip().removeprefix("/").removesuffix("/")
    names = tuple(map(clean_name, inner.split("/"))) if inner else ()
    if len(names) > DEPTH_MAX:
        raise TopicNameError(f"The path has {len(names)} levels. Use {DEPTH_MAX} or fewer.")
    return names


def join_path(names: Iterable[str]) -> str:
    """The path of the names, as `split_path` reads it."""
    return "/" + "/".join(names)
