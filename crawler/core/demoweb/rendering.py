"""Pages as HTML."""

from collections.abc import Iterable
from html import escape

from crawler.core.demoweb.catalogue import Catalogue, DemoPage, LinkKind, PageKind, Place
from crawler.core.demoweb.prose import Anchor, Entry, Sentence, description, entries, paragraphs
from crawler.core.demoweb.vocabulary import leaf_name

_FOOTER = (
    "A site of the demo web. All clubs, shops and people on it are invented. "
    "Free to read, to print and to crawl."
)


def page_html(catalogue: Catalogue, page: DemoPage, port: int) -> str:
    """The whole document."""
    if page.kind is PageKind.LEAFLET:
        main = f"<main>{_article(catalogue, page, port)}</main>"
        return document(page.title, description(catalogue, page), main)
    site = catalogue.sites[page.host]
    return document(
        f"{page.title} | {site.title}" if page.path != "/" else page.title,
        description(catalogue, page),
        f'<header><p class="brand">{escape(site.title)}</p>{_menu(catalogue, page)}</header>'
        f"<main>{_article(catalogue, page, port)}{_aside(catalogue, page, port)}</main>"
        f"<footer><p>{escape(_FOOTER)}</p></footer>",
    )


def document(title: str, about: str, body: str) -> str:
    """A document around a body that is HTML already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n"
        f'<meta name="description" content="{escape(about)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="stylesheet" href="/style.css">\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def index_html(catalogue: Catalogue, port: int) -> str:
    """The list of all sites, for whoever opens the bare port in a browser."""
    rows = "".join(
        f'<li><a href="{escape(Place(site.host, "/").url(port))}">{escape(site.title)}</a> '
        f'<span class="remark">{escape(leaf_name(site.home))}</span></li>'
        for site in catalogue.sites.values()
    )
    summary = f"{len(catalogue.sites)} sites, {len(catalogue.pages)} pages, all of them invented."
    body = (
        '<header><p class="brand">The demo web</p></header>'
        f"<main><article><h1>All sites</h1><p>{summary}</p>"
        f'<ul class="listed">{rows}</ul></article></main>'
    )
    return document("The demo web", summary, body)


def notice_html(title: str, text: str) -> str:
    """A short page that says what happened."""
    body = f"<main><article><h1>{escape(title)}</h1><p>{escape(text)}</p></article></main>"
    return document(title, text, body)


def _article(catalogue: Catalogue, page: DemoPage, port: int) -> str:
    text = "\n".join(
        f"<p>{' '.join(_sentence(sentence, page.host, port) for sentence in paragraph)}</p>"
        for paragraph in paragraphs(catalogue, page)
    )
    listed = _list(entries(catalogue, page, LinkKind.LISTED), page.host, port, "listed")
    return f"<article>\n<h1>{escape(page.title)}</h1>\n{text}\n{listed}</article>\n"


def _aside(catalogue: Catalogue, page: DemoPage, port: int) -> str:
    related = entries(catalogue, page, LinkKind.RELATED)
    if not related:
        return ""
    return f"<aside><h2>See also</h2>{_list(related, page.host, port, 'related')}</aside>\n"


def _list(lines: Iterable[Entry], host: str, port: int, name: str) -> str:
    items = "\n".join(f"<li>{_link(line.anchor, host, port)}{_remark(line)}</li>" for line in lines)
    return f'<ul class="{name}">\n{items}\n</ul>\n' if items else ""


def _remark(line: Entry) -> str:
    return f' <span class="remark">{escape(line.remark)}</span>' if line.remark else ""


def _menu(catalogue: Catalogue, page: DemoPage) -> str:
    items = "".join(
        f'<li><a href="{escape(place.path)}">{escape(_menu_word(catalogue, place))}</a></li>'
        for place in page.targets(LinkKind.MENU)
    )
    return f"<nav><ul>{items}</ul></nav>"


def _menu_word(catalogue: Catalogue, place: Place) -> str:
    page = catalogue.pages.get(place)
    if page is None:
        return "Calendar"
    if page.kind is PageKind.SECTION:
        return leaf_name(page.topic)
    return "Home" if page.kind is PageKind.HOME else page.title


def _sentence(sentence: Sentence, host: str, port: int) -> str:
    return "".join(
        escape(part) if isinstance(part, str) else _link(part, host, port) for part in sentence
    )


def _link(anchor: Anchor, host: str, port: int) -> str:
    address = anchor.place.path if anchor.place.host == host else anchor.place.url(port)
    return f'<a href="{escape(address)}">{escape(anchor.text)}</a>'
