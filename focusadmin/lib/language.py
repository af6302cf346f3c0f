"""The language of a page: what it declares, else a guess from its text."""

import re

_DECLARED = re.compile(r"[a-zA-Z]{2,3}(?=$|[-_])")
_GUESS_CHARACTERS = 1_000
_LEAST_CHARACTERS = 40


def declared_language(attribute: str | None) -> str:
    """`en` for `en-GB`; empty for nothing and for what is no language tag."""
    found = _DECLARED.match((attribute or "").strip())
    return found[0].lower() if found else ""


def guessed_language(text: str) -> str:
    """Empty when there is too little text to tell."""
    if len(text) < _LEAST_CHARACTERS:
        return ""
    # Its model takes most of a second to load: only when needed.
    from py3langid import classify  # type: ignore[import-untyped]

    # Navigation comes first on most pages; the middle is more likely to be prose.
    start = max(0, len(text) // 2 - _GUESS_CHARACTERS // 2)
    return str(classify(text[start : start + _GUESS_CHARACTERS])[0])
