"""The list of pages: order, filters, words, and places that stay valid while the crawl grows."""

import re
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.core.textquery import TextQuery, text_query
from crawler.fulltext import has_words, seqs_with, those_with, words_drop
from crawler.models import Page, Verdict
from crawler.selectors import page_list
from crawler.selectors.page_filter import ALL, RELEVANCE, PageFilter, Place, place_in
from crawler.selectors.page_list import PAGES_SHOWN, pages_found, pages_walked
from crawler.services.crawls import crawl_discard
from crawler.store import text_key
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db
W17 = TextQuery((("w17",),))
BRAKES = TextQuery((("brakes",),))


def page(number: int, **given) -> Fetched:
    relevance = given.pop("relevance", (number * 37 % 100) / 100)
    return Fetched(f"https://h{number % 7}.example/{number}", relevance, fields=given)


@pytest.fixture
def many(crawl):
    """120 pages; every tenth failed."""
    return record(
        crawl,
        *(
            page(
                number,
                relevance=None if number % 10 == 0 else (number * 37 % 100) / 100,
                text=f"Page {number} of bicycles" + (" and brakes" if number % 3 == 0 else ""),
                topic="/Recreation/Cycling/Road" if number % 2 else "/Arts",
                language="en" if number % 4 else "de",
                depth=number % 5,
            )
            for number in range(1, 121)
        ),
    )


def seqs(found) -> list[int]:
    return [row.page.seq for row in found.pages]


def walked(crawl, wanted) -> list[int]:
    """All of the list, screenful by screenful."""
    found, after = [], None
    while True:
        part = pages_found(crawl, wanted, after)
        found += seqs(part)
        if part.next is None:
            return found
        after = place_in(str(part.next), wanted.sort)
        assert after is not None


def expected(crawl, wanted, is_wanted) -> list[int]:
    pages = [one for one in Page.objects.filter(crawl=crawl) if is_wanted(one)]
    if wanted.sort == RELEVANCE:
        pages.sort(key=lambda one: (-(one.relevance or 0.0), -one.seq))
    else:
        pages.sort(key=lambda one: -one.seq)
    return [one.seq for one in pages]


def is_ok(one: Page) -> bool:
    return str(one.outcome) == "ok"


CASES = [
    (PageFilter(), is_ok),
    (PageFilter(sort=RELEVANCE), is_ok),
    (PageFilter(outcome=ALL), lambda one: True),
    (PageFilter(outcome="unreachable"), lambda one: one.outcome == "timeout"),
    (PageFilter(outcome="error"), lambda one: False),
    (PageFilter(site="h3.example"), lambda one: is_ok(one) and one.site == "h3.example"),
    (PageFilter(topic="/Recreation"), lambda one: is_ok(one) and one.topic.startswith("/Rec")),
    (PageFilter(topic="/Recreation", sort=RELEVANCE), lambda o: is_ok(o) and o.seq % 2 == 1),
    (PageFilter(topic="/Rec"), lambda one: False),
    (PageFilter(least=0.3, most=0.6), lambda one: is_ok(one) and 0.3 <= one.relevance <= 0.6),
    (PageFilter(language="de"), lambda one: is_ok(one) and one.language == "de"),
    (PageFilter(depth=2), lambda one: is_ok(one) and one.depth <= 2),
    (PageFilter(words=text_query("brakes")), lambda one: is_ok(one) and one.seq % 3 == 0),
    (PageFilter(words=text_query("brakes"), sort=RELEVANCE), lambda o: is_ok(o) and o.seq % 3 == 0),
    (PageFilter(words=text_query("brakes 33")), lambda one: one.seq == 33),
    (PageFilter(words=text_query('"33 of bicycles"')), lambda one: one.seq == 33),
    (PageFilter(words=text_query('"bicycles of 33"')), lambda one: False),
    (
        PageFilter(words=text_query("brakes"), topic="/Recreation", sort=RELEVANCE, language="en"),
        lambda o: is_ok(o) and o.seq % 3 == 0 and o.seq % 2 == 1 and o.language == "en",
    ),
]


@pytest.mark.parametrize(("wanted", "is_wanted"), CASES)
def test_filters_and_orders(many, wanted, is_wanted):
    right = expected(many, wanted, is_wanted)
    assert walked(many, wanted) == right
    assert [one.seq for one in pages_walked(many, wanted)] == right


@pytest.mark.parametrize(("wanted", "is_wanted"), CASES)
def test_the_same_when_nothing_is_few(many, wanted, is_wanted, monkeypatch):
    """The ways of large crawls, on a small one."""
    for name in ("FEW", "MANY"):
        monkeypatch.setattr(page_list, name, 3)
    for name in ("_WINDOW", "_WINDOW_TO_KEEP", "_HITS_AT_ONCE"):
        monkeypatch.setattr(page_list, name, 7)
    right = expected(many, wanted, is_wanted)
    assert walked(many, wanted) == right
    assert [one.seq for one in pages_walked(many, wanted)] == right


def test_a_search_that_takes_too_long_goes_on_where_it_was(many, monkeypatch):
    monkeypatch.setattr(page_list, "_WINDOW", 10)
    monkeypatch.setattr(page_list, "SECONDS", 0.0)
    wanted = PageFilter(language="de", least=0.99)
    found = pages_found(many, wanted, seconds=0.0)
    assert found.is_unfinished
    assert found.next == Place(many.seq + 1 - 10)
    assert walked(many, wanted) == expected(
        many, wanted, lambda o: is_ok(o) and o.language == "de" and o.relevance >= 0.99
    )


