import gzip

from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.sitemaps import MAX_URLS, read_sitemap

SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">
  <url><loc> http://e.com/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
    <image:image><image:loc>http://e.com/picture.png</image:loc></image:image></url>
  <url><LOC><![CDATA[http://e.com/b]]></LOC></url>
  <url><loc>http://e.com/a?x=1&amp;y=2#again</loc></url>
  <url><loc>javascript:alert(1)</loc></url><url><loc>rubbish</loc></url>
</urlset>"""
URLS = ("http://e.com/a?x=1&y=2", "http://e.com/b")


def test_pages_of_a_sitemap():
    sitemap = read_sitemap(SITEMAP, "application/xml")
    assert sitemap.urls == URLS
    assert not sitemap.is_index


def test_a_packed_one_and_one_in_another_encoding():
    assert read_sitemap(gzip.compress(SITEMAP)).urls == URLS
    utf16 = SITEMAP.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert read_sitemap(utf16).urls == URLS
    assert read_sitemap(gzip.compress(SITEMAP)[:-30]).urls == ()


def test_an_index():
    body = b"<sitemapindex><sitemap><loc>http://e.com/1.xml</loc></sitemap></sitemapindex>"
    sitemap = read_sitemap(body)
    assert sitemap.is_index
    assert sitemap.urls == ("http://e.com/1.xml",)


def test_a_plain_list():
    assert read_sitemap(b"http://e.com/1\r\nnonsense\nhttp://e.com/2\n").urls == (
        "http://e.com/1",
        "http://e.com/2",
    )


def test_no_more_than_the_protocol_allows():
    many = b"".join(b"<loc>http://e.com/%d</loc>" % n for n in range(MAX_URLS + 100))
    assert len(read_sitemap(b"<urlset>" + many).urls) == MAX_URLS


@given(st.binary(max_size=500))
def test_any_bytes_are_read(body: bytes):
    read_sitemap(body)
