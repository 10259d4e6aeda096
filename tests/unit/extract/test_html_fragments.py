"""Pieces of HTML and Markdown in pages: what is relative in them is also sought where the page would seek it."""

from webkeep.extract import extract_links
from webkeep.model import Headers

PAGE = "https://site.example/"
PIECE = "https://site.example/parts/ferry.html"
HTML = Headers((("Content-Type", "text/html"),))
MARKUP = b'<p>The ferry <img src="ferry.png"> <a href="/about/">about</a> <a href="https://other.example/">more</a></p>'


def found(content: bytes, page: str) -> list[tuple[str, bool]]:
    return [(link.url, link.guess) for link in extract_links(PIECE, HTML, content, page=page)]


def test_relative_addresses_of_a_piece_are_also_meant_relative_to_the_page_that_called_for_it() -> None:
    assert found(MARKUP, PAGE) == [
        ("https://site.example/parts/ferry.png", False),
        ("https://site.example/ferry.png", True),
        ("https://site.example/about/", False),
        ("https://other.example/", False),
    ]


def test_pages_mean_what_is_relative_to_themselves() -> None:
    for head in (b"<!DOCTYPE html>", b"<title>Ferry</title>", b"<HTML>", b"<head></head>", b"<body class=x>"):
        assert ("https://site.example/ferry.png", True) not in found(head + MARKUP, PAGE)


def test_markdown_may_be_meant_relative_to_the_page_that_draws_it() -> None:
    headers = Headers((("Content-Type", "text/markdown"),))
    links = extract_links("https://site.example/guide/start.md", headers, b"[Next](guide/next.md) [Top](/)", page=PAGE)
    assert [(link.url, link.guess) for link in links] == [
        ("https://site.example/guide/guide/next.md", False),
        ("https://site.example/guide/next.md", True),
        ("https://site.example/", False),
    ]


def test_nobody_called_for_it() -> None:
    assert ("https://site.example/ferry.png", True) not in found(MARKUP, "")
