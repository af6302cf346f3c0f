"""Calls many routes on one scene, each as if it were the first: what a call writes is rolled back.

Making the scene takes longer than most calls, so a table is one test and not one a row.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie

from django.db import transaction
from django.test import Client

from tests.web.access_table import Access


@contextmanager
def rehearsal(client: Client) -> Iterator[None]:
    """Afterwards database and cookies are as they were."""
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        client.cookies = SimpleCookie(cookies)


def wrong_rows(
    client: Client, rows: Iterable[Access], check: Callable[[Access], None]
) -> list[str]:
    """Rows for which the check fails, with what it says; all rows are gone through."""
    wrong = []
    for row in rows:
        try:
            with rehearsal(client):
                check(row)
        except AssertionError as error:
            wrong.append(f"{row}: {str(error).splitlines()[0] if str(error) else 'does not hold'}")
    return wrong
