"""Web archives: ours come back as they were, others give what pages they have."""

import gzip
import io
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.core.exports.types import ExportPage
from crawler.core.exports.warc import write_warc
from taxonomy.core.importers.detect import Format, detect_format, read
from taxonomy.core.importers.sources import ImportFileError
from taxonomy.core.records import ExampleRecord, Record, Skipped

MUSIC = ("Künste", "Musik")
BODY = "<title>Räder</title><p>Gears and brakes".encode("iso-8859-1")


def page(number: int, **more: object) -> ExportPage:
    fields = {"seq": number, "number": number, "url": f"https://a.example/{number}", "title": "T",
              "site": "a.example", "outcome": "ok", "status": 200, "language": "en",
              "relevance": 0.5, "topic": "/Künste/Musik", "topic_probability": 1.0, "depth": 0,
              "size_bytes": 9, "fetched_at": 1.0}  # fmt: skip
    return ExportPage(**{**fields, **more})  # type: ignore[arg-type]


def records(path: Path, data: bytes) -> list[Record]:
    path.write_bytes(data)
    return list(read(path))


def test_what_was_exported_comes_in_again(tmp_path):
    out = io.BytesIO()
    write_warc(
        [
            page(1, body=BODY, content_type="text/html; charset=iso-8859-1"),
            page(2, text="Bells\n\nand whistles", title="Two"),
            page(3, text="No title", title="", topic=""),
        ],
        out,
    )
    assert records(tmp_path / "a.warc.gz", out.getvalue()) == [
        ExampleRecord(("Künste", "Musik"), "Räder", "https://a.example/1", "Gears and brakes"),
        ExampleRecord(("Künste", "Musik"), "Two", "https://a.example/2", "Bells\n\nand whistles"),
        ExampleRecord((), "", "https://a.example/3", "No title"),
    ]
    assert detect_format(b"WARC/1.1\r\nWARC-Type", "x") is Format.WARC


def foreign(*answers: tuple[str, str, bytes]) -> bytes:
    """As crawlers of others write them: requests, headers, chunks, errors."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "other"}))
    for status, fields, body in answers:
        headers = StatusAndHeaders(
            status, [tuple(line.split(": ")) for line in fields.split("\n")], protocol="HTTP/1.1"
        )
        writer.write_record(
            writer.create_warc_record(
                "https://b.example/", "response", io.BytesIO(body), len(body), http_headers=headers
            )
        )
    return out.getvalue()


def test_archives_of_others(tmp_path):
    chunked = b"5\r\n<p>ab\r\n3\r\n cd\r\n0\r\n\r\n"
    found = records(
        tmp_path / "b.warc",
        foreign(
            ("200 OK", "Content-Type: text/html\nTransfer-Encoding: chunked", chunked),
            ("404 Not Found", "Content-Type: text/html", b"<p>no"),
            ("200 OK", "Content-Type: image/png", b"\x89PNG"),
            ("200 OK", "Content-Type: text/html\nContent-Encoding: gzip", gzip.compress(b"<p>ef")),
        ),
    )
    assert [one.text for one in found if isinstance(one, ExampleRecord)] == ["ab cd", "ef"]
    assert [one.reason for one in found if isinstance(one, Skipped)] == [
        "neither a page nor a text"
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", "does not say its length"),
        (b"WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n", "does not say its length"),
        (b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 9\r\n\r\nx", "in the middle"),
        (b"WARC/1.0\r\n" + b"a" * 200_000, "has no end"),
        (b"WARC/1.0\r\n" + b"a: b\r\n" * 500, "has no end"),
        (b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\nhello\r\n", "between its records"),
    ],
)
def test_damaged_archives_are_refused_with_a_reason(tmp_path, data, words):
    with pytest.raises(ImportFileError, match=words):
        records(tmp_path / "c.warc", data)


def test_a_page_that_is_too_large_and_one_that_unpacks_to_a_bomb(tmp_path):
    bomb = gzip.compress(b"<p>" + b"a " * 8_000_000)
    found = records(
        tmp_path / "d.warc",
        foreign(
            ("200 OK", "Content-Type: text/html", b"a" * 11_000_000),
            ("200 OK", "Content-Type: text/html\nContent-Encoding: gzip", bomb),
        ),
    )
    assert isinstance(found[0], Skipped)
    assert "larger than" in found[0].reason
    assert len(found) == 2  # cut, and taken or refused: but never all of it
