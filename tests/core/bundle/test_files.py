"""Files that are no bundles, damaged ones, and those that were made to do harm."""

import io
import json
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawler.core.bundle import layout
from crawler.core.bundle.layout import BundleError
from crawler.core.bundle.reading import Bundle
from crawler.core.bundle.verifying import verified
from crawler.core.bundle.writing import BundleWriter

Edit = Callable[[dict[str, bytes]], None]


def made(changes: dict[str, str] | None = None) -> bytes:
    """A bundle whose members are whole, whatever is in them."""
    out = io.BytesIO()
    with BundleWriter(out) as writer:
        for name in (*layout.DATA, *layout.ABOUT):
            writer.text(name, (changes or {}).get(name, "{}\n"))
        writer.finish({"crawl": "a"})
    return out.getvalue()


def rewritten(data: bytes, edit: Edit, path: Path) -> Path:
    """The same members as a plain zip, after somebody was at them."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    edit(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BundleError) as raised:
        verified(path)
    return str(raised.value)


def test_what_was_written_is_read_and_the_same_content_gives_the_same_bytes(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(made({layout.EVENTS: '{"kind": "a"}\n{"kind": "b"}\n'}))
    with Bundle(path) as bundle:
        assert [row["kind"] for row in bundle.rows(layout.EVENTS)] == ["a", "b"]
        assert [member.name for member in bundle.members] == [*layout.DATA, *layout.ABOUT]
        assert bundle.manifest["crawl"] == "a"
    assert made() == made()
    assert "do not fit together (KeyError" in refusal(path)  # whole, and yet no crawl


def test_authors_may_add_their_names_and_pack_it_again(tmp_path):
    def signed(members: dict[str, bytes]) -> None:
        members[layout.CITATION] += b"authors: us"
        members["graph/"] = b""

    with Bundle(rewritten(made(), signed, tmp_path / "a.zip")) as bundle:
        assert bundle.checksum == bundle.manifest["checksum"]


def member(name: str, content: bytes) -> Edit:
    return lambda members: members.update({name: content})


def without(name: str) -> Edit:
    return lambda members: members.__delitem__(name)


def manifest(**changes: object) -> Edit:
    def edit(members: dict[str, bytes]) -> None:
        told = {**json.loads(members[layout.MANIFEST]), **changes}
        members[layout.MANIFEST] = json.dumps(told).encode()

    return edit


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (member(layout.PAGES, b"[]\n"), "graph/pages.jsonl is not what was written"),
        (member(layout.PAGES, b"{}{}"), "has 4 bytes, the manifest says 3"),
        (without(layout.FIGURES), "figures.json is missing"),
        (member("../../etc/passwd", b""), "leads out of the bundle"),
        (member("/etc/passwd", b""), "leads out of the bundle"),
        (member("..\\evil", b""), "leads out of the bundle"),
        (member("evil.pickle", b""), "is no part of a bundle"),
        (member(layout.URLS, b"0" * 50_000_000), "graph/urls.jsonl would unpack from"),
        (member(layout.MANIFEST, b"["), "manifest.json can't be read"),
        (member(layout.MANIFEST, b"[" * 100_000), "manifest.json can't be read"),
        (member(layout.MANIFEST, b"{}"), "not written by FocusAdmin"),
        (manifest(version=2), "has format version 2"),
        (manifest(members=[]), "does not list the members"),
        (manifest(members=[{"name": 1}]), "can't be read"),
        (manifest(checksum="0"), "checksum does not fit"),
    ],
)
def test_what_is_wrong_with_it_is_told_by_name(tmp_path, edit, words):
    assert words in refusal(rewritten(made(), edit, tmp_path / "a.zip"))


def test_cut_files_and_those_of_others(tmp_path):
    whole, path = made(), tmp_path / "a.zip"
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        refusal(path)
    path.write_bytes(b"%PDF-1.4" + b"\0" * 5_000)
    assert "no zip directory" in refusal(path)
    assert "no such file" in refusal(tmp_path / "none.zip")
    assert "no such file" in refusal(tmp_path)


def test_bytes_that_changed_on_the_way(tmp_path):
    whole, path = bytearray(made({layout.TEXTS: "word " * 5_000})), tmp_path / "a.zip"
    at = whole.find(b"graph/texts.jsonl") + 60
    whole[at] ^= 0xFF
    path.write_bytes(whole)
    assert refusal(path).startswith("graph/texts.jsonl is")


def test_a_member_that_is_there_twice(tmp_path):
    path = rewritten(made(), lambda members: None, tmp_path / "a.zip")
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as again:
        again.writestr(layout.PAGES, "{}\n")
    assert "is in the file twice" in refusal(path)


def test_a_directory_of_a_million_files_is_not_read(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as many:
        for number in range(1_000):
            many.writestr(f"{number:0>100}", b"")
    assert "lists more files than a bundle has" in refusal(path)


def test_links_and_encrypted_members_are_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as odd:
        link = zipfile.ZipInfo(layout.CRAWL)
        link.external_attr = 0o120777 << 16
        odd.writestr(link, "/etc/passwd")
    assert "is a link to another file" in refusal(path)
    data = bytearray(made())
    at = data.find(b"PK\x01\x02")
    struct.pack_into("<H", data, at + 8, 1)
    path.write_bytes(data)
    assert "is encrypted" in refusal(path)


def test_memory_does_not_grow_with_what_is_written_and_read(tmp_path):
    path, dice = tmp_path / "a.zip", random.Random(1)

    def rows() -> Iterator[dict[str, object]]:
        for number in range(6_000):
            yield {"seq": number, "text": dice.randbytes(1_500).hex()}

    tracemalloc.start()
    try:
        with path.open("wb") as out, BundleWriter(out) as writer:
            for name in (*layout.DATA, *layout.ABOUT):
                writer.rows(name, rows()) if name == layout.TEXTS else writer.text(name, "{}\n")
            writer.finish({})
        with Bundle(path) as bundle:
            assert sum(1 for _ in bundle.rows(layout.TEXTS)) == 6_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000  # of 18 MB
