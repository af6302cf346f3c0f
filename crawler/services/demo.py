"""The sample bookmarks, which lead into the demo web of this machine."""

from functools import cache

from crawler.core.demoweb.bookmarks import sample_bookmarks
from crawler.core.demoweb.web import DemoWeb
from focusadmin.accounts.models import User
from focusadmin.targets import demo_port
from taxonomy.models import FocusDraft, Taxonomy
from taxonomy.services.drafts import (
    DraftError,
    bookmarks_keep,
    bookmarks_kept,
    bookmarks_read,
    draft_new,
    folders_choose,
)

FILE_NAME = "demo-bookmarks.html"
FOCUS_NAME = "Demo: bicycles"


def demo_draft(*, taxonomy: Taxonomy, by: User) -> FocusDraft:
    """A draft with the sample bookmarks, all of them chosen."""
    port = demo_port()
    if port is None:
        raise DraftError(
            "The demo web does not run. Start FocusAdmin with make run, without DEMO=0."
        )
    draft = draft_new(taxonomy=taxonomy, by=by, name=FOCUS_NAME)
    draft.is_demo = True
    draft.save(update_fields=["is_demo"])
    found = bookmarks_read(sample_bookmarks(_web(), port), FILE_NAME)
    bookmarks_keep(draft=draft, found=found, name=FILE_NAME)
    folders = range(len(bookmarks_kept(draft)["folders"]))
    folders_choose(draft=draft, chosen=list(folders), by=by)
    return draft


@cache
def _web() -> DemoWeb:
    """The same seed gives the same web, so it is built once a process."""
    return DemoWeb.build()
