"""Pages as a web archive (ISO 28500), one compressed record each.

A page whose body was kept is a `response`; of others there is a `conversion`, its text.
"""

from collections.abc import Iterable
from http import HTTPStatus
from io import BytesIO
from typing import IO, Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.core.exports.types import ExportPage
from taxonomy.core.importers.warc_file import TOPIC_FIELD


def write_warc(pages: Iterable[ExportPage], out: IO[bytes]) -> None:
    writer = WARCWriter(out, gzip=True)
    about = {"software": "FocusAdmin", "format": "WARC File Format 1.0"}
    writer.write_record(writer.create_warcinfo_record("focusadmin.warc.gz", about))
    for page in pages:
        if page.body:
            writer.write_record(_response(writer, page))
        elif page.text:
            writer.write_record(_conversion(writer, page))


def _response(writer: Any, page: ExportPage) -> Any:
    """The body as it was after inflation, so its length and coding are ours to say."""
    headers = [("Content-Length", str(len(page.body)))]
    if page.content_type:
        headers.insert(0, ("Content-Type", " ".join(page.content_type.split())))
    return writer.create_warc_record(
        page.url,
        "response",
        payload=BytesIO(page.body),
        length=len(page.body),
        http_headers=StatusAndHeaders(
            f"{page.status} {_reason(page.status)}", headers, protocol="HTTP/1.1"
        ),
        warc_headers_dict=_fields(page),
    )


def _fields(page: ExportPage) -> dict[str, str]:
    """The topic is our own field: an import of the archive puts the page there again."""
    topic = " ".join(page.topic.split())
    return {"WARC-Date": page.time, **({TOPIC_FIELD: topic} if topic else {})}


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _conversion(writer: Any, page: ExportPage) -> Any:
    text = f"{page.title}\n\n{page.text}" if page.title else page.text
    content = text.encode("utf-8", "replace")
    return writer.create_warc_record(
        page.url,
        "conversion",
        payload=BytesIO(content),
        length=len(content),
        warc_content_type="text/plain; charset=utf-8",
        warc_headers_dict=_fields(page),
    )
