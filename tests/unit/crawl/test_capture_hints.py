"""What sitemaps and feeds tell a capture of pages, rates that people give, and the parts of a site."""

from pathlib import Path

import pytest

from webkeep.change.rates import RateTable
from webkeep.crawl.coherent.coherence_planner import SubsiteParts
from webkeep.crawl.links.change_hints import ChangeHint, read_change_hints
from webkeep.crawl.plan import Subsites
from webkeep.crawl.plan.rates_file import read_rates_file
from webkeep.errors import UsageError
from webkeep.extract import DocumentKind
from webkeep.extract.documents import read_feed_items
from webkeep.model import Moment

NOW = Moment.parse("2024-03-01T12:00:00Z")
SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://site.test/a</loc><changefreq>hourly</changefreq></url>
<url><loc>/b#part</loc><lastmod>2024-02-29</lastmod></url>
<url><loc>http://site.test/c</loc><changefreq>now and then</changefreq><lastmod>the day</lastmod></url>
<url><changefreq>daily</changefreq></url></urlset>"""
INDEX = b"<sitemapindex><sitemap><loc>http://site.test/1.xml</loc></sitemap></sitemapindex>"
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><updated>2024-03-01T00:00:00Z</updated>
<entry><link rel="self" href="/self"/><link href="/one#top"/><published>2020-01-01T00:00:00Z</published>
<updated>2024-02-01T00:00:00Z</updated></entry><entry><title>no link</title></entry>
<entry><link href="/two"/></entry></feed>"""
RSS = b"""<rss><channel><link>http://site.test/</link><item><link>http://site.test/one</link>
<pubDate>Thu, 01 Feb 2024 00:00:00 GMT</pubDate></item></channel></rss>"""


def test_a_sitemap_tells_frequencies_and_last_changes() -> None:
    hints = read_change_hints("http://site.test/sitemap.xml", SITEMAP, "", DocumentKind.XML)
    changed = Moment.parse("2024-02-29").micros
    assert hints == [
        ChangeHint("http://site.test/a", "hourly"),
        ChangeHint("http://site.test/b", "", changed),
        ChangeHint("http://site.test/c"),
    ]


@pytest.mark.parametrize("feed", [ATOM, RSS])
def test_a_feed_tells_when_its_items_changed(feed: bytes) -> None:
    (hint,) = read_change_hints("http://site.test/feed", feed, "", DocumentKind.XML)
    assert hint == ChangeHint("http://site.test/one", "", Moment.parse("2024-02-01").micros, from_feed=True)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (INDEX, DocumentKind.XML),
        (b"<svg/>", DocumentKind.XML),
        (b"", DocumentKind.XML),
        (b"\x1f\x8b broken", DocumentKind.PACKED),
        (b"words", DocumentKind.TEXT),
    ],
)
def test_what_tells_nothing_of_pages_gives_no_hints(content: bytes, kind: DocumentKind) -> None:
    assert read_change_hints("http://site.test/x", content, "", kind) == []


def test_hints_become_rates_with_their_sources() -> None:
    rates = RateTable()
    ChangeHint("http://site.test/a", "hourly").record_in(rates, NOW)
    ChangeHint("http://site.test/b", "", NOW.plus(-3600).micros, from_feed=True).record_in(rates, NOW)
    assert rates.rate("http://site.test/a").source == "sitemap"
    assert rates.rate("http://site.test/b").source == "feed"
    assert rates.rate("http://site.test/a").per_second > rates.rate("http://elsewhere.test/").per_second


def test_an_item_that_is_cut_off_is_none() -> None:
    assert list(read_feed_items("<rss><item><link>/a</link></item><item><link>/b", "http://site.test/")) == [
        ("http://site.test/a", None)
    ]


def test_rates_are_read_as_changes_a_day(tmp_path: Path) -> None:
    file = tmp_path / "rates"
    file.write_text("# mine\n\nhttp://site.test/#top 86400\nHTTP://Site.test/b\t0\n", "utf-8")
    assert read_rates_file(file) == {"http://site.test/": 1.0, "http://site.test/b": 0.0}


@pytest.mark.parametrize("line", ["http://site.test/", "http://site.test/ often", "nowhere 1", "http://s.test/ -1",
                                  "http://s.test/ nan", "http://s.test/ 1 2", "http://s.test/ inf"])  # fmt: skip
def test_a_rate_that_is_none_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "rates"
    file.write_text(f"http://site.test/ 1\n{line}\n", "utf-8")
    with pytest.raises(UsageError, match="line 2"):
        read_rates_file(file)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_rates_that_cannot_be_read_are_told(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "rates"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=r"rates.*(UTF-8|give a file)"):
        read_rates_file(file)


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("http://site.test/", "http://site.test/"),
        ("http://site.test/a", "http://site.test/"),
        ("http://site.test/a/", "http://site.test/a/"),
        ("http://site.test/a/b/c?d=/e/", "http://site.test/a/"),
        ("http://site.test/a?d=/e/", "http://site.test/"),
        ("https://site.test:8443/a/b", "https://site.test:8443/a/"),
    ],
)
def test_directories_divide_a_site(url: str, part: str) -> None:
    assert SubsiteParts(Subsites.DIRECTORIES).part_of(url) == part
    assert SubsiteParts(Subsites.NONE).part_of(url) == ""


def test_sitemaps_divide_a_site_and_the_first_to_list_a_page_has_it() -> None:
    parts = SubsiteParts(Subsites.SITEMAPS)
    parts.add_sitemap("one.xml", [ChangeHint("a"), ChangeHint("b"), ChangeHint("f", from_feed=True)])
    parts.add_sitemap("two.xml", [ChangeHint("b"), ChangeHint("c")])
    assert [parts.part_of(url) for url in "abcf"] == ["one.xml", "one.xml", "two.xml", ""]
