"""Import, export and look at topic trees."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.http import Http404

from focusadmin.accounts.models import Team
from focusadmin.accounts.services import first_user_ensure
from focusadmin.commands import ActionCommand, progress_bar
from taxonomy.core.exporting import to_line
from taxonomy.core.importers.detect import AUTO, Format, read
from taxonomy.core.records import Record, TopicRecord
from taxonomy.models import Taxonomy
from taxonomy.selectors.trees import (
    subtree,
    taxonomies_ready,
    taxonomy_named,
    topic_by_path,
    topic_records,
)
from taxonomy.services.imports import Progress, taxonomy_import

PROGRESS_EVERY = 500  # lines


class Command(ActionCommand):
    help = "Import, export, list and show topic trees."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        importing = self.add_action(
            actions,
            "import",
            self.import_files,
            help="make a tree of files; - is standard input",
            show=_told_import,
        )
        importing.add_argument("files", nargs="+", type=Path, metavar="FILE")
        importing.add_argument("--name", required=True)
        importing.add_argument("--format", default=AUTO, choices=[AUTO, *Format])
        importing.add_argument("--team", help="slug of the team that gets it; default: the first")
        exporting = self.add_action(
            actions, "export", self.export, help="write a tree as JSON lines", show=_told_export
        )
        exporting.add_argument("name")
        exporting.add_argument("-o", "--output", required=True, type=Path)
        self.add_action(actions, "list", self.list, help="list the trees", show=_told_list)
        showing = self.add_action(
            actions, "show", self.show, help="show topics of a tree", show=_told_topics
        )
        showing.add_argument("name")
        showing.add_argument("path", nargs="?", default="/")
        showing.add_argument("--depth", type=int, help="levels to show; default: all")

    def import_files(
        self, *, files: list[Path], name: str, format: str, team: str | None, **_: Any
    ) -> dict[str, Any]:
        with progress_bar() as on_progress:
            report = taxonomy_import(
                name=name,
                team=_team(team),
                records=_records(files, format, on_progress),
                on_progress=on_progress,
            )
        return {
            "taxonomy": report.taxonomy.slug,
            "topics": report.topics,
            "examples": report.examples,
            "skipped": [{"line": s.line, "reason": s.reason} for s in report.skipped],
            "skipped_count": report.skipped_count,
        }

    def export(self, *, name: str, output: Path, **_: Any) -> dict[str, Any]:
        taxonomy = _named(name)
        counts = {"topics": 0, "examples": 0}
        total = taxonomy.topic_count + taxonomy.root.example_count
        draft = output.with_name(f"{output.name}.part")  # a broken export never looks like one
        try:
            with draft.open("w", encoding="utf-8") as file, progress_bar() as on_progress:
                for number, record in enumerate(topic_records(taxonomy), start=1):
                    counts["topics" if isinstance(record, TopicRecord) else "examples"] += 1
                    file.write(to_line(record) + "\n")
                    if number % PROGRESS_EVERY == 0 or number == total:
                        on_progress(f"Writing {output.name}", number, total)
            draft.replace(output)
        except OSError as error:
            raise CommandError(f"{output} can't be written: {error.strerror}.") from error
        return counts

    def list(self, **_: Any) -> dict[str, Any]:
        trees = [
            {
                "taxonomy": taxonomy.slug,
                "id": taxonomy.pk,
                "name": taxonomy.name,
                "topics": taxonomy.topic_count,
                "path": "/",
                "examples": taxonomy.root.example_count,
                "children": taxonomy.root.numchild,
            }
            for taxonomy in taxonomies_ready()
        ]
        return {"topics": trees}

    def show(self, *, name: str, path: str, depth: int | None, **_: Any) -> dict[str, Any]:
        taxonomy = _named(name)
        try:
            topic = topic_by_path(taxonomy=taxonomy, path=path)
        except Http404:
            raise CommandError(f"{name} has no topic {path}.") from None
        return {
            "taxonomy": taxonomy.slug,
            "topics": [
                {"path": where, "examples": each.example_count, "children": each.numchild}
                for where, each in subtree(topic, depth=depth)
            ],
        }


def _records(files: list[Path], format: str, on_progress: Progress) -> Iterator[Record]:
    for file in files:
        size = file.stat().st_size if file.exists() else 0

        def on_bytes(done: int, name: str = file.name, size: int = size) -> None:
            on_progress(f"Reading {name}", done, size)

        yield from read(file, format, on_bytes)


def _named(name: str) -> Taxonomy:
    taxonomy = taxonomy_named(name)
    if taxonomy is None:
        known = ", ".join(each.slug for each in taxonomies_ready())
        raise CommandError(f"There is no taxonomy {name}. There are: {known or 'none'}.")
    return taxonomy


def _team(slug: str | None) -> Team:
    if slug is None:
        return first_user_ensure().memberships.select_related("team").earliest("pk").team
    team = Team.objects.filter(slug=slug).first()
    if team is None:
        raise CommandError(f"There is no team {slug}.")
    return team


def _told_import(result: dict[str, Any]) -> str:
    lines = [
        f"{result['taxonomy']}: {result['topics']:,} topics, {result['examples']:,} examples, "
        f"{result['skipped_count']:,} skipped."
    ]
    lines += [f"  line {s['line']}: {s['reason']}" for s in result["skipped"][:20]]
    return "\n".join(lines)


def _told_export(result: dict[str, Any]) -> str:
    return f"{result['topics']:,} topics and {result['examples']:,} examples written."


def _told_list(result: dict[str, Any]) -> str:
    return "\n".join(
        f"{each['taxonomy']:24} {each['topics']:>9,} topics {each['examples']:>10,} examples"
        for each in result["topics"]
    )


def _told_topics(result: dict[str, Any]) -> str:
    return "\n".join(
        f"{topic['path']:60} {topic['examples']:>9,} examples {topic['children']:>7,} sub-topics"
        for topic in result["topics"]
    )
