"""The stylesheet of a site: one layout, four looks."""

from functools import cache

from crawler.core.demoweb.vocabulary import DATA

_NAMES = ("paper", "ink", "quiet", "accent", "on-accent", "line", "text-font", "head-font")
_SERIF, _SANS = "Georgia, serif", "system-ui, sans-serif"
_LOOKS = (
    ("#ffffff", "#1d2733", "#5b6773", "#0b5d66", "#ffffff", "#d8dfe5", _SANS, _SANS),
    ("#fbf7ef", "#2b2118", "#6b5c4d", "#8a3b12", "#ffffff", "#e4d8c4", _SERIF, _SERIF),
    ("#f4f8f2", "#1c2a1e", "#54655a", "#2a6134", "#ffffff", "#cfdccb", _SANS, _SERIF),
    ("#f6f5fb", "#221f33", "#5f5a78", "#4b3a94", "#ffffff", "#d9d5ea", _SERIF, _SANS),
)
LOOKS = len(_LOOKS)


@cache
def stylesheet(theme: int) -> str:
    """The layout with the colours and letters of one look."""
    values = zip(_NAMES, _LOOKS[theme], strict=True)
    variables = "".join(f"  --{name}: {value};\n" for name, value in values)
    return f":root {{\n{variables}}}\n\n{(DATA / 'layout.css').read_text('utf-8')}"
