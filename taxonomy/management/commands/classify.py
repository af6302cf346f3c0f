"""Say where texts belong in a taxonomy."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from focusadmin.accounts.services import first_user_ensure
from focusadmin.commands import progress_bar
from focusadmin.lib.language import guessed_language
from focusadmin.lib.markup import plain_text
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.explain import Explanation, explain
from taxonomy.core.importers.sources import STANDARD_INPUT, lines, open_source
from taxonomy.core.tree import join_path
from taxonomy.selectors.judgements import (
    BATCH,
    LEAVES_TOLD,
    Opinion,
    lineages_named,
    opinions,
)
from taxonomy.selectors.models import Judge, judge_of
from taxonomy.selectors.trees import taxonomy_named
from taxonomy.services.pages import page_at
from taxonomy.services.shipped import SHIPPED_SLUG

LINE_MAX = 8 * 1024 * 1024
CHARACTERS = 4_000_000  # of a batch


class Command(BaseCommand):
    help = "Say where a text belongs, how relevant it is to good topics, and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--taxonomy", default=SHIPPED_SLUG)
        parser.add_argument("--good", nargs="+", default=[], metavar="PATH")
        parser.add_argument("--top", type=int, default=LEAVES_TOLD, help="leaves to tell")
        parser.add_argument("--explain", action="store_true", help="tell the words that decided")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--toward", metavar="PATH", help="explain the way to this topic, not to the best one"
        )
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--text")
        source.add_argument("--file", type=Path, help="a text or HTML file; - is standard input")
        source.add_argument("--url", help="a page of the Web, fetched politely")
        source.add_argument(
            "--jsonl",
            type=Path,
            help="lines of id and text or html, one line out for each; - is standard input",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        taxonomy = taxonomy_named(options["taxonomy"])
        if taxonomy is None:
            raise CommandError(f"There is no taxonomy {options['taxonomy']}.")
        judge = judge_of(taxonomy)
        good = lineages_named(judge, options["good"])
        toward = lineages_named(judge, [options["toward"]] if options["toward"] else [])
        teller = _Teller(
            judge,
            good=good,
            leaves=options["top"],
            explains=options["explain"] or bool(toward),
            toward=next(iter(toward), None),
        )
        if options["jsonl"]:
            with progress_bar() as on_progress:
                for line in _judged_lines(teller, options["jsonl"], on_progress):
                    self.stdout.write(json.dumps(line))
            return
        result = next(teller.told([_text(options)]))
        self.stdout.write(json.dumps(result) if options["json"] else _told(result))


@dataclass(frozen=True)
class _Teller:
    """What was asked about every text."""

    judge: Judge
    good: list[Lineage]
    leaves: int
    explains: bool
    toward: Lineage | None

    def told(self, texts: list[str]) -> Iterator[dict[str, Any]]:
        found = opinions(self.judge, texts, good=self.good, leaves=self.leaves)
        for text, opinion in zip(texts, found, strict=True):
            result = _result(self.judge, opinion)
            if self.explains:
                why = explain(self.judge.scorer, text, toward=self.toward)
                result["explanation"] = _explanation(why, guessed_language(text))
            yield result


def _text(options: dict[str, Any]) -> str:
    if options["url"]:
        page = page_at(options["url"], by=first_user_ensure()).content
        return f"{page.title}\n{page.text}"
    text: str | None = options["text"]
    return text if text is not None else _file_text(options["file"])


def _judged_lines(
    teller: _Teller, file: Path, on_progress: Callable[[str, int, int], None]
) -> Iterator[dict[str, Any]]:
    """One line out for every line in, in the same order; bad lines say what is wrong."""
    size = file.stat().st_size if file.exists() else 0
    with open_source(file, lambda read: on_progress("Judging", read, size)) as stream:
        numbered = (_record(number, line) for number, line in lines(stream, LINE_MAX))
        for batch in _batches(record for record in numbered if record is not None):
            texts = [record.pop("text") for record in batch if "text" in record]
            told = teller.told(texts)
            for record in batch:
                yield record if "error" in record else {**record, **next(told)}


def _batches(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Bounded in number and, as a page may be large, in text."""
    batch: list[dict[str, Any]] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += len(record.get("text", ""))
        if len(batch) == BATCH or characters >= CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _record(number: int, line: bytes | None) -> dict[str, Any] | None:
    """`id` and `text`, or `id` and `error`; nothing for a blank line."""
    if line is None:
        return {"id": None, "error": f"line {number} is longer than {LINE_MAX >> 20} MiB"}
    if not line.strip():
        return None
    found = None
    try:
        value = json.loads(line)
        found = value.get("id")
        text = value["text"] if value.get("text") is not None else plain_text(value["html"])
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return {"id": found, "error": f"line {number} needs an id and a text or html"}
    return {"id": found, "text": str(text)}


