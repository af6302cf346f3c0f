import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taxonomy.core.artefact import ArtefactError, load_model, save_model
from taxonomy.core.classifier.linear import LinearTopics
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from tests.core.classifier.conftest import WORDS

TEXTS = ["quark oar", "", "the serve serve", "unknown"]


@pytest.fixture
def saved(tmp_path, examples):
    scorer = HierarchicalNaiveBayes().fit(examples, WORDS).scorer_
    path = tmp_path / "model-7.npz"
    save_model(path, scorer, {"revision": 7})
    return path, scorer


@pytest.mark.parametrize("model", [HierarchicalNaiveBayes(), LinearTopics()])
def test_a_saved_model_gives_identical_probabilities(tmp_path, examples, model):
    scorer = model.fit(examples, WORDS).scorer_
    save_model(tmp_path / "m.npz", scorer, {"examples": 16})
    loaded, facts = load_model(tmp_path / "m.npz")
    assert facts == {"examples": 16}
    assert np.array_equal(
        loaded.judge(TEXTS).log_probabilities, scorer.judge(TEXTS).log_probabilities
    )
    assert loaded.common_words == scorer.common_words


def test_saving_leaves_no_temporary_file_and_replaces_the_old_one(saved):
    path, scorer = saved
    save_model(path, scorer, {"revision": 8})
    assert [file.name for file in path.parent.iterdir()] == ["model-7.npz"]
    assert load_model(path)[1] == {"revision": 8}


def _refused(path: Path, match: str) -> None:
    with pytest.raises(ArtefactError, match=match) as caught:
        load_model(path)
    assert path.name in str(caught.value)


def _rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with np.load(path) as members:
        arrays = {name: members[name] for name in members.files}
    change(arrays)
    with path.open("wb") as stream:
        np.savez(stream, **arrays)


def _change_header(arrays: dict[str, Any], **changes: Any) -> None:
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)


def test_a_missing_file_is_refused_by_name(tmp_path):
    _refused(tmp_path / "gone.npz", "no such file")


@pytest.mark.parametrize("content", [b"", b"not a model", b"PK\x03\x04 broken"])
def test_a_foreign_file_is_refused(tmp_path, content):
    path = tmp_path / "foreign.npz"
    path.write_bytes(content)
    _refused(path, "not a model file")


def test_a_cut_file_is_refused(saved):
    path, _ = saved
    path.write_bytes(path.read_bytes()[:-200])
    _refused(path, "damaged")


def test_flipped_bytes_are_refused(saved):
    path, _ = saved
    whole = bytearray(path.read_bytes())
    for place in range(100, len(whole) - 100, len(whole) // 40):
        broken = whole.copy()
        broken[place] ^= 0xFF
        path.write_bytes(broken)
        with suppress(ArtefactError):  # some bytes of a zip file mean nothing
            assert load_model(path)[1] == {"revision": 7}


def test_a_changed_weight_is_refused(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: arrays.update(bias=arrays["bias"] + 1))
    _refused(path, "checksum")


def test_changed_facts_are_refused(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: _change_header(arrays, facts={"revision": 9}))
    _refused(path, "checksum")


def test_a_whole_model_under_the_name_of_another_is_refused(saved):
    path, scorer = saved
    checksum = save_model(path, scorer, {"revision": 8})
    assert load_model(path, checksum)[1] == {"revision": 8}
    with pytest.raises(ArtefactError, match=r"model-7\.npz .* another model"):
        load_model(path, "0" * 64)


def test_another_version_is_refused(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: _change_header(arrays, version=99))
    _refused(path, "format version 99")


def test_another_programs_arrays_are_refused(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: _change_header(arrays, format="other"))
    _refused(path, "not written by FocusAdmin")
    _rewrite(path, lambda arrays: arrays.pop("header"))
    _refused(path, "no readable header")


def test_a_missing_part_is_refused(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: arrays.pop("scale"))
    _refused(path, "parts are missing")


def test_a_pickle_inside_is_never_opened(saved):
    path, _ = saved
    _rewrite(path, lambda arrays: arrays.update(bias=np.array([object()], dtype=object)))
    _refused(path, "not a model file")


def test_a_zip_of_something_else_is_refused(tmp_path):
    path = tmp_path / "book.npz"
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("readme.txt", "hello")
    _refused(path, "no readable header")
