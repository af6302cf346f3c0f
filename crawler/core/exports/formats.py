"""Every format by its key. A new one is a line here and its writer."""

from dataclasses import dataclass
from enum import StrEnum


class Of(StrEnum):
    PAGES = "pages"
    BEST = "best"
    GRAPH = "graph"
    BUNDLE = "bundle"


@dataclass(frozen=True)
class Format:
    """How a format is called, and what its writer needs of each page."""

    key: str
    label: str
    hint: str
    extension: str
    content_type: str
    of: Of = Of.PAGES
    has_text: bool = False
    has_links: bool = False
    has_bodies: bool = False


FORMATS = {
    each.key: each
    for each in (
        Format("csv", "CSV", "A table for any program.", "csv", "text/csv; charset=utf-8"),
        Format(
            "xlsx", "XLSX", "A table for spreadsheets.", "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        Format(
            "jsonl", "JSON lines", "An object a page, with its text.", "jsonl",
            "application/jsonl; charset=utf-8", has_text=True,
        ),
        Format(
            "warc", "WARC", "A web archive: bodies where they were kept, texts elsewhere.",
            "warc.gz", "application/warc", has_text=True, has_bodies=True,
        ),
        Format(
            "web", "Recorded web", "Texts and links, for the lab.", "web.jsonl.gz",
            "application/gzip", has_text=True, has_links=True,
        ),
        Format(
            "gexf", "GEXF", "The link graph, for Gephi.", "gexf", "application/gexf+xml",
            of=Of.GRAPH,
        ),
        Format(
            "graphml", "GraphML", "The link graph, for other programs.", "graphml",
            "application/graphml+xml", of=Of.GRAPH,
        ),
        Format(
            "bookmarks", "Bookmarks", "The best hubs and authorities, for browsers.", "html",
            "text/html; charset=utf-8", of=Of.BEST,
        ),
        Format(
            "opml", "OPML", "The best hubs and authorities, as an outline.", "opml",
            "text/x-opml; charset=utf-8", of=Of.BEST,
        ),
        Format(
            "bundle", "Bundle", "The whole crawl in one file that can be cited and checked.",
            "bundle.zip", "application/zip", of=Of.BUNDLE,
        ),
    )
}  # fmt: skip
