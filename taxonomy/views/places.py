"""Where a person is in a tree: the topic, the focus and the search that the address holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from django.http import Http404, HttpRequest
from django.urls import reverse

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import require_role
from focusadmin.accounts.views import UserRequest
from taxonomy.models import Focus, Taxonomy, Topic
from taxonomy.selectors.focuses import focuses_of
from taxonomy.selectors.trees import path_of, taxonomy_get, topic_by_path, topic_get

QUERY_MAX = 200
OPENED_COOKIE = "open-topics"  # written by the page's script, so that a page opens as it was left
OPENED_MAX = 200


@dataclass(frozen=True)
class Place:
    """`topic` is the root while none is selected, or while the wanted one is `missing`."""

    taxonomy: Taxonomy
    topic: Topic
    focus: Focus | None = None
    query: str = ""
    missing: str = ""

    @property
    def has_topic(self) -> bool:
        return self.topic.pk != self.taxonomy.root_id

    @cached_property
    def path(self) -> str:
        return path_of(self.topic) if self.has_topic else ""

    @cached_property
    def base(self) -> str:
        return reverse("taxonomy:tree", args=[self.taxonomy.slug])

    @cached_property
    def tail(self) -> str:
        """The end of every link, so that focus and search stay."""
        kept = {"focus": self.focus.slug if self.focus else "", "q": self.query}
        return "".join(f"&{key}={quote(value)}" for key, value in kept.items() if value)

    @property
    def address(self) -> str:
        return tree_url(self.taxonomy, self.path, self._focus_slug, self.query)

    @property
    def list_address(self) -> str:
        """The tree without a topic: where a narrow screen goes back to."""
        return tree_url(self.taxonomy, "", self._focus_slug, self.query)

    @property
    def _focus_slug(self) -> str:
        return self.focus.slug if self.focus else ""


def tree_url(taxonomy: Taxonomy, path: str = "", focus: str = "", query: str = "") -> str:
    wanted = {"topic": path, "focus": focus, "q": query}
    query_string = urlencode({key: value for key, value in wanted.items() if value}, safe="/")
    base = reverse("taxonomy:tree", args=[taxonomy.slug])
    return f"{base}?{query_string}" if query_string else base


def place_at(
    request: UserRequest,
    taxonomy: Taxonomy,
    asked: Mapping[str, str],
    topic: Topic | None = None,
) -> Place:
    """The place that an address (GET) or the hidden fields of a form (POST) tell."""
    missing = ""
    if topic is None:
        wanted = asked.get("topic", "")
        try:
            topic = topic_by_path(taxonomy=taxonomy, path=wanted)
        except Http404:
            topic, missing = taxonomy.root, wanted[:QUERY_MAX]
    return Place(
        taxonomy=taxonomy,
        topic=topic,
        focus=focus_asked(request, taxonomy, asked.get("focus", "")),
        query=asked.get("q", "").strip()[:QUERY_MAX],
        missing=missing,
    )


def asked_in_form(request: HttpRequest) -> dict[str, str]:
    """Where a form was sent from: its hidden fields tell, or the page it stood on."""
    if "at" in request.POST:
        return {**request.POST.dict(), "topic": request.POST["at"]}
    page = urlsplit(request.headers.get("Referer", ""))
    return dict(parse_qsl(page.query)) if page.netloc == request.get_host() else {}


def focus_asked(request: UserRequest, taxonomy: Taxonomy, slug: str) -> Focus | None:
    if not slug:
        return None
    return focuses_of(user=request.user, taxonomy=taxonomy).filter(slug=slug).first()


def edited_taxonomy(request: UserRequest, slug: str) -> Taxonomy:
    """The taxonomy, for somebody who may edit it."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    require_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR)
    return taxonomy


def topic_asked(taxonomy: Taxonomy, text: str) -> Topic:
    """By id or path."""
    if text.isascii() and text.isdigit() and len(text) < 19:
        return topic_get(taxonomy=taxonomy, topic_id=int(text))
    return topic_by_path(taxonomy=taxonomy, path=text)


def edited_topic(request: UserRequest, slug: str, topic_id: int) -> tuple[Taxonomy, Topic]:
    taxonomy = edited_taxonomy(request, slug)
    return taxonomy, topic_get(taxonomy=taxonomy, topic_id=topic_id)


def number_asked(request: HttpRequest, name: str, *, default: int = 0, most: int = 2**31) -> int:
    """A number of the address; nonsense counts as nothing."""
    text = request.GET.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 19 else default


def opened_topics(request: HttpRequest) -> list[int] | None:
    """The topics that were open when the person left, or nothing if there was no script."""
    cookie = request.COOKIES.get(OPENED_COOKIE)
    if cookie is None:
        return None
    ids = [part for part in cookie.split(".") if part.isascii() and part.isdigit()]
    return [int(part) for part in ids[:OPENED_MAX] if len(part) < 19]
