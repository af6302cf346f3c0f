import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.decode import WEB_ENCODINGS, decode, web_encoding
from tests.core.lib.shared import shared_file

FRENCH = (
    "Le vélo est très apprécié dans les villes françaises, où même en été des élèves roulent. " * 8
)
RUSSIAN = "Велосипед для города и для дальней дороги, и книга про него. " * 8
JAPANESE = "自転車で東京の町を走る。新しい本を読んだ。" * 8


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "source"),
    [
        (b"plain", "", "utf-8", "valid"),
        ("é".encode(), "", "utf-8", "valid"),
        ("é".encode(), "text/html; charset=iso-8859-1", "utf-8", "valid"),
        (b"\xe9", "text/html; charset=ISO-8859-1", "cp1252", "header"),
        (b"\xe9", 'text/html;charset="latin1"', "cp1252", "header"),
        (b"\xef\xbb\xbfx", "text/html; charset=koi8-r", "utf-8", "mark"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "", "utf-16-le", "mark"),
        ("<p>no mark at all".encode("utf-16-be"), "", "utf-16-be", "guess"),
        (b"<meta charset=windows-1251>\xe9", "", "cp1251", "meta"),
        (b"<meta http-equiv=x content='text/html; charset=gb2312'>\xb0\xa1", "", "gb18030", "meta"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=cp1252>\xe9", "", "cp1252", "meta"),
        (b"<?xml version='1.0' encoding='shift_jis'?>\x83\x65", "", "cp932", "meta"),
        (b"<meta charset=utf-16>\xe9", "", "utf-8", "meta"),
        (b"+ADw-script+AD4-", "text/html; charset=utf-7", "utf-8", "valid"),
        (b"\xe9t\xe9", "text/html; charset=unicode_escape", "cp1252", "fallback"),
    ],
)
def test_the_encoding_of_a_page(body: bytes, content_type: str, encoding: str, source: str):
    decoded = decode(body, content_type)
    assert decoded.encoding == encoding
    assert decoded.source == source or source == "fallback"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "cp932"),
    ],
)
def test_undeclared_encodings_are_guessed(text: str, encoding: str):
    assert decode(text.encode(encoding)).text == text


def test_wrong_bytes_are_marked():
    decoded = decode(b"caf\xe9", "text/html; charset=utf-8")
    assert decoded.text == "caf\ufffd"
    assert decoded.has_replacements
    assert decode(b"a\0b").text == "a\ufffdb"
    assert not decode("café".encode()).has_replacements


def test_a_character_cut_at_the_end_does_not_change_the_encoding():
    assert decode("déjà vu é".encode()[:-1]).text.startswith("déjà vu ")


@pytest.mark.parametrize(
    "label", ["utf-7", "punycode", "idna", "rot13", "base64", "undefined", "x" * 40, "a\0b"]
)
def test_labels_outside_the_web_mean_nothing(label: str):
    assert web_encoding(label) is None


def test_every_encoding_of_the_web_exists_here():
    assert all(codecs.lookup(name) for name in WEB_ENCODINGS)


@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_bytes_are_too_odd(body: bytes, content_type: str):
    decoded = decode(body, content_type)
    assert "\0" not in decoded.text
    decoded.text.encode()


def test_the_vectors_of_html5lib():
    """We are more lenient than browsers: a meta in a broken place is believed, and bytes that prove
    to be UTF-8 outvote a label. So this is about never failing, and about most of the answers."""
    cases = strict = 0
    for file in ("tests1.dat", "tests2.dat", "test-yahoo-jp.dat"):
        data = shared_file("vectors", "html5lib", "encoding", file).read_bytes()
        for case in data.split(b"#data\n")[1:]:
            body, _, label = case.partition(b"\n#encoding\n")
            expected = web_encoding(label.split(b"\n")[0].decode().strip())
            decoded = decode(body)
            cases += 1
            strict += decoded.encoding == expected
    assert cases > 70
    assert strict / cases > 0.5
