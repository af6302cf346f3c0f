"""The model of a bundle, asked once more about the texts that are in it."""

import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler.core.bundle.figures import TOLERANCE, Figure, Verdict
from crawler.core.bundle.layout import LARGEST_MODEL, MODEL, MOST_SQUEEZED, BundleError
from crawler.core.bundle.reading import Bundle
from crawler.core.judging import PageJudge
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import ArtefactError, load_model, stored_checksum

TEXTS_AT_ONCE = 200


class JudgeReplay:
    """Judges texts in batches and tells how far that is from what was recorded."""

    def __init__(self, bundle: Bundle, crawl: Mapping[str, Any]) -> None:
        self.why_not = ""
        self._judge = self._loaded(bundle, crawl)
        self._waiting: list[tuple[Mapping[str, Any], str]] = []
        self.judged = self.without_text = self.topics_away = 0
        self.furthest, self.where = 0.0, ""

    def _loaded(self, bundle: Bundle, crawl: Mapping[str, Any]) -> PageJudge | None:
        with tempfile.TemporaryDirectory(prefix="focusadmin-bundle-") as folder:
            path = Path(folder) / "model.npz"
            bundle.copy(MODEL, path)
            _check_inside(path)
            try:
                scorer, _ = load_model(path)
                checksum = stored_checksum(path)
            except ArtefactError as error:
                raise BundleError(f"{MODEL} can't be used as a model: {error.reason}") from error
        if checksum != crawl["judged_with"]["checksum"]:
            self.why_not = (
                "the model has learnt since the pages were judged: the stored judgements are taken"
            )
            return None
        good, pass_through = (
            [tuple(topic) for topic in crawl["judged_with"][name]]
            for name in ("good", "pass_through")
        )
        try:
            return PageJudge(scorer, good, pass_through)
        except FocusAdminError as error:
            raise BundleError(f"{MODEL} can't judge for this crawl: {error}") from error

    def page(self, row: Mapping[str, Any], text: str) -> None:
        if not text:
            self.without_text += 1
        elif self._judge is not None:
            self._waiting.append((row, f"{row['title']}\n{text}"))
            if len(self._waiting) == TEXTS_AT_ONCE:
                self._flush(self._judge)

    def _flush(self, judge: PageJudge) -> None:
        for (row, _), verdict in zip(
            self._waiting, judge.pages([text for _, text in self._waiting]), strict=True
        ):
            away = max(
                abs(verdict.relevance - (row["relevance"] or 0.0)),
                abs(verdict.priority_relevance - (row["priority_relevance"] or 0.0)),
            )
            if away > self.furthest:
                self.furthest, self.where = away, row["url"]
            self.topics_away += "/" + "/".join(verdict.topic) != row["topic"]
            self.judged += 1
        self._waiting.clear()

    def compared(self) -> list[Figure]:
        if self._judge is not None and self._waiting:
            self._flush(self._judge)
        if not self.judged:
            why = self.why_not or "no texts were kept: the stored judgements are taken"
            return [Figure("relevance, judged again", "", "", Verdict.NOT_COMPARED, why)]
        note = f"from {self.judged:,} texts"
        if self.without_text:
            note += f"; {self.without_text:,} pages have none: their stored judgements are taken"
        is_near = self.furthest <= TOLERANCE
        return [
            Figure(
                "relevance, judged again",
                f"{self.judged:,} pages",
                f"at most {self.furthest:.1e} away",
                Verdict.AGREE if is_near else Verdict.DIFFER,
                note if is_near else f"{note}; furthest {self.where}",
            ),
            Figure(
                "best topics, judged again",
                f"{self.judged:,} pages",
                f"{self.topics_away:,} elsewhere",
                Verdict.DIFFER if self.topics_away else Verdict.AGREE,
            ),
        ]


def _check_inside(path: Path) -> None:
    """A model file is a zip, too: before anything of it is unpacked."""
    try:
        with zipfile.ZipFile(path) as container:
            infos: Sequence[zipfile.ZipInfo] = container.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BundleError(f"{MODEL} is no model file: {error}.") from error
    size = sum(info.file_size for info in infos)
    if size > max(64 * 1024**2, min(LARGEST_MODEL, MOST_SQUEEZED * path.stat().st_size)):
        raise BundleError(f"{MODEL} would unpack to {size:,} bytes: this is a zip bomb.")
