"""Secret addresses for feed readers: made, made anew, withdrawn."""

import hashlib
import secrets

from django.db import transaction

from crawler.models import Crawl, NewsFeed
from focusadmin.accounts.models import User
from taxonomy.models import Focus


@transaction.atomic
def feed_renew(*, user: User, focus: Focus | None = None, crawl: Crawl | None = None) -> str:
    """A fresh token; the address before stops working. Only its digest is kept."""
    feed_revoke(user=user, focus=focus, crawl=crawl)
    token = secrets.token_urlsafe(32)
    NewsFeed.objects.create(user=user, focus=focus, crawl=crawl, token_hash=token_hash(token))
    return token


def feed_revoke(*, user: User, focus: Focus | None = None, crawl: Crawl | None = None) -> bool:
    gone, _ = NewsFeed.objects.filter(user=user, focus=focus, crawl=crawl).delete()
    return gone > 0


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
