"""The views that a question may ask: their names and columns stay as they are.

docs/questions.md says the same for readers; a test holds both together.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    means: str


@dataclass(frozen=True)
class View:
    name: str
    means: str
    columns: tuple[Column, ...]
    indexes: tuple[str, ...] = ()  # columns that are looked up

    def create(self) -> str:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in self.columns)
        return f'CREATE TABLE "{self.name}" ({columns})'

    def create_indexes(self) -> list[str]:
        return [
            f'CREATE INDEX "{self.name}_{number}" ON "{self.name}" ({columns})'
            for number, columns in enumerate(self.indexes)
        ]

    def insert(self) -> str:
        marks = ", ".join("?" * len(self.columns))
        return f'INSERT INTO "{self.name}" VALUES ({marks})'  # noqa: S608 - names of our own


def _view(name: str, means: str, columns: str, indexes: tuple[str, ...] = ()) -> View:
    """A line for each column: name, type, and what it means."""
    rows = (line.split(None, 2) for line in columns.strip().splitlines())
    return View(name, means, tuple(Column(*row) for row in rows), indexes)


_RANKED = """
    rank         INTEGER 1 is the best
    page         INTEGER Number of the page
    score        REAL    By the distiller
    good_links   INTEGER Its links to relevant pages of other sites
    links        INTEGER Its links to fetched pages of other sites
    earlier_rank INTEGER In the distillation before; NULL for a newcomer
"""

VIEWS = (
    _view(
        "page",
        "Every fetch that came to an end, well or not; a page that was visited again has two rows.",
        """
        page              INTEGER The order in which pages came; also in addresses
        url               TEXT    Its address
        site              TEXT    Registrable domain of its host
        title             TEXT    Its title
        topic             TEXT    Path of the leaf that fits best, such as /Recreation/Cycling
        topic_probability REAL    Of that leaf
        relevance         REAL    0 to 1; NULL if it was not read
        is_relevant       INTEGER 1 if the relevance is 0.5 or more
        is_latest         INTEGER 1 for the latest successful visit of the address
        outcome           TEXT    'ok', or why there is no page
        status            INTEGER HTTP status
        language          TEXT    Code such as en
        depth             INTEGER Links from the start set, along the way it was found
        bytes             INTEGER Size of the answer
        fetched_at        TEXT    2026-01-31 12:00:00, UTC
        same_as           INTEGER The first page with the same text
        """,
        ("page", "topic", "site", "url"),
    ),
    _view(
        "link",
        "Links from the latest visit of a page to pages that were fetched.",
        """
        source            INTEGER The page that links
        target            INTEGER The page that is linked to: its latest visit
        anchor            TEXT    The words of the link, at most 200 characters
        context_relevance REAL    Of the words around the link
        is_between_sites  INTEGER 1 if the pages are on different sites
        """,
        ("source, target", "target, source"),
    ),
    _view(
        "site",
        "The sites of all hosts that the crawl has met.",
        """
        site           TEXT    Registrable domain
        hosts          INTEGER That were met
        pages          INTEGER That were read, each at its latest visit
        relevant       INTEGER Of them, with a relevance of 0.5 or more
        mean_relevance REAL    Of the pages that were read
        failures       INTEGER Fetches that failed
        robots_denied  INTEGER Addresses that robots.txt forbade
        """,
        ("site",),
    ),
    _view(
        "topic",
        "The topics that pages were assigned to, and all topics above them.",
        """
        topic          TEXT    Path
        parent         TEXT    Path of the topic above; NULL at the top
        depth          INTEGER 1 at the top
        is_good        INTEGER 1 for the good topics of the crawl, and all below them
        pages          INTEGER Read and assigned to the topic or one below it
        relevant       INTEGER Of them, with a relevance of 0.5 or more
        mean_relevance REAL    Of those pages
        """,
        ("topic",),
    ),
    _view(
        "topic_above",
        "Each topic with itself and with every topic above it: to ask for a whole branch.",
        """
        topic TEXT Path
        above TEXT Path of the topic itself, or of one above it
        """,
        ("topic, above", "above, topic"),
    ),
    _view("hub", "The best hubs of the latest distillation.", _RANKED, ("page",)),
    _view("authority", "The best authorities of the latest distillation.", _RANKED, ("page",)),
    _view(
        "waiting",
        "The frontier: addresses that were seen and not fetched.",
        """
        url      TEXT    The address
        site     TEXT    Registrable domain of its host
        priority REAL    By the strategy: the higher, the sooner
        tries    INTEGER Fetches that failed so far
        depth    INTEGER Links from the start set
        found_on INTEGER The page on which it was found; NULL for start pages
        """,
        ("found_on", "site"),
    ),
    _view(
        "feedback",
        "What people said of pages and sites, and did not take back.",
        """
        page  INTEGER NULL if it was said of a whole site
        site  TEXT    The site, or that of the page
        value TEXT    'useful' or 'not_useful'
        at    TEXT    2026-01-31 12:00:00, UTC
        """,
        ("page", "site"),
    ),
    _view(
        "event",
        "What happened to the crawl: starts, pauses, distillations, alarms, changed settings.",
        """
        page INTEGER After which page
        kind TEXT    Such as distilled
        text TEXT    In words
        at   TEXT    2026-01-31 12:00:00, UTC
        """,
    ),
)
NAMES = tuple(view.name for view in VIEWS)
