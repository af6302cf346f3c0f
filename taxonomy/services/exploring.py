"""The interactive start-up phase (1999 paper, section 2.1.1): looking around the examples."""

from django.db import transaction

from focusadmin.accounts.models import User
from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.models import FocusPage
from taxonomy.selectors.exploring import likely_links, topic_words
from taxonomy.services.drafts import DraftError, digest_of, pages_add

AT_ONCE = 12
FARTHEST = 2  # links from an example

Standing = FocusPage.Standing


@transaction.atomic
def neighbours_fetch(*, page: FocusPage, by: User) -> int:
    """Have the likeliest links of a page read, so that their titles and relevance can be seen."""
    distance = 1 + (0 if page.standing == Standing.EXAMPLE else page.distance)
    if distance > FARTHEST:
        raise DraftError("This page is two links away from your examples. Add it to go on from it.")
    if not page.links:
        raise DraftError("This page has no links that lead on.")
    known = set(page.focus.pages.values_list("url_digest", flat=True))
    links = [(url, anchor) for url, anchor in page.links if digest_of(url) not in known]
    likely = likely_links(links, topic_words(page.focus), AT_ONCE)
    marks = [Bookmark(url, anchor) for url, anchor in likely]
    if not marks:
        raise DraftError("Every link of this page is known already.")
    added = pages_add(focus=page.focus, marks=marks, source=FocusPage.Source.EXPLORED, by=by)
    page.focus.pages.filter(url_digest__in=[digest_of(mark.url) for mark in marks]).update(
        standing=Standing.NEIGHBOUR, found_on=page, distance=distance
    )
    return added


def neighbour_judge(*, page: FocusPage, standing: str, by: User) -> None:
    """An example from now on, rejected, or again a mere neighbour."""
    page.standing, page.added_by = standing, by
    page.save(update_fields=["standing", "added_by"])
