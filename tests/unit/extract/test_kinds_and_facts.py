"""What a resource is, what it asks of robots, and where sites usually keep things."""

import pytest

from webkeep.extract import (
    DocumentKind,
    detect_kind,
    extract_links,
    header_directives,
    meta_directives,
    well_known_links,
)
from webkeep.extract.links import Link, LinkRole
from webkeep.extract.robots_directives import RobotsDirective
from webkeep.model import Headers


@pytest.mark.parametrize(
    ("media_type", "content", "url", "kind"),
    [
        ("text/html", b"<p>x", "", DocumentKind.HTML),
        ("text/html", b"", "", DocumentKind.HTML),
        ("text/html", b"plain words", "/a", DocumentKind.HTML),
        ("text/html", b"a{b:c}", "/a.css?v=1", DocumentKind.CSS),
        ("text/html", b"<?xml version='1.0'?><rss>", "/feed", DocumentKind.XML),
        ("text/html", b"<?xml version='1.0'?><!DOCTYPE html PUBLIC ''><html>", "/", DocumentKind.HTML),
        ("text/html", b"\x89PNG\r\n\x1a\n", "/", DocumentKind.OTHER),
        ("text/html", b"BMW drives <a href=x>", "/", DocumentKind.HTML),
        ("text/html", b"\xff\xfe<\0p\0>\0", "/", DocumentKind.HTML),
        ("text/plain", b"\n <!DOCTYPE HTML>", "/a.txt", DocumentKind.HTML),
        ("text/plain", b"Dear <b>reader</b>", "/a.txt", DocumentKind.TEXT),
        ("text/plain", b"a{b:c}", "/a.css", DocumentKind.CSS),
        ("text/plain", b"\0\1\2", "/a", DocumentKind.OTHER),
        ("", b"<html>", "/a", DocumentKind.HTML),
        ("application/octet-stream", b"\xca\xfe\xba\xbe\0\0\0\x34", "/a", DocumentKind.JAVA_CLASS),
        ("application/octet-stream", b"junk %PDF-1.4", "/a", DocumentKind.PDF),
        ("application/octet-stream", b"words", "/a", DocumentKind.OTHER),
        ("image/svg+xml", b"<svg>", "/a", DocumentKind.XML),
        ("application/problem+json", b"{}", "/a", DocumentKind.JSON),
        ("application/json", b"{}", "/manifest.json", DocumentKind.MANIFEST),
        ("image/png", b"<html>", "/a.png", DocumentKind.OTHER),
        ("text/plain", b"#EXTM3U\n", "/a", DocumentKind.PLAYLIST),
        ("text/html", b"User-agent: *", "/robots.txt", DocumentKind.ROBOTS),
    ],
)
def test_kinds(media_type: str, content: bytes, url: str, kind: DocumentKind) -> None:
    assert detect_kind(media_type, content, f"https://e.example{url}") is kind


def test_fields_ask_things_of_robots() -> None:
    headers = Headers(
        (
            ("X-Robots-Tag", "noindex, nofollow"),
            ("x-robots-tag", "googlebot: noarchive"),
            ("X-Robots-Tag", "unavailable_after: 25 Jun 2030"),
        )
    )
    assert header_directives(headers) == [
        RobotsDirective("noindex"),
        RobotsDirective("nofollow"),
        RobotsDirective("noarchive", agent="googlebot"),
        RobotsDirective("unavailable_after", "25 Jun 2030"),
    ]


def test_pages_ask_things_of_robots() -> None:
    page = b"<meta name=description content=robots><META NAME='Robots' CONTENT='NoIndex,max-snippet:20'>"
    assert meta_directives(page) == [RobotsDirective("noindex"), RobotsDirective("max-snippet", "20")]
    assert meta_directives(b"<meta name=googlebot content=none>") == [RobotsDirective("none", agent="googlebot")]
    assert meta_directives(b"<p>no robots here") == []


def test_usual_places_are_guesses_on_the_same_site() -> None:
    found = list(well_known_links("https://e.example/a/b?c"))
    assert Link("https://e.example/.well-known/security.txt", LinkRole.NAVIGATE, "well-known", True) in found
    assert all(link.guess and link.url.startswith("https://e.example/") for link in found)
    assert list(well_known_links("file:///a")) == []


def test_a_link_comes_once_but_a_guess_beside_a_certain_one_is_kept() -> None:
    page = b"<script>a.src='a.png'</script><img src=a.png><img src=./a.png><a href=a.png>"
    found = list(extract_links("https://e.example/", Headers((("Content-Type", "text/html"),)), page))
    assert [(link.role, link.guess) for link in found] == [
        (LinkRole.EMBED, False),
        (LinkRole.NAVIGATE, False),
        (LinkRole.EMBED, True),
    ]


def test_the_type_of_the_call_overrules_the_fields() -> None:
    headers = Headers((("Content-Type", "image/png"),))
    assert [
        link.url for link in extract_links("https://e.example/", headers, b"<a href=x>", content_type="text/html")
    ] == ["https://e.example/x"]


def test_addresses_no_crawl_can_ask_for_are_no_links() -> None:
    page = b"<a href=mailto:a@b><a href=tel:1><a href=about:blank><a href=blob:x><a href='http://['><img src=data:,x>"
    assert list(extract_links("https://e.example/", Headers((("Content-Type", "text/html"),)), page)) == []
