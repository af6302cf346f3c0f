"""`bundle verify` and `export --format bundle`: what they refuse, and how they say it."""

import zipfile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from crawler.models import Crawl
from tests.harvest.conftest import at, crawl, focus, taxonomy

__all__ = ["at", "crawl", "focus", "taxonomy"]
pytestmark = pytest.mark.django_db


def export(crawl: Crawl, path, *more: str) -> None:
    call_command("export", crawl.slug, "--format", "bundle", "-o", str(path), *more)


def test_files_that_are_no_bundles(tmp_path):
    with pytest.raises(CommandError, match=r"none\.zip: There is no such file"):
        call_command("bundle", "verify", str(tmp_path / "none.zip"))
    text = tmp_path / "notes.txt"
    text.write_text("not a zip")
    with pytest.raises(CommandError, match=r"notes\.txt: This is no bundle"):
        call_command("bundle", "verify", str(text), "--json")
    foreign = tmp_path / "foreign.zip"
    with zipfile.ZipFile(foreign, "w") as other:
        other.writestr("word/document.xml", "<a/>")
    with pytest.raises(CommandError, match="is no part of a bundle"):
        call_command("bundle", "verify", str(foreign))


def test_crawls_of_which_there_is_no_bundle(crawl, tmp_path):
    path = tmp_path / "a.zip"
    with pytest.raises(CommandError, match="The crawl is at work: pause or stop it first"):
        export(crawl, path)
    Crawl.objects.update(state=Crawl.State.PAUSED)
    with pytest.raises(CommandError, match="no pages yet"):
        export(crawl, path)
    Crawl.objects.update(seq=1)
    with pytest.raises(CommandError, match="leave the filter out"):
        export(crawl, path, "--filter", "least=0.5")
    with pytest.raises(CommandError, match="model can't be read"):
        export(crawl, path)
    assert not list(tmp_path.iterdir())
