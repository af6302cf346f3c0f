"""Text of strangers inside XML."""

import re
from xml.sax.saxutils import escape

# What XML 1.0 has no way to say.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Fit for an element and for an attribute in double quotes.

    >>> xml_text('a<b> "c" \\x00')
    'a&lt;b&gt; &quot;c&quot; '
    """
    return escape(_IMPOSSIBLE.sub("", text), {'"': "&quot;", "\n": " ", "\r": " ", "\t": " "})
