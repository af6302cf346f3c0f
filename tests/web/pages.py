"""What a browser would find in a page: elements, links, forms and visible text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.http import HttpResponseBase

VOID = {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass(frozen=True)
class Element:
    tag: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class Form:
    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Text:
    inside: tuple[str, ...]
    words: str


class Page(HTMLParser):
    """A parsed response; everything is read at once."""

    def __init__(self, response: HttpResponseBase) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.forms: list[Form] = []
        self.texts: list[Text] = []
        self._open: list[str] = []
        self.feed(response.getvalue().decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append(Element(tag, attributes))
        if tag == "form":
            self.forms.append(Form(attributes.get("action", ""), attributes.get("method", "get")))
        elif tag == "input" and "form" in self._open and "name" in attributes:
            self.forms[-1].fields[attributes["name"]] = attributes.get("value", "")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(Text(tuple(self._open), data))

    @property
    def words(self) -> str:
        """The text of the page, with white space as a browser would show it."""
        return " ".join(" ".join(text.words for text in self.texts).split())

    @property
    def links(self) -> list[str]:
        return [
            e.attributes["href"]
            for e in self.elements
            if e.tag == "a" and "href" in e.attributes  # a template's gets its own later
        ]

    @property
    def assets(self) -> list[str]:
        """Scripts, style sheets and icons that the page asks for."""
        wanted = {"link": "href", "script": "src"}
        found = [e.attributes.get(wanted[e.tag]) for e in self.elements if e.tag in wanted]
        return [address for address in found if address]

    @property
    def ids(self) -> set[str]:
        return {e.attributes["id"] for e in self.elements if "id" in e.attributes}

    def values_of(self, name: str) -> list[str]:
        """The values of every field or button with this name."""
        found = [e.attributes for e in self.elements if e.attributes.get("name") == name]
        return [attributes.get("value", "") for attributes in found]

    @property
    def theme(self) -> str:
        return next(e.attributes["data-theme"] for e in self.elements if e.tag == "html")

    def form(self, action: str) -> Form:
        return next(form for form in self.forms if form.action == action)

    def has_form(self, action: str) -> bool:
        return any(form.action == action for form in self.forms)
