"""Pages read and judged in parsing children, several at a time.

One job holds a handful of pages: the classifier's matrix products cost less together. When a child
dies over a job, its pages are read one by one, and the one that kills again without a parser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler.core.judging import PageJudge, Verdict
from focusadmin.lib import pages as plain_pages
from focusadmin.lib.duplicates import Words, bands, signature_of
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.html import PageContent, PageLink, read_page
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import WorkFailure, WorkLimits, WorkReason
from taxonomy.core.artefact import load_model

TASK = "crawler.core.reading:reading_task"
LIMITS = WorkLimits(cpu_seconds=8, wall_seconds=20.0, memory_bytes=1536 * 1024 * 1024)
MAX_LINKS = 500
STARTS_TRIED = 3
_HEADERS = ("content-type", "x-robots-tag")


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What a child needs of an answer."""

    url: str  # after redirects
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class JudgedLink:
    url: str
    anchor: str
    context_relevance: float


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page as it comes back from a child."""

    title: str
    language: str
    text: str = field(repr=False)
    verdict: Verdict
    bands: tuple[int, ...] = field(repr=False)
    links: tuple[JudgedLink, ...] = field(repr=False)
    canonical: str | None
    is_noindex: bool


class ReaderError(FocusAdminError):
    """No page can be read, whatever is in it: the children can't be started."""


class PageReader:
    """The parent's side: hands jobs to a pool and takes the answers apart."""

    def __init__(self, pool: ParsingPool) -> None:
        self._pool = pool

    async def read(self, pages: Sequence[FetchedPage]) -> list[JudgedPage | WorkFailure]:
        answer = await self._ask(pages, is_plain=False)
        if not isinstance(answer, WorkFailure):
            return list(answer)
        if len(pages) > 1:
            return [result for page in pages for result in await self.read([page])]
        answer = await self._ask(pages, is_plain=True)
        return [answer] if isinstance(answer, WorkFailure) else list(answer)

    async def _ask(
        self, pages: Sequence[FetchedPage], *, is_plain: bool
    ) -> list[JudgedPage] | WorkFailure:
        heads = [
            {
                "url": page.url,
                "headers": {n: page.headers[n] for n in _HEADERS if n in page.headers},
                "size": len(page.body),
            }
            for page in pages
        ]
        meta = {"pages": heads, "is_plain": is_plain}
        answer = await self._run(meta, b"".join(page.body for page in pages))
        if isinstance(answer, WorkFailure):
            return answer
        return [_judged(one) for one in answer["pages"]]

    async def _run(self, meta: dict[str, Any], body: bytes) -> dict[str, Any] | WorkFailure:
        for _ in range(STARTS_TRIED):
            answer = await self._pool.run(meta, body)
            if not isinstance(answer, WorkFailure) or answer.reason is not WorkReason.START:
                return answer
        raise ReaderError("The processes that read pages can't be started.")


def _judged(answer: dict[str, Any]) -> JudgedPage:
    verdict = answer.pop("verdict")
    topic = tuple(verdict.pop("topic"))
    links = tuple(JudgedLink(*link) for link in answer.pop("links"))
    numbers = tuple(answer.pop("bands"))
    return JudgedPage(verdict=Verdict(topic=topic, **verdict), links=links, bands=numbers, **answer)


def pool_for(setup_file: Path, workers: int) -> ParsingPool:
    """Children that know the model and the focus named in the setup file."""
    return ParsingPool(workers=workers, task=TASK, limits=LIMITS, setup_file=setup_file)


# The child's side.

_judge: PageJudge | None = None


def prepare(setup: dict[str, Any]) -> None:
    """Load the model, while the child may still open files."""
    global _judge
    plain_pages.prepare({})
    scorer, _ = load_model(Path(setup["model_file"]))
    _judge = PageJudge(
        scorer,
        [tuple(topic) for topic in setup["good"]],
        [tuple(topic) for topic in setup["pass_through"]],
        setup["domains"],
    )
    _judge.pages(["warm up"])
    _judge.contexts(["warm up"])


def reading_task(meta: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Read and judge every page of a job."""
    if _judge is None:
        raise RuntimeError("the child was not prepared")
    contents, start = [], 0
    for head in meta["pages"]:
        part = body[start : start + head["size"]]
        start += head["size"]
        contents.append(read_page(part, head["url"], head["headers"], is_plain=meta["is_plain"]))
    return {"pages": _answers(_judge, contents)}


def _answers(judge: PageJudge, contents: Sequence[PageContent]) -> list[dict[str, Any]]:
    book = judge.book
    if book.is_full:
        book.begin()
    titles = [content.title.split() for content in contents]
    words = book.numbered(
        [*title, *content.words] for title, content in zip(titles, contents, strict=True)
    )
    verdicts = judge.verdicts(words)
    links = [_followable(content) for content in contents]
    scores = judge.around(book.numbered(_around(link) for page in links for link in page)).tolist()
    answers, start = [], 0
    for place, (content, title) in enumerate(zip(contents, titles, strict=True)):
        part = scores[start : start + len(links[place])]
        start += len(part)
        hashes = book.hashes(words.text(place)[len(title) :])
        answers.append(_answer(content, verdicts[place], hashes, links[place], part))
    return answers


def _around(link: PageLink) -> Sequence[str]:
    return link.words or link.context.split()


def _followable(content: PageContent) -> list[PageLink]:
    """Each target once; of several links to it the one with most words."""
    if content.is_nofollow:
        return []
    found: dict[str, PageLink] = {}
    for link in content.links:
        known = found.get(link.url)
        if link.is_nofollow or (known is None and len(found) >= MAX_LINKS):
            continue
        if known is None or len(link.anchor) > len(known.anchor):
            found[link.url] = link
    return list(found.values())


def _answer(
    content: PageContent,
    verdict: Verdict,
    hashes: Words,
    links: list[PageLink],
    scores: list[float],
) -> dict[str, Any]:
    return {
        "title": content.title,
        "language": content.language,
        "text": content.text,
        "verdict": {name: getattr(verdict, name) for name in Verdict.__slots__},
        "bands": bands(signature_of(hashes)),
        "links": [
            (link.url, link.anchor[:100], round(score, 4))
            for link, score in zip(links, scores, strict=True)
        ],
        "canonical": content.canonical,
        "is_noindex": content.is_noindex,
    }
