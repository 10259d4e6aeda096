"""Sitemaps: entries with what is said of them, extensions, indexes, plain lines, broken files; and XML as events."""

import gzip

import pytest

from webkeep.extract.documents import read_sitemap
from webkeep.formats.site import XmlComment, XmlEnd, XmlInstruction, XmlStart, XmlText, is_text_sitemap, read_xml_events
from webkeep.model import ChangeFrequency, Moment, SitemapEntry, SitemapMedia

MAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
  <url><loc><![CDATA[https://e.example/?a=1&b=2]]></loc><lastmod>2024-03-01T12:00:00+01:00</lastmod>
    <changefreq>Weekly</changefreq><priority>0.8</priority>
    <image:image><image:loc>/i.png</image:loc><image:title>no</image:title></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="/de"/></url>
  <url><lastmod>2024</lastmod></url>
  <url><loc>/b</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>high</priority></url>
</urlset>"""
ENTRIES = [
    SitemapEntry(
        "https://e.example/?a=1&b=2",
        Moment.parse("2024-03-01T11:00:00Z"),
        ChangeFrequency.WEEKLY,
        0.8,
        media=(SitemapMedia("/i.png", "image:loc"),),
        alternates=("/de",),
    ),
    SitemapEntry("/b"),
]


@pytest.mark.parametrize(
    "content",
    [MAP.encode(), gzip.compress(MAP.encode()), b"\xef\xbb\xbf" + MAP.encode(), MAP.encode("utf-16")],
    ids=["plain", "packed", "marked", "wide"],
)
def test_entries(content: bytes) -> None:
    assert list(read_sitemap(content)) == ENTRIES


def test_an_index_names_sitemaps() -> None:
    index = b"<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2024-01-01</lastmod></sitemap></sitemapindex>"
    assert list(read_sitemap(index)) == [SitemapEntry("/a.xml", Moment.parse("2024-01-01"), is_sitemap=True)]


def test_a_file_cut_off_gives_what_is_whole() -> None:
    cut = MAP.encode()[: MAP.index("<url><lastmod>2024<")]
    assert list(read_sitemap(cut)) == ENTRIES[:1]


def test_plain_lines() -> None:
    lines = b"https://e.example/a\r\n\r\nhttps://e.example/b\n"
    assert [entry.url for entry in read_sitemap(lines)] == ["https://e.example/a", "https://e.example/b"]
    assert not is_text_sitemap("https://e.example/a is a page")
    assert not is_text_sitemap("")


def test_what_is_no_sitemap_has_no_entries() -> None:
    assert list(read_sitemap(b"<html><url><loc>/a</loc></url></html>")) == []


def test_events_of_whole_and_of_broken_xml() -> None:
    text = '<?p q?><!DOCTYPE a [<!ENTITY x "y">]><a:b c="1&lt;" d=e f>t&amp;u<!--v--><![CDATA[<w>]]><x/></a:b><'
    assert list(read_xml_events(text)) == [
        XmlInstruction("p", "q"),
        XmlText(">"),
        XmlStart("a:b", {"c": "1<", "d": "e"}),
        XmlText("t&u"),
        XmlComment("v"),
        XmlText("<w>"),
        XmlStart("x", {}),
        XmlEnd("x"),
        XmlEnd("a:b"),
        XmlText("<"),
    ]


def test_entities_do_not_grow() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
    assert XmlText("&c;") in list(read_xml_events(bomb))
