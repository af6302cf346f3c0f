"""No class without a meaning: each one used in a page has a rule, or a script looks for it."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.product import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))

# Classes that only a script looks for; behaviour hangs on data- attributes, so there is none yet.
SCRIPT_HOOKS: set[str] = set()

_CLASS_LISTS = re.compile(r"""(?:\bclass|\bextra)=(?:"([^"]*)"|'([^']*)')""")
_CLASS_CHANGES = re.compile(r"""classList\.(?:add|remove|toggle)\(\s*["'`]([^"'`]+)["'`]""")


def ruled_classes() -> set[str]:
    found: set[str] = set()
    for style in STYLES:
        text = re.sub(r"/\*.*?\*/", "", style.read_text(), flags=re.DOTALL)
        for selector in re.findall(r"([^{}]+)\{", text):
            found.update(re.findall(r"\.([A-Za-z][\w-]*)", selector))
    return found


def used_classes(template: str) -> Iterator[str]:
    """Class names as patterns: what the template fills in is any text."""
    for double, single in _CLASS_LISTS.findall(_hide_quotes_in_tags(template)):
        listed = re.sub(r"\{%.*?%\}", " ", double or single)
        yield from re.sub(r"\{\{.*?\}\}", "*", listed).split()


def _hide_quotes_in_tags(template: str) -> str:
    return re.sub(
        r"\{%(?!\s*include)[^%]*%\}|\{\{[^}]*\}\}",
        lambda tag: tag.group().replace('"', ""),
        template,
    )


def without_rule(used: Iterator[str]) -> list[str]:
    known = ruled_classes() | SCRIPT_HOOKS
    return sorted(name for name in set(used) if not any(fnmatchcase(rule, name) for rule in known))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_class_of_a_template_has_a_rule(template: Path) -> None:
    assert without_rule(used_classes(template.read_text())) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_class_set_by_a_script_has_a_rule(script: Path) -> None:
    names = (re.sub(r"\$\{.*?\}", "*", name) for name in _CLASS_CHANGES.findall(script.read_text()))
    assert without_rule(names) == []


def test_classes_are_found_where_tags_stand_between() -> None:
    template = """
      <p class="plain icon--{{ name|default:"x" }}{% if extra == "y" %} chosen{% endif %}"></p>
      {% include "_icon.html" with name="check" extra="given" %}
    """
    assert set(used_classes(template)) == {"plain", "icon--*", "chosen", "given"}


def test_a_class_without_a_rule_is_noticed() -> None:
    assert without_rule(iter(["card", "no-such-class", "no-such--*"])) == [
        "no-such--*",
        "no-such-class",
    ]
