"""What a bundle says to people: what it is, how it is checked, how it is cited."""

import json
from dataclasses import dataclass

from crawler.core.bundle.layout import FORMAT_VERSION


@dataclass(frozen=True)
class About:
    """A crawl in the words of a citation. Nobody is named: authors are for the authors to add."""

    title: str
    version: str
    date: str  # of the last page
    checksum: str
    pages: int
    harvest_rate: float
    strategy: str
    topics: tuple[str, ...]
    software: str


def citation(about: About) -> str:
    """A CITATION.cff 1.2.0. Every text is a JSON string, which YAML reads as it is."""
    abstract = (
        f"A focused crawl of {about.pages:,} pages about {', '.join(about.topics)}; harvest rate "
        f"{about.harvest_rate:.4f}, strategy {about.strategy}."
    )
    return f"""\
cff-version: 1.2.0
message: "If you use this crawl, please cite it as below."
type: dataset
title: {_text(about.title)}
# Name yourselves here before you publish the bundle; the checksum stays the same.
authors:
  - name: "The curators of this crawl"
version: {_text(about.version)}
date-released: {_text(about.date)}
abstract: {_text(abstract)}
identifiers:
  - type: other
    value: "sha256:{about.checksum}"
    description: "Checksum of the data in the bundle; see README.md."
"""


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def readme(about: About) -> str:
    title = " ".join(about.title.split())
    topics = "\n".join(f"- {topic}" for topic in about.topics)
    return f"""\
# {title}

A focused crawl as one file, written by {about.software} (bundle format {FORMAT_VERSION}):
what it was to look for, what it fetched and how it judged it, what people decided meanwhile, and
the figures that came of it.

{about.pages:,} pages; harvest rate (mean relevance) {about.harvest_rate:.6f}; strategy
{about.strategy}; good topics:

{topics}

## Check it

    python manage.py bundle verify FILE

computes the figures again from the data, on any machine with FocusAdmin and without the database
of the crawl, and compares them with those in figures.json.

## Cite it

CITATION.cff has title, version, date and this checksum of the data:

    sha256:{about.checksum}

It is the SHA-256 of the lines that `sha256sum` prints for the data files, in the order below, from
crawl.json to figures.json.

## What is in it

- crawl.json: configuration, strategy, budget, start set, good topics
- taxonomy.jsonl: the tree with its examples; `manage.py taxonomy import` reads it
- model/model.json, model/model.npz: the classifier, its facts and its weights as plain arrays
- graph/hosts.jsonl: hosts with their sites; hosts with equal `address` share an address
- graph/urls.jsonl: every URL seen, with its state (0 waits, 1 done, 2 given up), priority, tries,
  and the page that it was found on
- graph/pages.jsonl: every visit in its order (`seq`), with outcome, relevance and topic
- graph/links.jsonl: where each page links to, the relevance of the words around, anchors
- graph/visits.jsonl: further visits of those pages, which then are as they were the last time
- graph/texts.jsonl: the texts of pages that did not ask to be left out of indexes
- decisions/events.jsonl: changes of settings, pauses, rankings, alarms
- decisions/feedback.jsonl: what curators said of pages and sites
- decisions/labels.jsonl: what curators answered when they were asked about pages
- decisions/sites.jsonl: sites that curators called in, out or undecided
- decisions/nudges.jsonl: wishes, URLs to be visited before others
- decisions/distillations.jsonl: each run of the distiller with its hubs and authorities
- figures.json: the figures to compare with
- manifest.json: size and SHA-256 of each file

JSON lines in UTF-8. Curators are curator-1, curator-2 and so on: no names and no e-mail addresses
of users. Texts, titles and anchors are other people's: see that you may pass them on before you
publish them.
"""
