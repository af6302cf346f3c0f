"""An endless calendar: every page of it leads to pages that nobody has asked for yet."""

import hashlib
import re
from html import escape

from crawler.core.demoweb.catalogue import Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.rendering import document
from crawler.core.demoweb.speech import Speaker
from crawler.core.demoweb.vocabulary import words_of, written_topics

EVENTS = 6
_MONTH = re.compile(r"(\d{4})-(\d\d)")


def trap_html(place: Place, seed: int) -> str:
    """The page at a place of the trap, made up from its address."""
    chance = dice(seed, place.host, place.path)
    events = []
    for target in _next_targets(place.path):
        speaker = Speaker(words_of(chance.choice(list(written_topics()))), chance)
        label = speaker.say("{things} with {people}")
        events.append(f'<li><a href="{escape(target)}">{escape(label)}</a></li>')
    title = f"Calendar {escape(_when(place.path))}"
    menu = '<nav><ul><li><a href="/">Home</a></li></ul></nav>'
    body = (
        f'<header><p class="brand">What\'s On</p>{menu}</header><main><article>'
        f'<h1>{title}</h1><ul class="listed">{"".join(events)}</ul></article></main>'
    )
    return document(title, "Everything that happens, every day, for ever.", body)


def _next_targets(path: str) -> list[str]:
    year, month = _year_and_month(path)
    months = year * 12 + month - 1
    near = [f"{m // 12 % 10000:04d}-{m % 12 + 1:02d}" for m in (months - 1, months + 1)]
    digest = hashlib.blake2b(path.encode(), digest_size=EVENTS).hexdigest()
    days = [f"/calendar/day?date={near[1]}-{int(digest[i], 16) + 1:02d}" for i in range(2)]
    sessions = [f"/s/{digest}/events/{number}" for number in range(1, EVENTS - 1)]
    return [*(f"/calendar?month={each}" for each in near), *days, *sessions]


def _year_and_month(path: str) -> tuple[int, int]:
    found = _MONTH.search(path)
    if found is None:  # a session's page: any month will do, as long as it is always the same
        number = int.from_bytes(path.encode()[-6:], "big")
        return 1900 + number % 300, number % 12 + 1
    return int(found.group(1)), min(max(int(found.group(2)), 1), 12)


def _when(path: str) -> str:
    found = _MONTH.search(path)
    return found.group() if found else path.rpartition("/")[2]
