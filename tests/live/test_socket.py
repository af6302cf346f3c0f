"""The websocket of a crawl: who gets in, what comes, and that every page comes once."""

import asyncio
import random
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection

from crawler import consumers, live
from crawler.models import Crawl, CrawlEvent
from focusadmin.accounts.models import Membership
from tests.crawl_rows import commit_pages
from tests.live.sockets import cookie_of, opened

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("hasty")]


def test_points_come_with_everything_that_is_promised(crawl, owner):
    commit_pages(crawl, [0.5, 1.0, None])
    cookie = cookie_of(owner)

    async def watch() -> Any:
        async with opened(crawl.pk, cookie, "after=1") as socket:
            return await socket.frame("points")

    frame = asyncio.run(watch())
    page, failure = frame["points"]
    assert page == {
        "seq": 2,
        "t": 1001.0,
        "url": "https://h1.example/1",
        "title": "Page 2",
        "relevance": 1.0,
        "topic": "/Recreation/Cycling",
        "status": 0,
        "outcome": "ok",
        "site": "h1.example",
        "kind": "page",
    }
    assert (failure["seq"], failure["relevance"], failure["outcome"]) == (3, None, "status_404")
    assert frame["average"] == [0.75, 0.75]  # the page before the first is part of it


def test_state_and_flags_come_too(crawl, owner):
    cookie = cookie_of(owner)

    async def watch() -> Any:
        async with opened(crawl.pk, cookie) as socket:
            first = await socket.frame("state")
            await live.read(_flag, crawl, "changed", "Changed: strategy")
            await live.read(_flag, crawl, "alarm_firing", "Relevance fell")
            flags = [await socket.frame("event", "alarm") for _ in range(2)]
            await live.read(Crawl.objects.filter(pk=crawl.pk).update, state="paused")
            return first, flags, await socket.frame("state")

    first, flags, last = asyncio.run(watch())
    assert (first["state"], first["label"], last["state"]) == ("running", "Running", "paused")
    assert [flag["type"] for flag in flags] == ["event", "alarm"]
    assert flags[0]["event"]["text"] == "Changed: strategy"


def _flag(crawl: Crawl, kind: str, text: str) -> None:
    CrawlEvent.objects.create(crawl=crawl, kind=kind, text=text)


def test_without_after_only_news_comes(crawl, owner):
    commit_pages(crawl, [0.5] * 30)
    cookie = cookie_of(owner)

    async def watch() -> Any:
        async with opened(crawl.pk, cookie) as socket:
            await socket.frame("state")
            await live.read(commit_pages, crawl, [0.25])
            return (await socket.frame("points"))["points"]

    assert [point["seq"] for point in asyncio.run(watch())] == [31]


def test_a_long_gap_comes_in_portions(crawl, owner, monkeypatch):
    monkeypatch.setattr(live, "BATCH_POINTS", 40)
    commit_pages(crawl, [0.5] * 130)
    cookie = cookie_of(owner)

    async def watch() -> Any:
        async with opened(crawl.pk, cookie, "after=10") as socket:
            return await socket.points_until(130)

    assert [point["seq"] for point in asyncio.run(watch())] == list(range(11, 131))


class Writer(Thread):
    """Commits batches of random sizes, as an engine does, until told to stop."""

    def __init__(self, crawl: Crawl, seed: int) -> None:
        super().__init__(daemon=True)
        self.crawl, self.random, self.over = crawl, random.Random(seed), Event()

    def run(self) -> None:
        try:
            while not self.over.wait(self.random.uniform(0.005, 0.03)):
                count = self.random.randrange(1, 21)
                commit_pages(self.crawl, [self.random.random() for _ in range(count)])
        finally:
            connection.close()


