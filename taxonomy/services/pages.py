"""Pages of the Web, fetched because a person asked for one."""

from collections.abc import Iterable

from django.conf import settings

from focusadmin.accounts.models import User
from focusadmin.lib.addresses import AddressPolicy, literal_address
from focusadmin.lib.http import Identity
from focusadmin.lib.single_page import PageUnreachableError, SinglePage, single_page
from focusadmin.lib.urls import host_of
from focusadmin.targets import allowed_targets
from taxonomy.core.records import ExampleRecord, Skipped, make_example

OWN_CONTACT = "operator@localhost"  # told to nobody but servers of this machine
NO_CONTACT = (
    "Sites are told who visits them. Give your e-mail address in Settings first, "
    "or set FOCUSADMIN_CONTACT."
)


def page_at(url: str, *, by: User) -> SinglePage:
    """The page at an address, or an error fit to show."""
    return single_page(url, crawler_identity(by), policy=address_policy())


def crawler_identity(by: User) -> Identity:
    contact = known_contact(by)
    if not contact:
        raise PageUnreachableError(NO_CONTACT)
    return Identity(contact, settings.VERSION)


def known_contact(by: User | None, urls: Iterable[str] = ()) -> str:
    """Whoever is bothered by a visit must be able to reach somebody; empty when nobody is known."""
    contact = settings.CRAWLER_CONTACT or (by.email if by else "")
    if contact:
        return str(contact)
    wanted = list(urls)
    return OWN_CONTACT if wanted and all(map(is_own_machine, wanted)) else ""


def is_own_machine(url: str) -> bool:
    host = host_of(url)
    literal = literal_address(host)
    return host.endswith("localhost") if literal is None else literal.is_loopback


def address_policy() -> AddressPolicy:
    return AddressPolicy(allowed_targets())


def example_at(url: str, *, title: str = "", by: User) -> ExampleRecord:
    """An example with the page's own title and text."""
    page = page_at(url, by=by)
    record = make_example(
        0, (), title=title or page.content.title, url=page.url, text=page.content.text
    )
    if isinstance(record, Skipped):
        raise PageUnreachableError(f"This page can't be an example: {record.reason}.")
    return record
