"""Every format is read back by a program that is not ours, or by our own importer."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count, islice
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from crawler.core.exports.formats import FORMATS
from crawler.core.exports.markup import xml_text
from crawler.core.exports.tables import write_csv, write_jsonl, write_xlsx
from crawler.core.exports.types import ExportPage
from crawler.core.exports.warc import write_warc
from crawler.models import Export, RawPage
from crawler.selectors.exports import export_path
from crawler.selectors.page_filter import PageFilter
from crawler.services import exports
from crawler.services.crawls import crawl_discard
from crawler.services.exports import (
    ExportError,
    export_ask,
    export_cancel,
    export_run,
    export_write,
    exports_to_run,
    wanted_by,
)
from taxonomy.core.bookmarks.detect import read_bookmarks
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db
URLS = [f"https://h{number}.example/{number}" for number in range(6)]
HOSTILE = '=cmd|" /C calc"!A1 <b>&\x0b "quoted"'
BODY = b"<html><body>Gears \xff and brakes</body></html>"


@pytest.fixture
def filled(crawl):
    return record(
        crawl,
        Fetched(URLS[0], 0.9, links=(URLS[1], URLS[2], URLS[5]), fields={"title": HOSTILE}),
        Fetched(
            URLS[1],
            0.8,
            links=(URLS[2], URLS[0]),
            fields={"body": BODY, "content_type": "text/html; charset=utf-8\r\nX-Odd: 1"},
        ),
        Fetched(URLS[2], 0.2, fields={"topic": "/Arts"}),
        Fetched(URLS[3], None),
    )


def written(crawl, key: str, wanted: PageFilter | None = None) -> tuple[bytes, int]:
    out = io.BytesIO()
    rows = export_write(crawl, FORMATS[key], wanted or PageFilter(), out)
    return out.getvalue(), rows


def test_csv_is_safe_for_spreadsheets(filled):
    data, rows = written(filled, "csv")
    table = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert rows == len(table) == 3
    assert table[-1]["title"] == "'" + HOSTILE
    assert table[0]["relevance"] == "0.2"


def page(title: str = "", **changes) -> ExportPage:
    known = ExportPage(
        1, 1, "https://a.example/", title, "a.example", "ok", 200, "en", 0.5, "/A", 0.5, 0, 9, 1.0
    )
    return replace(known, **changes)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_cells_that_would_be_formulas(start):
    out = io.BytesIO()
    write_csv([page(f"{start}1+1")], out)
    row = list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))[1]
    assert row[2] == f"'{start}1+1"


def test_jsonl_has_the_text(filled):
    data, _ = written(filled, "jsonl", PageFilter(topic="/Arts"))
    (only,) = [json.loads(line) for line in data.splitlines()]
    assert only["url"] == URLS[2]
    assert only["text"] == "A page about bicycles."


def test_xlsx_holds_texts_and_no_formulas(filled):
    data, _ = written(filled, "xlsx")
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    ElementTree.fromstring(sheet)
    assert "<f>" not in sheet
    assert "=cmd|" in sheet


def test_warc_is_read_by_warcio(filled):
    data, rows = written(filled, "warc")
    found = {}
    for one in ArchiveIterator(io.BytesIO(data)):
        key = one.rec_headers["WARC-Target-URI"]
        headers = one.http_headers.headers if one.http_headers else []
        found[key] = (one.rec_type, one.content_stream().read(), headers)
    assert rows == 3
    assert found.pop(None)[0] == "warcinfo"
    kind, body, headers = found[URLS[1]]
    assert (kind, body) == ("response", BODY)
    assert ("Content-Type", "text/html; charset=utf-8 X-Odd: 1") in headers
    kind, text, _ = found[URLS[2]]
    assert kind == "conversion"
    assert text.decode().endswith("A page about bicycles.")
    assert set(found) == set(URLS[:3])


def test_bookmarks_and_opml_come_in_again(filled):
    for key in ("bookmarks", "opml"):
        data, rows = written(filled, key)
        read = read_bookmarks(data)
        assert rows == len(read.bookmarks) > 0
        assert {mark.folder for mark in read.bookmarks} <= {("Hubs",), ("Authorities",)}
        titles = {mark.url: mark.title for mark in read.bookmarks}
        assert URLS[0] in titles
        assert "=cmd" in titles[URLS[0]]


def test_what_xml_can_not_say_is_left_out():
    assert xml_text('\x00a\x0b\ufffe <&"\ud800') == "a &lt;&amp;&quot;"


GEXF, GRAPHML = "{http://www.gexf.net/1.2draft}", "{http://graphml.graphdrawing.org/xmlns}"


def test_graphs_are_xml_of_their_schemas(filled):
    for key, space in (("gexf", GEXF), ("graphml", GRAPHML)):
        data, rows = written(filled, key)
        root = ElementTree.fromstring(data)
        assert root.tag == f"{space}{key}"
        nodes = [node.get("id") for node in root.iter(f"{space}node")]
        edges = [(edge.get("source"), edge.get("target")) for edge in root.iter(f"{space}edge")]
        assert rows == len(set(nodes)) == 3
        assert len(edges) == 4
        assert {end for edge in edges for end in edge} <= set(nodes)
        tag, name = ("attvalue", "for") if key == "gexf" else ("data", "key")
        names = [value.get(name) for value in root.iter(f"{space}{tag}")]
        assert names.count("url") == names.count("topic") == 3


def test_graphs_are_read_by_networkx(filled):
    networkx = pytest.importorskip("networkx")
    for key, read in (("gexf", networkx.read_gexf), ("graphml", networkx.read_graphml)):
        data, rows = written(filled, key)
        graph = read(io.BytesIO(data))
        assert rows == graph.number_of_nodes() == 3
        urls = {node: values["url"] for node, values in graph.nodes(data=True)}
        edges = {(urls[source], urls[target]) for source, target in graph.edges()}
        assert edges == {
            (URLS[0], URLS[1]), (URLS[0], URLS[2]), (URLS[1], URLS[2]), (URLS[1], URLS[0]),
        }  # fmt: skip


def test_the_recorded_web(filled):
    data, _ = written(filled, "web")
    pages = {line["url"]: line for line in map(json.loads, gzip.decompress(data).splitlines())}
    assert [link["url"] for link in pages[URLS[0]]["links"]] == [URLS[1], URLS[2], URLS[5]]
    assert pages[URLS[0]]["links"][0]["anchor"] == "link"
    assert pages[URLS[2]]["topic"] == "/Arts"


@pytest.mark.parametrize("write", [write_csv, write_jsonl, write_xlsx, write_warc])
def test_pages_are_taken_one_by_one(write):
    """Nothing is collected first: a writer that fails at page n has asked for n pages only."""
    taken = count()

    def endless() -> Iterator[ExportPage]:
        while True:
            if next(taken) == 500:
                raise InterruptedError
            yield page("A title", text="words " * 20)

    with pytest.raises(InterruptedError):
        write(endless(), io.BytesIO())
    assert next(taken) == 501


def test_a_filter_that_can_not_be_read_is_refused(filled):
    with pytest.raises(ExportError, match="least"):
        wanted_by(filled, "least=much")


def test_the_command(filled, tmp_path, capsys):
    path = tmp_path / "pages.csv"
    call_command("export", filled.slug, "--format", "csv", "-o", str(path), "--json")
    assert json.loads(capsys.readouterr().out)["rows"] == 3
    assert path.read_text().count("\n") >= 4
    call_command(
        "export", filled.slug, "--format", "csv", "-o", str(path), "--filter", "topic=/Arts"
    )
    assert "1 pages" in capsys.readouterr().out
    for odd in (["none", "-o", str(path)], [filled.slug, "-o", str(tmp_path)]):
        with pytest.raises(CommandError):
            call_command("export", *odd, "--format", "csv")
    assert [each.name for each in tmp_path.iterdir()] == ["pages.csv"]


@pytest.mark.parametrize("key", ["csv", "warc", "xlsx", "gexf"])
def test_the_command_writes_to_a_pipe(filled, capsysbinary, key):
    call_command("export", filled.slug, "--format", key, "-o", "-", "--json")
    told = capsysbinary.readouterr()
    assert json.loads(told.err)["rows"] == 3
    assert told.out[:2] == {"csv": b"pa", "warc": b"\x1f\x8b", "xlsx": b"PK", "gexf": b"<?"}[key]


def test_a_failed_export_leaves_no_file(filled, tmp_path, monkeypatch):
    path = tmp_path / "pages.csv"
    path.write_text("as it was")

    def broken(pages, out):
        out.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(exports._PAGES, "csv", broken)
    with pytest.raises(CommandError, match="No space left"):
        call_command("export", filled.slug, "--format", "csv", "-o", str(path))
    assert path.read_text() == "as it was"
    assert len(list(tmp_path.iterdir())) == 1


def asked(crawl, owner, key: str = "csv", query: str = "") -> Export:
    return export_ask(crawl=crawl, kind=FORMATS[key], query=query, by=owner)


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path_factory):
    settings.DATA_DIR = tmp_path_factory.mktemp("data")


def test_a_worker_writes_it(filled, owner):
    export = asked(filled, owner, query="topic=/Arts")
    assert exports_to_run() == [export.pk]
    export_run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.rows, export.size_bytes > 0) == ("done", 1, True)
    assert export_path(export).read_bytes().count(b"\n") == 2
    assert exports_to_run() == []
    export_run(export.pk)  # a message that came twice
    export.refresh_from_db()
    assert export.attempt == 1


def test_cancelled_before_and_meanwhile(filled, owner, monkeypatch):
    export = asked(filled, owner)
    assert export_cancel(export=export)
    export_run(export.pk)
    export.refresh_from_db()
    assert export.state == "cancelled"
    export = asked(filled, owner)
    monkeypatch.setattr(exports, "NOTE_SECONDS", -1.0)
    plain = exports._PAGES["csv"]

    def cancelling(pages, out):
        plain(islice(pages, 1), out)
        assert export_cancel(export=export)
        plain(pages, out)

    monkeypatch.setitem(exports._PAGES, "csv", cancelling)
    export_run(export.pk)
    export.refresh_from_db()
    assert export.state == "cancelled"
    assert not export_path(export).exists()
    assert not list(export_path(export).parent.iterdir())
    assert not export_cancel(export=export)


def test_an_export_whose_writer_is_lost_is_written_anew(filled, owner):
    export = asked(filled, owner)
    long_ago = timezone.now() - timedelta(hours=1)
    Export.objects.update(state="running", attempt=1, seen_at=timezone.now())
    export_run(export.pk)  # somebody is at it
    assert exports_to_run() == []
    Export.objects.update(seen_at=long_ago)
    assert exports_to_run() == [export.pk]
    export_run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.attempt) == ("done", 2)


def test_what_fails_says_why_and_old_ones_go(crawl, owner):
    export = asked(crawl, owner, "opml")
    export_run(export.pk)
    export.refresh_from_db()
    assert export.state == "failed"
    assert "no pages yet" in export.error
    Export.objects.update(finished_at=timezone.now() - timedelta(days=8))
    exports_to_run()
    assert not Export.objects.exists()


def test_not_too_many_at_a_time(filled, owner):
    for _ in range(exports.AT_A_TIME):
        asked(filled, owner)
    with pytest.raises(ExportError):
        asked(filled, owner)


def test_discarding_takes_bodies_and_exports_along(filled, owner):
    export = asked(filled, owner)
    export_run(export.pk)
    assert RawPage.objects.count() == 1
    filled.state = "finished"
    filled.save()
    crawl_discard(crawl=filled)
    assert not RawPage.objects.exists()
    assert not Export.objects.exists()
    assert not export_path(export).exists()


def test_warcs_of_others_look_the_same():
    """A record of ours has the fields that warcio's own has."""
    ours, theirs = io.BytesIO(), io.BytesIO()
    write_warc([page(text="x")], ours)
    writer = WARCWriter(theirs, gzip=True)
    record = writer.create_warc_record("https://a.example/", "conversion", io.BytesIO(b"x"), 1)
    writer.write_record(record)
    fields = [
        {
            name
            for name, _ in list(ArchiveIterator(io.BytesIO(data.getvalue())))[
                -1
            ].rec_headers.headers
        }
        for data in (ours, theirs)
    ]
    assert fields[1] <= fields[0]