def _file_text(file: Path) -> str:
    try:
        is_piped = file == STANDARD_INPUT
        content = sys.stdin.buffer.read() if is_piped else file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} can't be read: {error.strerror}.") from error
    text = content.decode("utf-8", "replace")
    return plain_text(text) if text.lstrip()[:1] == "<" else text


def _result(judge: Judge, opinion: Opinion) -> dict[str, Any]:
    return {
        "topics": [
            {"path": join_path(leaf.lineage), "probability": round(leaf.probability, 6)}
            for leaf in opinion.leaves
        ],
        "route": join_path(opinion.route.lineage),
        "relevance": None if opinion.relevance is None else round(opinion.relevance, 6),
        "doubts": [str(doubt) for doubt in opinion.doubts],
        "model_version": judge.model.version,
    }


def _explanation(why: Explanation, language: str) -> dict[str, Any]:
    end = why.toward or why.route.steps[-1]
    return {
        "toward": {"path": join_path(end.lineage), "probability": round(end.probability, 6)},
        "choices": [
            {
                "parent": join_path(choice.parent),
                "chosen": join_path(choice.chosen),
                "children": [
                    {"path": join_path(child.lineage), "probability": round(child.probability, 6)}
                    for child in choice.children[:5]
                ],
                "words_for": {word.word: round(word.effect, 4) for word in choice.words_for},
                "words_against": {w.word: round(w.effect, 4) for w in choice.words_against},
            }
            for choice in why.choices
        ],
        "words": why.length,
        "language": language,
        "known_share": round(why.known_share, 4),
        "unknown_words": dict(why.unknown_words),
    }


def _told(result: dict[str, Any]) -> str:
    told = [f"{topic['probability']:7.3f}  {topic['path']}" for topic in result["topics"]]
    if result["relevance"] is not None:
        told.append(f"{result['relevance']:7.3f}  relevance")
    told += [f"         doubt: {doubt.replace('_', ' ')}" for doubt in result["doubts"]]
    return "\n".join([*told, *_told_why(result.get("explanation"))])


def _told_why(why: dict[str, Any] | None) -> Iterator[str]:
    """Level by level: the children by their probability, and the words with their log odds."""
    if why is None:
        return
    for choice in why["choices"]:
        yield f"\n{choice['chosen']}"
        best = (f"{c['probability']:.3f} {c['path']}" for c in choice["children"])
        yield f"  among    {', '.join(best)}"
        yield f"  for      {_told_words(choice['words_for'])}"
        yield f"  against  {_told_words(choice['words_against'])}"
    language = f", language {why['language']}" if why["language"] else ""
    yield f"\n{why['words']} words, {why['known_share']:.0%} of them known{language}"
    if why["unknown_words"]:
        yield f"unknown: {', '.join(why['unknown_words'])}"


def _told_words(effects: dict[str, float]) -> str:
    return ", ".join(f"{word} {effect:+.2f}" for word, effect in effects.items()) or "no words"
