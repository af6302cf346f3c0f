"""Netscape bookmark files of all browsers, and reading lists kept as HTML lists (Pocket)."""

import re

from taxonomy.core.bookmarks.cleaning import split_tags
from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.markup import Tag, attributes, tag_pattern, tags, text_between
from taxonomy.core.bookmarks.mending import BROKEN_OFF, breaks_off
from taxonomy.core.bookmarks.types import MAX_DEPTH, FolderPath

HEAD = 1 << 20  # what kind of file it is shows this early
NETSCAPE = re.compile(rb"netscape-bookmark-file|<dt[\s>]", re.I)
LINKS = re.compile(rb"<a\s[^<>]{0,400}href\s*=", re.I)
POCKET = re.compile(rb"<title>\s*pocket export", re.I)

NETSCAPE_TAGS = tag_pattern("a", "h[2-6]", "d[dlt]", "hr")
LIST_TAGS = tag_pattern("a", "h[1-6]")
LINK_ATTRIBUTES = frozenset({"href", "add_date", "time_added", "tags", "description", "title"})
ROOT_ATTRIBUTES = frozenset({"personal_toolbar_folder", "unfiled_bookmarks_folder"})
# Nested lists beyond this only count, so that a file of nothing but <DL> stays cheap.
MAX_OPEN_LISTS = 10 * MAX_DEPTH


def is_html(data: bytes) -> bool:
    """Whether this is a bookmark file in HTML, or at least HTML with links."""
    head = data[:HEAD]
    return NETSCAPE.search(head) is not None or LINKS.search(head) is not None


def read_html(data: bytes, collector: Collector) -> str:
    """Reads either kind; a file without a definition list is a list under headings."""
    if breaks_off(data):
        collector.skip(BROKEN_OFF)
    if NETSCAPE.search(data[:HEAD]):
        _NetscapeReader(data, collector).read()
        return "Netscape HTML"
    _LinkListReader(data, collector).read()
    return "Pocket HTML" if POCKET.search(data[:4096]) else "HTML links"


class _LinkReader:
    """What both kinds share: a link is complete when the next one or its end comes."""

    def __init__(self, data: bytes, collector: Collector) -> None:
        self.data = data
        self.collector = collector
        self.folder: FolderPath = ()
        self.link: dict[str, str] | None = None
        self.text_start = 0
        self.title = ""
        self.description = ""

    def open_link(self, tag: Tag) -> None:
        self.finish_link()
        self.link = attributes(self.data, tag, LINK_ATTRIBUTES)
        self.text_start = tag.end

    def finish_link(self) -> None:
        """Hands the link over; anchors that lead nowhere (no HREF) are none."""
        link, self.link = self.link, None
        if link is not None and "href" in link:
            self.collector.add(
                link["href"],
                self.title or link.get("title", ""),
                self.folder,
                description=self.description or link.get("description", ""),
                tags=split_tags(link.get("tags", "")),
                added=link.get("add_date") or link.get("time_added"),
            )
        self.title = self.description = ""

    def text_until(self, tag: Tag) -> str:
        return text_between(self.data, self.text_start, tag.start)


class _NetscapeReader(_LinkReader):
    """Folders are an H3 and the DL after it; a DD describes the link before it.

    A heading waits for its list; links between the two still belong to the folder around.
    Tags may be left open everywhere: each tag ends the text of the one before.
    """

    def __init__(self, data: bytes, collector: Collector) -> None:
        super().__init__(data, collector)
        self.open_text = ""
        self.heading: dict[str, str] = {}
        self.next_folder: FolderPath | None = None
        self.open_folders: list[FolderPath] = []
        self.uncounted = 0
        # Links within a description belong to it, if real ones are announced by a DT.
        self.has_terms = re.search(rb"<dt[\s>]", data, re.I) is not None

    def read(self) -> None:
        for tag in tags(self.data, NETSCAPE_TAGS):
            self.collector.count_part()
            self.handle(tag)
        end = len(self.data)
        self.end_text(Tag("", True, end, end, end))
        self.finish_link()

    def handle(self, tag: Tag) -> None:
        if self.open_text == "description" and self.has_terms and tag.name[0] in "ah":
            return
        self.end_text(tag)
        if tag.name == "a":
            self.handle_link(tag)
        elif tag.name == "dd":
            self.begin_text("description", tag)
        elif tag.name == "dl":
            self.handle_list(tag)
        elif tag.name != "hr" and tag.name[0] == "h":
            self.handle_heading(tag)
        else:
            self.finish_link()

    def handle_link(self, tag: Tag) -> None:
        if not tag.closing:
            self.open_link(tag)
            self.open_text = "title"

    def handle_heading(self, tag: Tag) -> None:
        self.finish_link()
        if not tag.closing:
            self.heading = attributes(self.data, tag, ROOT_ATTRIBUTES)
            self.begin_text("folder", tag)

    def handle_list(self, tag: Tag) -> None:
        self.finish_link()
        if tag.closing:
            self.close_folder()
        elif len(self.open_folders) >= MAX_OPEN_LISTS:
            self.uncounted += 1
        else:
            self.open_folders.append(self.folder)
            self.folder = self.folder if self.next_folder is None else self.next_folder
        self.next_folder = None

    def close_folder(self) -> None:
        if self.uncounted:
            self.uncounted -= 1
        elif self.open_folders:
            self.folder = self.open_folders.pop()

    def begin_text(self, kind: str, tag: Tag) -> None:
        if not tag.closing:
            self.open_text, self.text_start = kind, tag.end

    def end_text(self, tag: Tag) -> None:
        kind, self.open_text = self.open_text, ""
        if kind == "title":
            self.title = self.text_until(tag)
        elif kind == "description" and self.link is not None:
            self.description = self.text_until(tag)
        elif kind == "folder":
            name, root = self.text_until(tag), bool(self.heading)
            self.next_folder = self.collector.folder(self.folder, name, root=root)


class _LinkListReader(_LinkReader):
    """Headings are folders, nested by their level; every link under them is a bookmark."""

    def __init__(self, data: bytes, collector: Collector) -> None:
        super().__init__(data, collector)
        self.headings: list[tuple[str, FolderPath]] = []
        self.in_heading = False

    def read(self) -> None:
        for tag in tags(self.data, LIST_TAGS):
            self.collector.count_part()
            if tag.name == "a":
                self.handle_link(tag)
            else:
                self.handle_heading(tag)
        self.finish_link()

    def handle_link(self, tag: Tag) -> None:
        if not tag.closing:
            self.open_link(tag)
        elif self.link is not None:
            self.title = self.text_until(tag)
            self.finish_link()

    def handle_heading(self, tag: Tag) -> None:
        if not tag.closing:
            self.in_heading, self.text_start = True, tag.end
        elif self.in_heading:
            self.in_heading = False
            self.open_heading(tag.name, self.text_until(tag))

    def open_heading(self, level: str, name: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        parent = self.headings[-1][1] if self.headings else ()
        self.folder = self.collector.folder(parent, name)
        self.headings.append((level, self.folder))
