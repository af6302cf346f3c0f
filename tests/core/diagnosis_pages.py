"""Small crawls on paper, for the diagnosis."""

from typing import Any

from crawler.core.diagnosis.record import CrawlRecord, RecordedPage
from crawler.core.types import Lineage

GOOD: Lineage = ("Business", "Investing", "Mutual_Funds")
STOCKS: Lineage = ("Business", "Investing", "Stocks")
SOCCER: Lineage = ("Sports", "Soccer")


def page(number: int, topic: Lineage = GOOD, **values: Any) -> RecordedPage:
    site = values.pop("site", f"s{number % 9}.example")
    given: dict[str, Any] = {
        "seq": number,
        "number": number,
        "url": f"http://{site}/{'abcdefghij'[number % 10]}",
        "host": site,
        "site": site,
        "outcome": "ok",
        "relevance": 0.9 if topic == GOOD else 0.05,
        "topic": topic,
    }
    return RecordedPage(**{**given, **values})


def record(pages: list[RecordedPage], **values: Any) -> CrawlRecord:
    waiting = dict.fromkeys(range(10000, 10050), pages[0].number) if pages else {}
    return CrawlRecord(**{"pages": pages, "waiting": waiting, "good": [GOOD], **values})
