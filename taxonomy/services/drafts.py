"""The guided path: a focus that grows from bookmarks, step by step (docs/decisions/0016)."""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db import transaction

from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.urls import canonical_url
from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.folders import with_tag_folders
from taxonomy.core.bookmarks.types import Bookmark, BookmarkFile
from taxonomy.core.records import TITLE_MAX, URL_MAX, ExampleRecord
from taxonomy.core.tree import join_path
from taxonomy.models import Focus, FocusDraft, FocusPage, Taxonomy
from taxonomy.services.focuses import focus_create
from taxonomy.services.pages import address_policy

UNNAMED = "New focus"
PAGES_MAX = 1_000  # of a focus: enough to show what somebody means, and read in minutes
PASTED_MAX = 1_000_000
TEXT_KEPT = 20_000  # of a page: enough to judge it again
PLAN_MAX = 20_000


class DraftError(FocusAdminError):
    """A step that can't be taken; the text says what to do."""


def draft_of(focus: Focus) -> FocusDraft:
    """What the guided path knows of a focus, which may have been made elsewhere."""
    return FocusDraft.objects.get_or_create(focus=focus)[0]


@transaction.atomic
def draft_new(*, taxonomy: Taxonomy, by: User, name: str = "") -> FocusDraft:
    focus = focus_create(name=name or UNNAMED, taxonomy=taxonomy, by=by)
    return FocusDraft.objects.create(focus=focus)


def bookmarks_read(data: bytes, name: str = "") -> BookmarkFile:
    """A file as the guided path takes it: tags are folders, our own demo web may be visited."""
    return with_tag_folders(read_bookmarks(data, name, allow_private=address_policy().allows))


def upload_cancel(*, draft: FocusDraft, upload: str) -> None:
    """Reading a large file takes seconds; what it finds will not be kept."""
    draft.cancelled_upload = upload[:36]
    draft.save(update_fields=["cancelled_upload"])


@transaction.atomic
def bookmarks_keep(*, draft: FocusDraft, found: BookmarkFile, name: str, upload: str = "") -> None:
    """The file's content, to choose from; what was chosen of another file before is forgotten."""
    locked = FocusDraft.objects.select_for_update().only("cancelled_upload").get(pk=draft.pk)
    if upload and locked.cancelled_upload == upload:
        return
    folders = list(dict.fromkeys([(), *found.folders, *(b.folder for b in found.bookmarks)]))
    number = {folder: at for at, folder in enumerate(folders)}
    content = {
        "folders": folders,
        "bookmarks": [(b.url, b.title, number[b.folder]) for b in found.bookmarks],
    }
    draft.bookmarks = zlib.compress(json.dumps(content).encode(), 1)
    draft.file_name = name[:200]
    draft.chosen = list(range(len(folders)))
    draft.report = {
        "format": found.format,
        "bookmarks": len(found.bookmarks),
        "folders": len(found.folders),
        "duplicates": found.duplicates,
        "skipped": [[skip.reason, skip.count] for skip in found.skipped],
    }
    draft.save(update_fields=["bookmarks", "file_name", "chosen", "report", "edited_at"])


def bookmarks_kept(draft: FocusDraft) -> dict[str, Any]:
    """`folders` as lists of names, `bookmarks` as [address, title, number of the folder]."""
    if not draft.bookmarks:
        return {"folders": [], "bookmarks": []}
    content: dict[str, Any] = json.loads(zlib.decompress(draft.bookmarks))
    return content


def draft_remember(*, draft: FocusDraft, **typed: Any) -> None:
    """Keeps what was typed in a step, as it is: it is checked when the step is taken."""
    if "pasted" in typed:
        draft.pasted = str(typed["pasted"])[:PASTED_MAX]
    if "plan" in typed:
        plan = {str(name): str(value)[:PLAN_MAX] for name, value in typed["plan"].items()}
        draft.plan = {**draft.plan, **plan}
    if "contact" in typed:
        draft.contact = str(typed["contact"]).strip()[:254]
    draft.save(update_fields=["pasted", "plan", "contact", "edited_at"])


