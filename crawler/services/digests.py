"""News of a focus by e-mail: every day or every week, never the same item twice.

What a letter will tell is written down as told before the letter leaves. A crash in between loses
that letter rather than sending it twice; its items stay unseen in the list, and the next letter
says that one may be missing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from crawler.core.feeds import clean_text
from crawler.models import NewsDigest, NewsItem
from crawler.selectors.news import ShownNews, news_for, news_shown
from crawler.services.notices import NO_MAIL
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.failpoints import failpoint
from taxonomy.models import Focus

ITEMS_SHOWN = 30
PERIODS = {
    NewsDigest.Every.DAY.value: timedelta(days=1),
    NewsDigest.Every.WEEK.value: timedelta(weeks=1),
}
_SALT = "crawler.news-digest"
SENT = "sent"


class DigestError(FocusAdminError):
    """A digest that can't be had; the text says what to do."""


@dataclass(frozen=True)
class Letter:
    """What one digest tells, and where its owner reads more."""

    digest: NewsDigest
    items: list[ShownNews]
    count: int
    is_one_missing: bool


def digest_set(*, user: User, focus: Focus, every: str, base_url: str) -> NewsDigest | None:
    """Every day, every week, or not at all. The first letter tells what is new from now on."""
    mine = NewsDigest.objects.filter(user=user, focus=focus)
    if not every:
        mine.delete()
        return None
    if every not in PERIODS:
        raise DigestError("Choose every day, every week, or none.")
    if not user.email:
        raise DigestError("Your account has no e-mail address. Add one in your settings first.")
    newest = NewsItem.objects.filter(crawl__focus=focus).order_by("-id").first()
    digest, is_new = NewsDigest.objects.get_or_create(
        user=user,
        focus=focus,
        defaults={
            "every": every,
            "upto": newest.pk if newest else 0,
            "next_at": timezone.now() + PERIODS[every],
            "base_url": base_url,
        },
    )
    if not is_new:
        digest.every, digest.base_url = every, base_url
        digest.next_at = min(digest.next_at, timezone.now() + PERIODS[every])
        digest.save(update_fields=["every", "base_url", "next_at"])
    return digest


def digests_send(now: datetime | None = None) -> int:
    """By beat: every digest whose time has come and that has something to tell."""
    moment = now or timezone.now()
    sent = 0
    for digest_id in NewsDigest.objects.filter(next_at__lte=moment).values_list("pk", flat=True):
        letter = _claimed(digest_id, moment)
        if letter is None:
            continue
        failpoint("digest_claimed")
        outcome = _sent(letter)
        NewsDigest.objects.filter(pk=digest_id).update(outcome=outcome[:200])
        sent += outcome == SENT
    return sent


@transaction.atomic
def _claimed(digest_id: int, now: datetime) -> Letter | None:
    """The letter that is ours to send; from here on nobody sends these items again."""
    due = NewsDigest.objects.select_for_update().filter(pk=digest_id, next_at__lte=now)
    digest = due.select_related("user", "focus").first()
    if digest is None:
        return None  # another worker was faster
    digest.next_at = now + PERIODS[digest.every]
    items = _unsent(digest)
    newest = items.order_by("-id").values_list("id", flat=True).first()
    if newest is None or not digest.user.email or _has_no_mail():
        digest.outcome = NO_MAIL if newest and _has_no_mail() else digest.outcome
        digest.save(update_fields=["next_at", "outcome"])
        return None
    is_one_missing = digest.claimed_at is not None and digest.outcome not in (SENT, NO_MAIL)
    letter = Letter(
        digest, news_shown(list(items.select_related("crawl").order_by("-id")[:ITEMS_SHOWN])),
        items.count(), is_one_missing,
    )  # fmt: skip
    digest.upto, digest.claimed_at, digest.outcome = newest, now, ""
    digest.save(update_fields=["next_at", "upto", "claimed_at", "outcome"])
    return letter


def _unsent(digest: NewsDigest) -> QuerySet[NewsItem]:
    """What its owner may see by now, and only if the account is in use."""
    if not digest.user.is_active:
        return NewsItem.objects.none()
    return news_for(digest.user).filter(crawl__focus_id=digest.focus_id, id__gt=digest.upto)


def _has_no_mail() -> bool:
    return settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def _sent(letter: Letter) -> str:
    digest = letter.digest
    root = digest.base_url.rstrip("/")
    off = f"{root}{reverse('crawler:digest-off', args=[off_token(digest)])}"
    context = {
        "letter": letter,
        "focus": digest.focus,
        "more": letter.count - len(letter.items),
        "root": root,
        "list_url": f"{root}{reverse('crawler:new')}?focus={digest.focus_id}",
        "off_url": off,
    }
    subject = clean_text(f"{letter.count} new on {digest.focus.name}")
    message = EmailMultiAlternatives(
        subject[:200],
        render_to_string("crawler/mail/digest.txt", context),
        to=[digest.user.email],
        headers={
            "List-Unsubscribe": f"<{off}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )
    message.attach_alternative(render_to_string("crawler/mail/digest.html", context), "text/html")
    try:
        message.send()
    except OSError as error:  # SMTP's errors are among them
        return f"not sent: {error.__class__.__name__}"
    return SENT


def off_token(digest: NewsDigest) -> str:
    """Signed, for this digest only, and good for as long as it exists."""
    return signing.dumps({"digest": digest.pk, "user": digest.user_id}, salt=_SALT)


def digest_by_token(token: str) -> NewsDigest | None:
    try:
        told = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    mine = NewsDigest.objects.filter(pk=told["digest"], user_id=told["user"])
    return mine.select_related("focus").first()


def digest_off(digest: NewsDigest) -> None:
    digest.delete()
