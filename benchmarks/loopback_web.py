"""A web of its own on loopback, for measuring crawlers: same seed, same pages, byte for byte.

20 hosts (127.0.0.11 to 127.0.0.30, one port), 20,000 pages of 10 to 24 KB with 30 to 60 links, 70 %
of them within the host. The words come from shipped topics, mixed with filler, so that a classifier
has real work. It measures speed; its topics are too tidy to say anything about focus.

    python -m benchmarks.loopback_web --pages 20000 --port 0

prints its port once all pages are rendered, and stops when its standard input closes. There is no
robots.txt. Needs an operating system on which all of 127.0.0.0/8 is loopback, such as Linux.
"""

import argparse
import asyncio
import random
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from taxonomy.core.records import TopicRecord
from taxonomy.core.shipped import shipped_records

HOSTS = [f"127.0.0.{n}" for n in range(11, 31)]
PAGES = 20_000
GOOD_TOPIC = "/Recreation/Cycling"
TOPICS, SENTENCES = 40, 300
LINKS_MIN, LINKS_MAX, OWN_HOST, OWN_TOPIC = 30, 60, 0.7, 0.5
BYTES_MIN, BYTES_MAX, BYTES_USUAL = 10_300, 22_500, 10_800
PORT_TRIES = 20

_COMMON_WORDS = (
    "the of and to in a is that for it as was with be by on not his but at from or have an "
    "they which one you were all their there been if more when will would who so no out up "
    "into than them can only other time new some could these two may first then do any like "
    "my now over such our man me even most made after also did many before must through years "
    "where much your way well down should because each just those people how too little state "
    "good very make world still own see men work long here get both between life being under "
    "never day same another know while last might great old year off come since against go "
    "came right used take three"
)
FILLER = _COMMON_WORDS.split()

STYLE = "".join(
    f".b{n}{{margin:{n}px auto;padding:{n % 7}px;color:#{n * 4369:06x};font-size:{12 + n % 5}px}}"
    for n in range(28)
)
SCRIPT = "".join(
    f"function f{n}(e){{var t=e.target;if(t&&t.id==='s{n}'){{t.hidden=!t.hidden}}}}"
    for n in range(24)
)
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n"
MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Speech:
    """How pages of one topic talk."""

    slug: str
    titles: Sequence[str]
    sentences: Sequence[str]


def chosen_topics() -> list[TopicRecord]:
    """Topics with terms, the good ones first, the others spread over the whole tree."""
    records = shipped_records(ROOT / "taxonomy" / "data")
    leaves = [record for record in records if isinstance(record, TopicRecord) and record.terms]
    good = [topic for topic in leaves if f"/{'/'.join(topic.path)}".startswith(GOOD_TOPIC)]
    others = [topic for topic in leaves if topic not in good]
    step = len(others) // (TOPICS - len(good))
    return [*good, *others[::step]][:TOPICS]


def speech_of(topic: TopicRecord, chance: random.Random) -> Speech:
    words = [term.replace("&", "and") for term in topic.terms]
    sentences = [_sentence(words, chance) for _ in range(SENTENCES)]
    titles = [" ".join(chance.sample(words, 3)).capitalize() for _ in range(100)]
    return Speech(topic.path[-1].lower().replace("_", "-"), titles, sentences)


def _sentence(words: list[str], chance: random.Random) -> str:
    picked = [
        chance.choice(words if chance.random() < 0.3 else FILLER)
        for _ in range(chance.randint(7, 18))
    ]
    return " ".join(picked).capitalize() + "."


