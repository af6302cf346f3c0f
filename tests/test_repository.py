"""Promises about the repository itself."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.product import ROOT

LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path):
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (document.parent / target).exists()]
    assert missing == []


def test_the_first_screen_of_the_readme_names_the_two_commands():
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:25]
    assert any(line.startswith("make run") for line in first_screen)
    assert any(line.startswith("make test") for line in first_screen)
    assert any("docs/images/" in line for line in first_screen)


def test_every_dependency_is_defended_and_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["distributed"]]
    names = [re.split(r"[\[<>=]", requirement)[0] for requirement in wanted]
    record = (ROOT / "docs/decisions/0003-dependencies.md").read_text(encoding="utf-8")
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    assert [name for name in names if name not in record] == []
    assert [name for name in names if f"\n{name}==" not in pins] == []


def test_the_constraints_name_no_index():
    assert "://" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")


def test_every_setting_is_documented():
    sources = (ROOT / "focusadmin").rglob("*.py")
    names = {n for s in sources for n in re.findall(r'env_\w+\(\s*"(\w+)"', s.read_text("utf-8"))}
    documented = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert sorted(name for name in names if f"`{name}`" not in documented) == []


def test_migrations_of_an_app_are_numbered_without_doubles():
    for folder in ROOT.glob("*/**/migrations"):
        if ".venv" in folder.parts:
            continue
        numbers = [path.name[:4] for path in folder.glob("[0-9]*.py")]
        assert len(numbers) == len(set(numbers)), folder
