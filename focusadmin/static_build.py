"""Collect static files only when a source changed: a second start must not hash them again."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

STAMP = "sources.sha256"
IGNORED = ["widgetbundle.js", "datasets", "templates"]  # of plotly, 5 MB that no page asks for


def static_sources_digest() -> str:
    """A digest over name, size and time of every static source file."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(IGNORED):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_static_if_changed() -> bool:
    """Whether anything had to be collected."""
    root = Path(settings.STATIC_ROOT)
    stamp = root / STAMP
    digest = static_sources_digest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return False
    call_command(
        "collectstatic",
        interactive=False,
        verbosity=0,
        clear=root.exists(),
        ignore_patterns=IGNORED,
    )
    stamp.write_text(digest, encoding="ascii")
    return True
