"""Labelled real text for measuring the classifier; read where it lies, never copied.

Wikispeedia's labels are not our topics. `ACCEPTED` says under which of the shipped topics a page of
each label may rightly stand: generous where our tree cuts differently, and never by single pages.
"""

import csv
import gzip
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FOCUSADMIN_SHARED", ROOT.parent / "shared")) / "data"
WIKISPEEDIA = DATA / "recorded" / "wikispeedia-dev.jsonl.gz"
AWESOME = DATA / "webdir_awesome" / "entries.tsv.gz"
SHIPPED = ROOT / "taxonomy" / "data"

GENERAL = "General"  # pages of a label that has labels below it

# The longest matching prefix counts.
ACCEPTED: dict[str, str] = {
    "/Art/": "Arts",
    "/Business_Studies/Business": "Business",
    "/Business_Studies/Companies": "Business Computers",
    "/Business_Studies/Currency": "Business/Economics Recreation/Collecting",
    "/Business_Studies/Economics": "Business Society/Politics",
    "/Citizenship/": "Society",
    "/Citizenship/Community_organisations": "Society Recreation/Scouting",
    "/Citizenship/Culture_and_Diversity": "Society Science/Social_Sciences Regional",
    "/Citizenship/Education": "Reference/Education",
    "/Citizenship/Environment": "Science Business/Industries",
    "/Citizenship/Law": "Society/Law",
    "/Citizenship/Media": "News Arts/Film_and_Television",
    "/Countries": "Regional",
    "/Design_and_Technology/Air_and_Sea_transport": (
        "Science/Technology Recreation/Aviation Recreation/Boating Society/Military"
    ),
    "/Design_and_Technology/Architecture": "Arts/Architecture Science/Technology",
    "/Design_and_Technology/Engineering": "Science/Technology Business/Industries",
    "/Design_and_Technology/Road_transport": "Science/Technology Recreation/Autos",
    "/Everyday_life/Cartoons": "Arts",
    "/Everyday_life/Computer_and_Video_games": "Games",
    "/Everyday_life/Drink": "Home/Drinks",
    "/Everyday_life/Everyday_life": "Home Society Recreation Arts Shopping Health",
    "/Everyday_life/Films": "Arts/Film_and_Television",
    "/Everyday_life/Recreation": "Recreation Games Sports",
    "/Everyday_life/Sports": "Sports",
    "/Everyday_life/Television": "Arts/Film_and_Television News/Broadcasting",
    "/Geography/": "Regional",
    "/Geography/Climate_and_the_Weather": "Science/Earth_Sciences News/Weather_Reports",
    "/Geography/Geology_and_geophysics": "Science/Earth_Sciences",
    "/Geography/Mineralogy": "Science Business/Industries/Mining_and_Metals",
    "/Geography/Natural_Disasters": "Science/Earth_Sciences News",
    "/Geography/Storms": "Science/Earth_Sciences News/Weather_Reports",
    "/History/": "Society",
    "/History/Archaeology": "Science/Social_Sciences Society/History",
    "/IT/": "Computers",
    "/Language_and_literature/": "Reference/Languages",
    "/Language_and_literature/General_Literature": "Arts/Literature",
    "/Language_and_literature/Literature_types": "Arts/Literature",
    "/Music/": "Arts/Music",
    "/People/Actors_models_and_celebrities": "Arts",
    "/People/Artists": "Arts/Visual_Arts Arts/Architecture",
    "/People/Astronomers_and_physicists": "Science",
    "/People/Chemists": "Science",
    "/People/Computing_People": "Computers",
    "/People/Geographers_and_explorers": "Regional Society/History Science",
    "/People/Human_Scientists": "Science/Social_Sciences Society Business/Economics",
    "/People/Mathematicians": "Science",
    "/People/Military_People": "Society",
    "/People/Monarchs_of_Great_Britain": "Society",
    "/People/Performers_and_composers": "Arts",
    "/People/Philosophers": "Society/Philosophy",
    "/People/Producers_directors_and_media_figures": "Arts News",
    "/People/Sports_and_games_people": "Sports Games",
    "/People/Writers_and_critics": "Arts/Literature",
    "/Religion/": "Society/Religion",
    "/Science/Biology": "Science/Biology",
    "/Science/Biology/Organisms": "Science/Biology Health",
    "/Science/Biology/Plants": "Science/Biology Home",
    "/Science/Chemistry": "Science/Chemistry",
    "/Science/Chemistry/Chemical_compounds": (
        "Science/Chemistry Health/Medicine Business/Industries"
    ),
    "/Science/Chemistry/Materials_science": "Science",
    "/Science/Physics/": "Science",
    "/Science/Physics/Electricity_and_Electronics": "Science Computers/Hardware",
}


@dataclass(frozen=True)
class LabelledPage:
    title: str
    text: str
    labels: tuple[str, ...]  # the first is the page's own, all are right

    @property
    def full_text(self) -> str:
        return f"{self.title}\n{self.text}"


def accepted_branches(labels: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Lineages of ours under which a page with these labels may stand."""
    branches = set()
    for label in labels:
        prefix = max((known for known in ACCEPTED if label.startswith(known)), key=len)
        branches |= {tuple(path.split("/")) for path in ACCEPTED[prefix].split()}
    return branches


def wikispeedia(every: int = 1) -> list[LabelledPage]:
    """The labelled pages, or each nth of them, without the licence notes at their end."""
    with gzip.open(WIKISPEEDIA, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["topic"]]
    return [
        LabelledPage(row["title"], _page_text(row["html"]), _own_first(row["topic"], row["topics"]))
        for row in rows[::every]
    ]


def _own_first(own: str, labels: list[str]) -> tuple[str, ...]:
    return (own, *(label for label in labels if label != own))


class _Text(HTMLParser):
    """All text outside scripts, styles and the head."""

    _SILENT = frozenset({"script", "style", "head"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in self._SILENT
        self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in self._SILENT and self.silent > 0

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)


def _page_text(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    return "".join(parser.parts).split('Retrieved from "')[0]


def awesome(per_category: int = 100) -> list[LabelledPage]:
    """Entries of curated lists by their first two categories, where these have enough."""
    entries: dict[str, list[LabelledPage]] = defaultdict(list)
    for row in _awesome_rows():
        names = [name.strip() for name in row["category_path"].split("/")][:2]
        text = re.sub(r"\(?https?://\S+", "", row["description"] or "")
        if len(names) == 2 and names[0] != "Uncategorised" and len(text) > 40:
            label = "/" + "/".join(names)
            entries[label].append(LabelledPage(row["title"], text, (label,)))
    chance = random.Random(1)
    enough = [pages for _, pages in sorted(entries.items()) if len(pages) >= per_category]
    return [page for pages in enough for page in chance.sample(pages, per_category)]


def _awesome_rows() -> Iterator[dict[str, str]]:
    csv.field_size_limit(10**8)
    with gzip.open(AWESOME, "rt", encoding="utf-8") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def split(pages: list[LabelledPage]) -> tuple[list[LabelledPage], list[LabelledPage]]:
    """70 % to learn from and 30 % to be judged, of the labels with at least eight pages."""
    by_label: dict[str, int] = defaultdict(int)
    for page in pages:
        by_label[page.labels[0]] += 1
    kept = [page for page in pages if by_label[page.labels[0]] >= 8]
    random.Random(0).shuffle(kept)
    cut = int(0.7 * len(kept))
    return kept[:cut], kept[cut:]
