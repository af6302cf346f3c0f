"""One loopback web for all tests of this folder, and what a crawl's parsing children must know."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from taxonomy.core.artefact import save_model
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from tests.core.classifier.conftest import small_examples
from tests.sites.web import LoopbackWeb


@pytest.fixture(scope="session")
def web() -> Iterator[LoopbackWeb]:
    with LoopbackWeb.running() as running:
        yield running


@pytest.fixture(scope="session")
def setup_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("setup")
    save_model(folder / "model.npz", HierarchicalNaiveBayes().fit(small_examples(), []).scorer_)
    setup = {"model_file": str(folder / "model.npz"), "good": [["Sports"]]}
    path = folder / "setup.json"
    path.write_text(json.dumps({**setup, "pass_through": [], "domains": []}))
    return path
