"""Reads about questions: the copy that they ask, the saved ones, and the examples."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from crawler.core.questions.asking import Answer
from crawler.core.questions.examples import Example, examples
from crawler.models import Crawl, SavedQuestion
from crawler.selectors.survey import good_topics, survey_of, topic_map

FIRST_VERSION = 1  # of the views; a copy of another version is made anew
LOST_SECONDS = 1_800.0


def copies_folder() -> Path:
    return Path(settings.DATA_DIR) / "questions"


@dataclass(frozen=True)
class Copy:
    """The views of a crawl as they were after a page, in a file of their own."""

    path: Path
    seq: int
    at: datetime

    @property
    def stamp(self) -> str:
        """Changes with each copy."""
        return f"{self.seq}-{self.at.timestamp():.0f}"


def copy_name(crawl_id: int, seq: int) -> str:
    return f"{crawl_id}-{FIRST_VERSION}-{seq}.sqlite3"


def copy_of(crawl: Crawl) -> Copy | None:
    """The newest copy; its name says how far it goes."""
    found = []
    for path in copies_folder().glob(f"{crawl.pk}-{FIRST_VERSION}-*.sqlite3"):
        seq = path.stem.rpartition("-")[2]
        if seq.isdigit():
            try:
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except FileNotFoundError:
                continue  # a newer one took its place just now
            found.append(Copy(path, int(seq), at))
    return max(found, key=lambda copy: copy.at, default=None)


def wanted_path(crawl_id: int) -> Path:
    """The file whose presence asks a worker for a copy."""
    return copies_folder() / f"{crawl_id}.wanted"


def making_path(crawl_id: int) -> Path:
    return copies_folder() / f"{crawl_id}.making"


def is_being_made(crawl: Crawl) -> bool:
    """A worker makes a copy, or shall."""
    now = datetime.now(UTC).timestamp()
    for path in (wanted_path(crawl.pk), making_path(crawl.pk)):
        try:
            if now - path.stat().st_mtime < LOST_SECONDS:
                return True
        except FileNotFoundError:
            continue
    return False


def questions_of(crawl: Crawl) -> QuerySet[SavedQuestion]:
    """Those of this crawl, and those that the team shares among all of its crawls."""
    mine = Q(crawl=crawl) | Q(crawl=None)
    return SavedQuestion.objects.filter(mine, team=crawl.team).select_related("by")


def question_get(*, crawl: Crawl, question_id: int) -> SavedQuestion:
    return get_object_or_404(questions_of(crawl), pk=question_id)


def examples_for(crawl: Crawl) -> list[Example]:
    """About the crawl's first good topic, and a topic that its pages cite."""
    good = next(iter(good_topics(crawl)), "/")
    survey = survey_of(crawl)
    cited = None
    if survey and any(part["depth"] == 2 for part in survey.figures["depths"]):
        cited = topic_map(survey, 2).of_good([good])
    return examples(good, cited.target if cited else "/Health")


# Columns of the views that hold the number of a page.
_PAGES = frozenset({"page", "source", "target", "found_on", "same_as"})


@dataclass(frozen=True)
class ShownCell:
    text: str
    is_number: bool
    page: int | None  # that it names


@dataclass(frozen=True)
class ShownAnswer:
    columns: list[str]
    rows: list[list[ShownCell]]
    has_more: bool


def answer_shown(answer: Answer) -> ShownAnswer:
    """With a way to each page that a column of that name holds."""
    is_page = [column in _PAGES for column in answer.columns]
    cells = [
        [_cell(value, page) for value, page in zip(row, is_page, strict=True)]
        for row in answer.rows
    ]
    return ShownAnswer(answer.columns, cells, answer.has_more)


def _cell(value: Any, is_page: bool) -> ShownCell:
    is_number = isinstance(value, int | float)
    page = value if is_page and isinstance(value, int) and 0 < value < 2**53 else None
    return ShownCell("NULL" if value is None else str(value), is_number, page)