def test_places_stay_valid_while_the_crawl_grows(many):
    first = pages_found(many, PageFilter())
    record(many, *(page(number) for number in range(200, 260)))
    second = pages_found(many, PageFilter(), first.next)
    assert seqs(second)[0] < seqs(first)[-1]
    assert len(seqs(first)) == PAGES_SHOWN
    assert not set(seqs(first)) & set(seqs(second))


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "1_2_3", "nan_5", "inf_5", "2.0_5", "٣", "9" * 30, "0.5_", "_5_"]
)
def test_places_that_are_none(text):
    assert place_in(text, RELEVANCE) is None


def test_the_same_text_is_told(crawl):
    crawl = record(crawl, page(1, text="Same"), page(2, text="Other"), page(3, text="Same"))
    record(crawl, page(4, text="Same"), page(5, text=""), page(6, text=""))
    same = dict(Page.objects.filter(crawl=crawl).values_list("seq", "same_as"))
    assert same == {1: None, 2: None, 3: 1, 4: 1, 5: None, 6: None}
    crawl.refresh_from_db()
    assert walked(crawl, PageFilter(without_duplicates=True)) == [6, 5, 2, 1]


def test_the_title_is_found_and_the_words_are_marked(crawl):
    crawl = record(crawl, page(1, title="Alpine passes", text="Café on <b>top</b> of a pass."))
    found = pages_found(crawl, PageFilter(words=text_query("alpine cafe")))
    # PostgreSQL keeps accents.
    if connection.vendor == "sqlite":
        assert seqs(found) == [1]
        assert [(p.text, p.is_hit) for p in found.pages[0].snippet][:1] == [("Café", True)]
    assert seqs(pages_found(crawl, PageFilter(words=text_query("ALPINE top")))) == [1]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(typed=st.text(max_size=60) | st.text("\"*^():-+ANDORNEAR{}\\'%\0é中", max_size=40))
def test_nothing_typed_is_an_error(crawl, typed):
    if not has_words(crawl.pk) or not crawl.seq:
        record(crawl, page(1, text="NEAR AND or not"))
        crawl.refresh_from_db()
    words = text_query(typed)
    if words is not None:
        found = seqs_with(crawl.pk, words, below=9, limit=9)
        assert those_with(crawl.pk, words, [1]) == set(found)


def test_texts_that_no_index_takes(crawl):
    hostile = " ".join(f"w{number}" for number in range(60_000))
    record(crawl, page(1, text="a\0b \ud800 c"), page(2, text=hostile), page(3, text="x" * 90_000))
    assert seqs_with(crawl.pk, W17, below=9, limit=9) == [2]


def test_discarded_words_are_gone(many):
    other = many.pk
    many.state = "finished"
    many.save()
    assert has_words(other)
    crawl_discard(crawl=many)
    assert seqs_with(other, BRAKES, below=999, limit=9) == []


def test_words_are_there_with_the_page_or_not_at_all(crawl):
    with pytest.raises(IntegrityError), transaction.atomic():
        record(crawl, page(1, text="brakes", relevance=2.0))
    assert seqs_with(crawl.pk, BRAKES, below=9, limit=9) == []
    record(crawl, page(1, text="brakes"))
    assert seqs_with(crawl.pk, BRAKES, below=9, limit=9) == [1]


def test_pages_of_before_get_their_words(crawl):
    """What the migration does for crawls that ran before it."""
    record(crawl, page(1, text="brakes"), page(2, text="brakes"), page(3, text=""))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("DELETE FROM crawler_pagetext")
        else:
            words_drop(crawl.pk)
    Page.objects.update(text_key=None, same_as=None)
    migration = import_module("crawler.migrations.0008_search")
    migration.fill(apps, SimpleNamespace(connection=connection))
    assert seqs_with(crawl.pk, BRAKES, below=9, limit=9) == [2, 1]
    rows = Page.objects.order_by("seq").values_list("text_key", "same_as")
    keys, same = zip(*rows, strict=True)
    assert keys == (text_key("brakes"), text_key("brakes"), None)
    assert same == (None, 1, None)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by its statistics")
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (PageFilter(), "PRIMARY KEY|sqlite_autoindex_crawler_page_1"),
        (PageFilter(sort=RELEVANCE), "page_by_relevance"),
        (PageFilter(sort=RELEVANCE, least=0.3), "page_by_relevance"),
        (PageFilter(sort=RELEVANCE, language="en"), "page_by_relevance"),
    ],
)
def test_orders_come_from_an_index(many, wanted, index, monkeypatch):
    monkeypatch.setattr(page_list, "FEW", 0)
    with CaptureQueriesContext(connection) as seen:
        pages_found(many, wanted)
    (query,) = [
        one["sql"] for one in seen.captured_queries if '"crawler_page"."title"' in one["sql"]
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        plan = " ".join(row[-1] for row in cursor.fetchall())
    assert re.search(index, plan), plan
    assert "TEMP B-TREE" not in plan


def test_what_people_called_useful_can_be_asked_for(many, owner):
    for seq, value in ((3, "useful"), (5, "not_useful"), (7, "useful")):
        judged = Page.objects.get(crawl=many, seq=seq)
        Verdict.objects.create(
            crawl=many, number=judged.number, page_seq=seq, site=judged.site, value=value, by=owner
        )
    Verdict.objects.filter(page_seq=7).update(undone_at=timezone.now())
    Verdict.objects.create(crawl=many, site="h1.example", value="useful", by=owner)
    assert walked(many, PageFilter(feedback="useful")) == [3]
    assert walked(many, PageFilter(feedback="not_useful")) == [5]
    assert walked(many, PageFilter(feedback=ALL)) == [5, 3]