@dataclass
class Web:
    """Page n is on host n modulo 20; its topic goes round on each host."""

    pages: int
    port: int
    seed: int = 1
    speeches: list[Speech] = field(init=False)

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)
        self.speeches = [speech_of(topic, chance) for topic in chosen_topics()]

    def host(self, page: int) -> str:
        return HOSTS[page % len(HOSTS)]

    def speech(self, page: int) -> Speech:
        return self.speeches[page // len(HOSTS) % len(self.speeches)]

    def path(self, page: int) -> str:
        return f"/{self.speech(page).slug}/{page}.html"

    def title(self, page: int) -> str:
        titles = self.speech(page).titles
        return titles[page // 7 % len(titles)]  # neighbours differ

    def start_urls(self) -> list[str]:
        """One page of a good topic on every host."""
        pages = range(min(len(HOSTS), self.pages))
        return [f"http://{self.host(page)}:{self.port}{self.path(page)}" for page in pages]

    def responses(self) -> dict[str, dict[bytes, bytes]]:
        """By host and path: whole answers, ready to send."""
        found: dict[str, dict[bytes, bytes]] = {host: {} for host in HOSTS}
        for page in range(self.pages):
            body = self.body(page)
            answer = HEAD.format(len(body)).encode() + body
            found[self.host(page)][self.path(page).encode()] = answer
        return found

    def body(self, page: int) -> bytes:
        chance = random.Random(self.seed * 1_000_003 + page)
        links = [self._link(page, target) for target in self.targets(page, chance)]
        title = self.title(page)
        size = int(chance.triangular(BYTES_MIN, BYTES_MAX, BYTES_USUAL))
        top = (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{STYLE}</style><script>{SCRIPT}</script></head>\n<body>"
            f'<nav class="b1"><ul>{_items(links[:8])}</ul></nav>\n<main><h1>{title}</h1>\n'
        )
        aside = f'</main>\n<aside class="b3"><h2>More</h2><ul>{_items(links[-12:])}</ul></aside>'
        bottom = f'{aside}\n<footer class="b4">Page {page}</footer></body></html>\n'
        room = size - len(top) - len(bottom)
        return f"{top}{self._text(page, links[8:-12], room, chance)}{bottom}".encode()

    def targets(self, page: int, chance: random.Random) -> list[int]:
        """The next page of the host first, so that every page can be reached."""
        hosts, rounds = len(HOSTS), max(1, self.pages // len(HOSTS))
        place, topics = page // hosts, len(self.speeches)
        found = [(place + 1) % rounds * hosts + page % hosts]
        for _ in range(chance.randint(LINKS_MIN, LINKS_MAX) - 1):
            host = page % hosts if chance.random() < OWN_HOST else chance.randrange(hosts)
            other = chance.randrange(rounds)
            if chance.random() < OWN_TOPIC:
                other = min(other - other % topics + place % topics, rounds - 1)
            found.append(other * hosts + host)
        return found

    def _link(self, page: int, target: int) -> str:
        is_own_host = target % len(HOSTS) == page % len(HOSTS)
        base = "" if is_own_host else f"http://{self.host(target)}:{self.port}"
        address = f"{base}{self.path(target)}"
        return f'<a class="link link-page" href="{address}">{self.title(target)}</a>'

    def _text(self, page: int, links: list[str], room: int, chance: random.Random) -> str:
        """Paragraphs of the page's topic and of one side topic, links among them."""
        side = chance.choice(self.speeches).sentences
        share, own = chance.uniform(0.0, 0.6), self.speech(page).sentences
        waiting, parts = list(links), list[str]()
        while room > 0 or waiting:
            source = side if chance.random() < share else own
            count = chance.randint(3, 6) if room > 0 else 0
            inside = [*chance.choices(source, k=count), *waiting[:2]]
            del waiting[:2]
            chance.shuffle(inside)
            paragraph = f'<p class="b2" id="s{len(parts)}"><span>{" ".join(inside)}</span></p>\n'
            parts.append(paragraph)
            room -= len(paragraph)
        return "".join(parts)


def _items(links: Sequence[str]) -> str:
    return "".join(f'<li class="b5">{link}</li>' for link in links)


class PageServer(asyncio.Protocol):
    """Finds the path in the request line and sends what is ready; reads nothing else."""

    def __init__(self, responses: dict[str, dict[bytes, bytes]]) -> None:
        self.responses = responses
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.write = transport.write
        self.own = self.responses[transport.get_extra_info("sockname")[0]]

    def data_received(self, data: bytes) -> None:
        *requests, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for request in requests:
            self.write(self.own.get(request[4 : request.find(b" ", 4)], MISSING))


def listening_sockets(port: int) -> list[socket.socket]:
    """One socket a host, all on the same port; with port 0 any port that is free on all."""
    for last_try in [port != 0] * PORT_TRIES:
        sockets: list[socket.socket] = []
        wanted = port
        try:
            for host in HOSTS:
                sockets.append(socket.create_server((host, wanted), backlog=512))
                wanted = sockets[0].getsockname()[1]
        except OSError:
            for opened in sockets:
                opened.close()
            if last_try:
                raise
        else:
            return sockets
    raise OSError(f"no port is free on all of {HOSTS[0]} to {HOSTS[-1]}")


async def serve(pages: int, port: int) -> None:
    """Until standard input closes."""
    sockets = listening_sockets(port)
    web = Web(pages, sockets[0].getsockname()[1])
    responses = web.responses()
    loop = asyncio.get_running_loop()
    for opened in sockets:
        await loop.create_server(lambda: PageServer(responses), sock=opened)
    print(web.port, flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


@contextmanager
def running_web(pages: int = PAGES) -> Iterator[Web]:
    """The web in a process of its own; ends with the block, or with this process."""
    command = [sys.executable, "-m", "benchmarks.loopback_web", "--pages", str(pages)]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin
        assert server.stdout
        try:
            answer = server.stdout.readline()
            if not answer:
                raise RuntimeError("The loopback web did not start; see its message above.")
            yield Web(pages, int(answer))
        finally:
            server.stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the benchmark web on loopback.")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.pages, chosen.port))


if __name__ == "__main__":
    main()
