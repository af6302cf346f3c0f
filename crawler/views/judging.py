"""Who may say what is useful, and what a page's view shows of it."""

from dataclasses import dataclass

from crawler.models import Crawl, Page
from crawler.selectors.feedback import Opinion, opinions_of
from crawler.views.places import steered_crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest


@dataclass(frozen=True)
class Judging:
    """What was said of a page and of its site, and whether this person may say something."""

    may_judge: bool
    words: list[str]


def may_judge(request: UserRequest, crawl: Crawl) -> bool:
    """Feedback edits the topic tree too, which may be another team's."""
    teams = (crawl.team, crawl.focus.taxonomy.team)
    return all(has_role(user=request.user, team=team, wanted=Role.CURATOR) for team in teams)


def judged_crawl(request: UserRequest, crawl_id: int) -> Crawl:
    """The crawl, for somebody who may judge its pages."""
    crawl = steered_crawl(request, crawl_id, Role.CURATOR)
    require_role(user=request.user, team=crawl.focus.taxonomy.team, wanted=Role.CURATOR)
    return crawl


def judging_of(request: UserRequest, crawl: Crawl, page: Page) -> Judging:
    pages, sites = opinions_of(crawl)
    own, of_site = pages.get(page.number, Opinion()), sites.get(page.site, Opinion())
    words = [own.words] if own.words else []
    words += [f"{page.site}: {of_site.words}"] if of_site.words else []
    return Judging(may_judge(request, crawl), words)
