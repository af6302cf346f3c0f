"""The websocket of a crawl's page: who may listen, and within which limits."""

import asyncio
import json
import time
from collections import Counter
from typing import cast
from urllib.parse import parse_qs

import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.utils import timezone

from crawler.live import CrawlFeed, Viewer, feed_of, read
from crawler.models import Crawl
from focusadmin.accounts.models import User

CHECK_SECONDS = 60.0
MESSAGE_BYTES = 1_024
MESSAGES_A_SECOND = 20
CONNECTIONS_OF_A_PERSON = 24  # in one process

# Close codes, as docs/monitor.md lists them.
BAD_REQUEST, NOT_SIGNED_IN, NOT_FOUND, TOO_SLOW, TOO_MUCH = 4400, 4401, 4404, 4408, 4429

_connections: Counter[int] = Counter()
log = structlog.get_logger("crawler.consumers")


def crawl_seq(user: User | AnonymousUser, crawl_id: int) -> int | None:
    """Number of the last page, for somebody who may see the crawl."""
    visible = Crawl.objects.visible_to(user).filter(pk=crawl_id)
    return visible.values_list("seq", flat=True).first()


def may_still_listen(user_id: int, session_key: str, crawl_id: int) -> bool:
    """Whether the person has not signed out, lost the account, or left the team."""
    is_signed_in = Session.objects.filter(pk=session_key, expire_date__gt=timezone.now()).exists()
    user = User.objects.filter(pk=user_id, is_active=True).first()
    return is_signed_in and user is not None and crawl_seq(user, crawl_id) is not None


class Nowhere(AsyncWebsocketConsumer):
    """Every other address."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)


class CrawlConsumer(AsyncWebsocketConsumer):
    """Sends what was committed after `?after=SEQ`, then what is committed from now on."""

    channel_layer_alias = "none: feeds listen to the bell, not connections"
    feed: CrawlFeed | None = None
    viewer: Viewer
    _watch: asyncio.Task[None] | None = None
    _counts_for: int | None = None

    async def connect(self) -> None:
        # Refusals come after the handshake, because only then does a browser show their code.
        await self.accept()
        user = cast("User | AnonymousUser", self.scope["user"])
        crawl_id: int = self.scope["url_route"]["kwargs"]["crawl_id"]
        seq = await read(crawl_seq, user, crawl_id)
        asked = self._asked()
        if user.pk is None:
            await self.close(NOT_SIGNED_IN)
        elif seq is None:
            await self.close(NOT_FOUND)
        elif asked is None:
            await self.close(BAD_REQUEST)
        elif _connections[user.pk] >= CONNECTIONS_OF_A_PERSON:
            await self.close(TOO_MUCH)
        else:
            self._count(user.pk)
            after, event_id = asked
            self.viewer = Viewer(self._send, seq if after is None else after, event_id)
            self.feed = feed_of(crawl_id, seq)
            self.feed.join(self.viewer)
            self._watch = asyncio.create_task(self._keep_watch(user.pk, crawl_id))

    def _asked(self) -> tuple[int | None, int] | None:
        """Last page and last event that the client has; None if the address makes no sense."""
        query = parse_qs(self.scope["query_string"].decode("latin1"))
        try:
            after = query.get("after", [None])[0]
            numbers = None if after is None else int(after), int(query.get("event", ["0"])[0])
        except ValueError:
            return None
        return numbers if min(numbers[0] or 0, numbers[1]) >= 0 else None

    async def _send(self, text: str) -> None:
        """A connection that breaks here breaks alone: others are served in the same round."""
        try:
            await self.send(text_data=text)
        except Exception as error:  # noqa: BLE001 - whatever the server below us raises
            log.info("frame not sent", error=str(error))

    async def _keep_watch(self, user_id: int, crawl_id: int) -> None:
        """End the connection when the person may no longer listen, or does not."""
        session_key = self.scope["session"].session_key or ""
        checked_at = time.monotonic()
        while True:
            await asyncio.sleep(min(1.0, CHECK_SECONDS))
            gap = self.viewer.gap
            if gap is not None and gap.done() and not gap.cancelled() and gap.exception():
                await self.close(TOO_SLOW)
                return
            if time.monotonic() - checked_at >= CHECK_SECONDS:
                checked_at = time.monotonic()
                if not await read(may_still_listen, user_id, session_key, crawl_id):
                    await self.close(NOT_FOUND)
                    return

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`{"seen": SEQ}`: what the client has taken in. Nothing else is understood."""
        if self.feed is None:
            return  # refused already
        if self._is_too_much():
            await self.close(TOO_MUCH)
            return
        try:
            if text_data is None or len(text_data) > MESSAGE_BYTES:
                raise ValueError("no text, or too long")
            seen = json.loads(text_data)["seen"]
            if type(seen) is not int:
                raise ValueError("no number")
        except (ValueError, KeyError, TypeError):
            await self.close(BAD_REQUEST)
            return
        self.viewer.note_seen(seen)

    _second = 0
    _messages = 0

    def _is_too_much(self) -> bool:
        second = int(time.monotonic())
        self._messages = self._messages + 1 if second == self._second else 1
        self._second = second
        return self._messages > MESSAGES_A_SECOND

    def _count(self, user_id: int) -> None:
        self._counts_for = user_id
        _connections[user_id] += 1

    async def disconnect(self, code: int) -> None:
        if self._counts_for is not None:
            _connections[self._counts_for] -= 1
            self._counts_for = None
        if self._watch is not None:
            self._watch.cancel()
        if self.feed is not None:
            self.feed.leave(self.viewer)
            self.feed = None