def test_a_thousand_reconnects_lose_and_double_nothing(crawl, owner):
    seed = random.randrange(10**6)
    cookie, writer, dice = cookie_of(owner), Writer(crawl, seed), random.Random(seed)
    received: list[list[int]] = [[] for _ in range(20)]

    async def cut_again_and_again(got: list[int]) -> None:
        """Ends the connection after a few frames, and asks the next one for what it lacks."""
        for _ in range(50):
            async with opened(crawl.pk, cookie, _since(got)) as socket:
                await asyncio.sleep(dice.choice([0, 0, 0.01, 0.03]))
                for _ in range(dice.randrange(3)):
                    got += _seqs(await socket.frame("points"))

    async def finish(got: list[int], last: int) -> None:
        async with opened(crawl.pk, cookie, _since(got)) as socket:
            while not got or got[-1] < last:
                got += _seqs(await socket.frame("points"))

    async def everybody() -> int:
        await asyncio.gather(*map(cut_again_and_again, received))
        last = await live.read(_stop, writer)
        await asyncio.gather(*(finish(got, last) for got in received))
        return last

    writer.start()
    try:
        last = asyncio.run(everybody())
    finally:
        _stop(writer)
    assert last > 100
    assert [got == list(range(1, last + 1)) for got in received] == [True] * 20, seed


def _since(got: list[int]) -> str:
    return f"after={got[-1] if got else 0}"


def _seqs(frame: dict[str, Any]) -> list[int]:
    return [point["seq"] for point in frame["points"]]


def _stop(writer: Writer) -> int:
    writer.over.set()
    writer.join()
    writer.crawl.refresh_from_db()
    return writer.crawl.seq


# Who gets in


@pytest.mark.parametrize(
    ("who", "code"), [("nobody", consumers.NOT_SIGNED_IN), ("stranger", consumers.NOT_FOUND)]
)
def test_others_are_turned_away_with_a_code(crawl, stranger, who, code):
    cookie = cookie_of(stranger if who == "stranger" else None)

    async def knock() -> Any:
        async with opened(crawl.pk, cookie) as socket:
            return await socket.close_code()

    assert asyncio.run(knock()) == code


def test_an_odd_question_is_refused(crawl, owner):
    cookie = cookie_of(owner)

    async def ask(query: str) -> Any:
        async with opened(crawl.pk, cookie, query) as socket:
            return await socket.close_code()

    codes = {query: asyncio.run(ask(query)) for query in ("after=x", "after=-1", "event=1.5")}
    assert set(codes.values()) == {consumers.BAD_REQUEST}, codes


async def knock(crawl_id: int, cookie: str, origin: bytes, host: bytes) -> None:
    async with opened(crawl_id, cookie, origin=origin, host=host):
        pass


FOREIGN = [
    (b"", b"localhost"),
    (b"null", b"localhost"),
    (b"http://evil.example", b"localhost"),
    (b"http://localhost.evil.example", b"localhost"),
    # A page that another program on this machine serves is another site.
    (b"http://localhost:9000", b"localhost:8000"),
    (b"http://localhost", b"localhost:8000"),
    (b"http://127.0.0.1:8000", b"localhost:8000"),
    (b"ftp://localhost", b"localhost"),
    (b"http://localhost:80x", b"localhost:80x"),
    (b"http://user@localhost", b"user@localhost"),
    (b"http://localhost/", b"localhost"),
    # Nor is a name ours because both headers say so: DNS may be made to lead here.
    (b"http://evil.example", b"evil.example"),
]
OUR_OWN = [
    (b"http://localhost:8000", b"localhost:8000"),
    (b"http://LocalHost:80", b"localhost"),
    (b"http://[::1]:8000", b"[::1]:8000"),
    (b"https://localhost", b"localhost"),  # a proxy ends TLS
    (b"https://focus.example.org", b"localhost:8000"),  # and may ask under another name
]


def is_let_in(*knocked: Any) -> bool:
    try:
        asyncio.run(knock(*knocked))
    except ConnectionRefusedError:
        return False
    return True


def test_pages_of_other_sites_are_refused(crawl, owner):
    cookie = cookie_of(owner)
    assert [pair for pair in FOREIGN if is_let_in(crawl.pk, cookie, *pair)] == []


