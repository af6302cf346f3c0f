"""Say where texts belong in a taxonomy."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from focusadmin.accounts.services import first_user_ensure
from focusadmin.lib.markup import plain_text
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.explain import Explanation, explain
from taxonomy.core.importers.sources import lines, open_source
from taxonomy.core.tree import join_path, split_path
from taxonomy.selectors.judgements import BATCH, LEAVES_TOLD, Opinion, opinions
from taxonomy.selectors.models import Judge, judge_of
from taxonomy.selectors.trees import taxonomy_named
from taxonomy.services.pages import page_at
from taxonomy.services.shipped import SHIPPED_SLUG


class Command(BaseCommand):
    help = "Say where a text belongs, how relevant it is to good topics, and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--taxonomy", default=SHIPPED_SLUG)
        parser.add_argument("--good", nargs="+", default=[], metavar="PATH")
        parser.add_argument("--top", type=int, default=LEAVES_TOLD, help="leaves to tell")
        parser.add_argument("--explain", action="store_true", help="tell the words that decided")
        parser.add_argument("--json", action="store_true", help="print JSON")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--text")
        source.add_argument("--file", type=Path, help="a text or HTML file")
        source.add_argument("--url", help="a page of the Web, fetched politely")
        source.add_argument("--jsonl", type=Path, help="lines of id and text or html; one line out")

    def handle(self, *args: Any, **options: Any) -> None:
        taxonomy = taxonomy_named(options["taxonomy"])
        if taxonomy is None:
            raise CommandError(f"There is no taxonomy {options['taxonomy']}.")
        judge = judge_of(taxonomy)
        good = _lineages(judge, options["good"])
        if options["jsonl"]:
            for line in _judged_lines(judge, options["jsonl"], good, options["top"]):
                self.stdout.write(json.dumps(line))
            return
        text = _text(options)
        opinion = next(opinions(judge, [text], good=good, leaves=options["top"]))
        result = _result(judge, opinion)
        if options["explain"]:
            result["explanation"] = _explanation(explain(judge.scorer, text))
        self.stdout.write(json.dumps(result) if options["json"] else _told(result))


def _text(options: dict[str, Any]) -> str:
    if options["url"]:
        page = page_at(options["url"], by=first_user_ensure()).content
        return f"{page.title}\n{page.text}"
    text: str | None = options["text"]
    return text if text is not None else _file_text(options["file"])


def _lineages(judge: Judge, paths: list[str]) -> list[Lineage]:
    known = {tuple(name.casefold() for name in each): each for each in judge.scorer.tree.lineages}
    wanted = [(path, tuple(name.casefold() for name in split_path(path))) for path in paths]
    missing = [path for path, key in wanted if key not in known]
    if missing:
        raise CommandError(f"The model knows no topic {', '.join(missing)}.")
    return [known[key] for _, key in wanted]


def _judged_lines(
    judge: Judge, file: Path, good: list[Lineage], leaves: int
) -> Iterator[dict[str, Any]]:
    """One line out for every line in, in the same order; bad lines say what is wrong."""
    with open_source(file) as stream:
        numbered = (_record(number, line) for number, line in lines(stream))
        records = (record for record in numbered if record is not None)
        while batch := list(islice(records, BATCH)):
            texts = [record.pop("text") for record in batch if "text" in record]
            told = opinions(judge, texts, good=good, leaves=leaves)
            for record in batch:
                yield record if "error" in record else {**record, **_result(judge, next(told))}


def _record(number: int, line: bytes | None) -> dict[str, Any] | None:
    """`id` and `text`, or `id` and `error`; nothing for a blank line."""
    if line is None:
        return {"id": None, "error": f"line {number} is too long"}
    if not line.strip():
        return None
    try:
        value = json.loads(line)
        text = value["text"] if value.get("text") is not None else plain_text(value["html"])
        return {"id": value.get("id"), "text": str(text)}
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return {"id": None, "error": f"line {number} needs an id and a text or html"}


def _file_text(file: Path) -> str:
    try:
        text = file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise CommandError(f"{file} can't be read: {error.strerror}.") from error
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


def _explanation(why: Explanation) -> dict[str, Any]:
    return {
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
        "known_share": round(why.known_share, 4),
        "unknown_words": dict(why.unknown_words),
    }


def _told(result: dict[str, Any]) -> str:
    told = [f"{topic['probability']:7.3f}  {topic['path']}" for topic in result["topics"]]
    if result["relevance"] is not None:
        told.append(f"{result['relevance']:7.3f}  relevance")
    told += [f"         doubt: {doubt.replace('_', ' ')}" for doubt in result["doubts"]]
    for choice in result.get("explanation", {}).get("choices", []):
        told.append(f"{choice['chosen']}: {', '.join(choice['words_for']) or 'no words'}")
    return "\n".join(told)
