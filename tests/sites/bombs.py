"""Documents that are meant to hurt whoever parses them."""

import random


def html_bombs() -> dict[str, bytes]:
    rng = random.Random(41)
    return {
        "deep": b"<div>" * 200_000,
        "deep-inline": b"<span><b>" * 60_000,
        "deep-tables": b"<table><tr><td>" * 40_000,
        "hidden-depth": (b"</x>" * 700 + b"<div>" * 300) * 60,
        "attributes": b"<a " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">x",
        "quoted-attributes": b"<a " + b" ".join(b'a%d=">"' % n for n in range(60_000)) + b">x",
        "options": b"<select>" + b"<option>" * 200_000,
        "shouted-options": b"<select>" + b"<OPTION>" * 200_000,
        "formatting": b"".join(b"<b c%d><p>" % n for n in range(8_000)),
        "misnested": b"<a><b><i>" * 3_000 + b"</a></b>" * 3_000,
        "comment": b"<!--" + b"x" * 10_000_000,
        "comments": b"<!-->" * 400_000,
        "one-text-node": b"<p>" + b"word " * 2_000_000,
        "angles": b"<" * 3_000_000,
        "entities": b"&lt;&#x41;&nosuch;" * 200_000,
        "nul-bytes": b"\0" * 2_000_000 + b"<p>after</p>",
        "noise": rng.randbytes(2_000_000),
        "links": b"".join(b"<a href=/%d>l</a> " % n for n in range(150_000)),
        "scripts": b"<script>" * 200_000,
        "doctypes": b"<!doctype html>" * 200_000,
        "svg": b"<svg><title>" * 30_000,
        "long-tag-name": b"<" + b"x" * 3_000_000 + b">",
        "unclosed-quote": b'<p><a href="' + b"y" * 3_000_000,
        "empty": b"",
        "spaces": b" \n" * 2_000_000,
    }


def xml_bombs() -> dict[str, bytes]:
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
    return {
        "billion-laughs": b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "lol">'
        + laughs
        + b"]><urlset><url><loc>http://good.test/&l11;</loc></url></urlset>",
        "external": b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<urlset><url><loc>&x;</loc></url></urlset>",
        "external-dtd": b'<!DOCTYPE l SYSTEM "http://127.0.0.1/x.dtd"><urlset></urlset>',
        "deep": b"<urlset>" * 300_000,
        "unclosed": b"<urlset>" + b"<loc>" * 500_000,
        "spaces": b"<urlset><loc>" + b" " * 3_000_000,
        "cdata": b"<urlset>" + b"<loc><![CDATA[" * 200_000,
        "half-closed": b"<urlset>" + b"<loc>x" * 300_000,
    }
