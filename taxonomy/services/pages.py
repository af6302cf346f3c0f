"""Pages of the Web, fetched because a person asked for one."""

from django.conf import settings

from focusadmin.accounts.models import User
from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.http import Identity
from focusadmin.lib.single_page import PageUnreachableError, SinglePage, single_page
from taxonomy.core.records import ExampleRecord, Skipped, make_example


def page_at(url: str, *, by: User) -> SinglePage:
    """The page at an address, or an error fit to show."""
    return single_page(url, crawler_identity(by), policy=address_policy())


def crawler_identity(by: User) -> Identity:
    """Whoever is bothered by a visit must be able to reach somebody."""
    contact = settings.CRAWLER_CONTACT or by.email
    if not contact:
        raise PageUnreachableError(
            "Sites are told who visits them. Give your e-mail address in Settings first, "
            "or set FOCUSADMIN_CONTACT."
        )
    return Identity(contact, settings.VERSION)


def address_policy() -> AddressPolicy:
    return AddressPolicy(frozenset(settings.CRAWLER_ALLOWED_HOSTS))


def example_at(url: str, *, title: str = "", by: User) -> ExampleRecord:
    """An example with the page's own title and text."""
    page = page_at(url, by=by)
    record = make_example(
        0, (), title=title or page.content.title, url=page.url, text=page.content.text
    )
    if isinstance(record, Skipped):
        raise PageUnreachableError(f"This page can't be an example: {record.reason}.")
    return record