@transaction.atomic
def folders_choose(*, draft: FocusDraft, chosen: Collection[int], by: User) -> int:
    """The bookmarks of the chosen folders become examples, those of the others go."""
    content = bookmarks_kept(draft)
    source = FocusPage.Source.DEMO if draft.is_demo else FocusPage.Source.BOOKMARKS
    wanted = [
        Bookmark(url, title, tuple(content["folders"][at]))
        for url, title, at in content["bookmarks"]
        if at in chosen
    ]
    draft.chosen = sorted(chosen)
    draft.save(update_fields=["chosen", "edited_at"])
    kept = {digest_of(url) for b in wanted if (url := canonical_url(b.url))}
    own = draft.focus.pages.examples().filter(source=source)
    gone = [page.pk for page in own.only("url_digest") if page.url_digest not in kept]
    for start in range(0, len(gone), 500):
        FocusPage.objects.filter(pk__in=gone[start : start + 500]).delete()
    return pages_add(focus=draft.focus, marks=wanted, source=source, by=by)


def pasted_add(*, draft: FocusDraft, text: str, by: User) -> BookmarkFile:
    """Addresses (or the text of a whole bookmark file) become examples."""
    draft_remember(draft=draft, pasted=text)
    found = read_bookmarks(text.encode(), "", allow_private=address_policy().allows)
    pages_add(focus=draft.focus, marks=found.bookmarks, source=FocusPage.Source.PASTED, by=by)
    draft_remember(draft=draft, pasted="")
    return found


def pages_add(
    *,
    focus: Focus,
    marks: Iterable[Bookmark],
    source: str,
    by: User | None,
) -> int:
    """New examples of a focus; addresses that it has already are left as they are."""
    known = set(focus.pages.values_list("url_digest", flat=True))
    rows = {page.url_digest: page for page in _pages(focus, marks, source, by)}
    new = [page for digest, page in rows.items() if digest not in known]
    if len(known) + len(new) > PAGES_MAX:
        raise DraftError(
            f"These would be {len(known) + len(new):,} examples; a focus takes {PAGES_MAX:,}. "
            "Choose fewer folders: those with the pages that show best what you mean."
        )
    draft_of(focus)
    FocusPage.objects.bulk_create(new, batch_size=200, ignore_conflicts=True)
    return len(new)


def _pages(
    focus: Focus, marks: Iterable[Bookmark], source: str, by: User | None
) -> Iterator[FocusPage]:
    for mark in marks:
        url = canonical_url(mark.url)
        if url is None or len(url) > URL_MAX:
            continue
        yield FocusPage(
            focus=focus,
            url=url,
            url_digest=digest_of(url),
            title=mark.title[:TITLE_MAX],
            folder=join_path(mark.folder)[:500] if mark.folder else "",
            source=source,
            added_by=by,
        )


def page_keep(*, focus: Focus, record: ExampleRecord, standing: str, by: User) -> FocusPage:
    """A page that somebody met while browsing: an example, or only its topics marked on the way."""
    url = canonical_url(record.url)
    if url is None:
        raise DraftError("Only a page with an address can be kept. Fetch it by its address.")
    draft_of(focus)
    values = {
        "url": url,
        "title": record.title,
        "text": record.text[:TEXT_KEPT],
        "state": FocusPage.State.READ,
        "standing": standing,
        "source": FocusPage.Source.CLASSIFIED,
        "added_by": by,
        "routed_by": "",
    }
    kept, _ = focus.pages.update_or_create(url_digest=digest_of(url), defaults=values)
    page: FocusPage = kept
    return page


def digest_of(url: str) -> str:
    return hashlib.blake2b(url.encode(), digest_size=16).hexdigest()


def waiting_skip(*, focus: Focus) -> int:
    """Those that were not fetched yet are judged by their titles and addresses alone."""
    return focus.pages.waiting().update(
        state=FocusPage.State.PASSED_OVER, problem="Not fetched: you skipped it"
    )


def waiting_again(*, focus: Focus) -> int:
    """Another try for everything that could not be fetched."""
    missed = focus.pages.filter(state__in=FocusPage.BY_WORDS)
    return missed.update(state=FocusPage.State.WAITING, problem="")
