"""What a page is to its reader: its texts, its main content, what it links to and shows."""

import pytest

from webkeep.document import PageContentSink, read_html_parts, read_page_content, read_text_content
from webkeep.document.html_parts import MAX_TREE_CHARS

PAGE = """<!doctype html><html><head><title>A &amp; B</title><style>p{}</style><script>var a = "<p>no";</script></head>
<body><nav><a href="/one">One</a></nav><main><h1>Head</h1><p>Some <b>bold</b> words <img src="/i.png?v=3"></p>
<template><p>unseen</p></template><div><template shadowrootmode="open"><p>shadow</p></template></div>
<noscript>no script</noscript><textarea>typed</textarea><iframe src=/f></iframe></main>
<footer><a href="#top">up</a><a>none</a></footer></body></html>"""


def test_what_is_seen_and_what_is_not() -> None:
    content = read_page_content(PAGE)
    assert content is not None
    assert content.around == ["A & B", "One", "up", "none"]
    assert content.main == ["Head", "Some", "bold", "words", "shadow", "typed"]
    assert content.links == ["/one", "#top", "/i.png", "/f"]


def test_the_tree_that_links_are_read_of_gives_the_same() -> None:
    sink = PageContentSink()
    assert [part[0] for part in read_html_parts(PAGE, on_tree=sink.take_tree)] == [
        part[0] for part in read_html_parts(PAGE)
    ]
    assert sink.content == read_page_content(PAGE)


@pytest.mark.parametrize(
    ("page", "main"),
    [
        ("<p>a<main>b</main>", ["b"]),
        ("<p>a<div role=main>b</div>", ["b"]),
        ("<p>a<div id=content>b</div>", ["b"]),
        ("<p>a<article>b</article>", ["b"]),
        ("<p>a<article>b</article><article>c</article>", None),
        ("<p>a<div>b</div>", None),
    ],
)
def test_the_main_content_is_what_markup_calls_so(page: str, main: list[str] | None) -> None:
    content = read_page_content(page)
    assert content is not None
    assert content.main == main


def test_texts_with_urls_are_parts_whoever_reads_the_tree() -> None:
    page = (
        "<p>See www.one.example</p><noscript>or www.two.example</noscript><template>www.three.example</template>"
        "<main>and http://four.example/</main><script>'http://five.example/'</script><p>nothing"
    )
    parts = sorted(part[2] for part in read_html_parts(page) if part[0] == "#text")
    sink = PageContentSink()
    assert sorted(part[2] for part in read_html_parts(page, on_tree=sink.take_tree) if part[0] == "#text") == parts
    assert parts == ["See www.one.example", "and http://four.example/", "or www.two.example", "www.three.example"]


def test_a_page_too_long_for_a_tree_is_read_as_a_stream() -> None:
    filling = "<p>words &amp; more<script>x()</script><a href=/x?a=1>x</a><img src=/i?b=2>\n" * 40_000
    assert len(filling) > MAX_TREE_CHARS
    content = read_page_content(filling)
    assert content is not None
    assert content.around == ["words & more", "x"] * 40_000
    assert content.main is None
    assert content.links == ["/x?a=1", "/i"] * 40_000


def test_a_page_of_nothing_but_parts_is_not_held() -> None:
    assert read_page_content("<b>a" * 1_100_000) is None


@pytest.mark.parametrize("text", ["", " \n\t ", "<", "<script>", "\0", "<!--"])
def test_empty_pages_have_no_text(text: str) -> None:
    content = read_page_content(text)
    assert content is not None
    assert "".join(content.around) in ("", "<", "\ufffd")


def test_texts_that_are_no_pages() -> None:
    assert read_text_content(" one\r\n\n  two <b> \n").around == ["one", "two <b>"]