def test_our_own_pages_are_let_in(crawl, owner, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://focus.example.org"]
    cookie = cookie_of(owner)
    assert [pair for pair in OUR_OWN if not is_let_in(crawl.pk, cookie, *pair)] == []


def test_where_https_is_set_plain_pages_are_refused(crawl, owner, settings):
    cookie = cookie_of(owner)
    settings.SESSION_COOKIE_SECURE = True
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(knock(crawl.pk, cookie, b"http://localhost", b"localhost"))


def _leave(user):
    Membership.objects.filter(user=user).delete()


def _sign_out(user):
    from django.contrib.sessions.models import Session

    Session.objects.all().delete()


def _deactivate(user):
    user.is_active = False
    user.save()


@pytest.mark.parametrize("fate", [_leave, _sign_out, _deactivate])
def test_access_is_asked_again_while_somebody_listens(crawl, teammate, fate, monkeypatch):
    monkeypatch.setattr(consumers, "CHECK_SECONDS", 0.05)
    cookie = cookie_of(teammate)

    async def listen() -> Any:
        async with opened(crawl.pk, cookie) as socket:
            await socket.frame("state")
            await live.read(fate, teammate)
            return await socket.close_code()

    assert asyncio.run(listen()) == consumers.NOT_FOUND


# Limits


def test_a_message_that_is_too_long_or_odd_ends_the_connection(crawl, owner):
    cookie = cookie_of(owner)

    async def shout(text: str) -> Any:
        async with opened(crawl.pk, cookie) as socket:
            await socket.send(text)
            return await socket.close_code()

    texts = ["x" * 2_000, "[]", '{"seen": "1"}', '{"seen": true}', "{}", "nonsense"]
    codes = {text[:20]: asyncio.run(shout(text)) for text in texts}
    assert set(codes.values()) == {consumers.BAD_REQUEST}, codes


def test_too_many_messages_end_the_connection(crawl, owner):
    cookie = cookie_of(owner)

    async def chatter() -> Any:
        async with opened(crawl.pk, cookie) as socket:
            for _ in range(3 * consumers.MESSAGES_A_SECOND):
                await socket.send('{"seen": 1}')
            return await socket.close_code()

    assert asyncio.run(chatter()) == consumers.TOO_MUCH


def test_a_person_has_so_many_connections_and_no_more(crawl, owner, monkeypatch):
    monkeypatch.setattr(consumers, "CONNECTIONS_OF_A_PERSON", 1)
    cookie = cookie_of(owner)

    async def connect_twice() -> Any:
        async with opened(crawl.pk, cookie) as first:
            await first.frame("state")
            async with opened(crawl.pk, cookie) as second:
                code = await second.close_code()
        async with opened(crawl.pk, cookie) as third:
            return code, (await third.frame("state"))["type"]

    assert asyncio.run(connect_twice()) == (consumers.TOO_MUCH, "state")


def test_a_slow_viewer_is_not_sent_more_and_costs_others_nothing(crawl, owner, monkeypatch):
    monkeypatch.setattr(live, "BATCH_POINTS", 10)
    commit_pages(crawl, [0.5])
    cookie = cookie_of(owner)
    total = 1 + 10 * 3 * live.UNSEEN_BATCHES

    async def watch_both() -> Any:
        async with (
            opened(crawl.pk, cookie, "after=0") as slow,
            opened(crawl.pk, cookie, "after=0") as quick,
        ):
            await slow.points_until(1)
            await slow.send('{"seen": 1}')  # it answers once, and then no more
            await asyncio.sleep(0.1)
            await live.read(commit_pages, crawl, [0.5] * (total - 1))
            everything = await quick.points_until(total)
            sent = await slow.points_until(1 + 10 * live.UNSEEN_BATCHES)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await slow.points_until(total)
            return everything, sent

    # A time-out cancels what the testing tool waits for, so nothing is read from it afterwards.
    everything, sent = asyncio.run(watch_both())
    assert [point["seq"] for point in everything] == list(range(1, total + 1))
    assert sent[-1]["seq"] == 1 + 10 * live.UNSEEN_BATCHES


def test_a_viewer_who_stays_silent_is_let_go(crawl, owner, monkeypatch):
    monkeypatch.setattr(live, "BATCH_POINTS", 10)
    monkeypatch.setattr(live, "SILENT_SECONDS", 0.1)
    commit_pages(crawl, [0.5] * 11)
    cookie = cookie_of(owner)

    async def sleep_in_front_of_it() -> Any:
        async with opened(crawl.pk, cookie, "after=10") as socket:
            await socket.points_until(11)
            await socket.send('{"seen": 11}')
            await asyncio.sleep(0.1)
            await live.read(commit_pages, crawl, [0.5] * 10 * (live.UNSEEN_BATCHES + 2))
            return await socket.close_code()

    assert asyncio.run(sleep_in_front_of_it()) == consumers.TOO_SLOW
