"""Whether anything is left open at the end of a page, where a block would become a part of it."""

import pytest

from webkeep.vault.blocks import can_carry, inject_blocks, strip_blocks
from webkeep.vault.blocks.open_text import are_marks_closed, has_mark_between

START = b"<!DOCTYPE html><title>x</title>"
CLOSED = {
    "a script": b"<script>a < b</script>",
    "capitals": b"<SCRIPT>a</Script ><STYLE>b</sTyle\n>",
    "an empty comment": b"<!--><!--->",
    "a comment with a script, then a script": b"<!--[if IE]><script></script><![endif]--><script>1</script>",
    "names that only begin so": b"<titlebar><scripts>",
    "a script hidden from browsers of 1996": b"<script><!-- \ndocument.write('<b>') // --></script>",
    "CDATA": b"<svg><![CDATA[ a ]]></svg>",
}
PARSED = {
    "a text field in a string": b"<script>field = '<textarea>'</script>",
    "a comment in an attribute": b'<p title="<!--">',
    "a comment for one browser is the last": b"<!--[if IE]><script src=a></script><![endif]-->",
    "an end with an exclamation mark": b"<!-- a --!>",
    "a script written by a script": b"<script><!--\ndocument.write('<script src=a><\\/script>') //--></script>",
}
OPEN = {
    "a script": b"<script>1",
    "a comment": b"<!-- ",
    "a style": b"<style>a {",
    "a text field": b"</textarea><textarea>text",
    "a text field behind a comment in an attribute": b'<p title="<!--"><textarea> -->',
    "plain text": b"<plaintext>",
    "plain text, which nothing closes": b"<plaintext></plaintext>",
    "a title, closed by another name": b"<title>a</titlebar>",
    "a name that a vertical tab goes on": b"<textarea></textarea\v>",
    "a script that took an end for itself": b"<script><!--<script></script>",
    "a script that took an end for itself, and a comment's": b"<script><!--<script></script>-->",
    "CDATA": b"<svg><![CDATA[ a",
    "what scripting browsers take for text": b"<noscript><!-- --><textarea></textarea>",
    "a tag": b"<p class=",
}
END = b"</body></html>\n"


@pytest.mark.parametrize("name", CLOSED)
def test_marks_prove_that_nothing_is_open(name: str) -> None:
    page = START + CLOSED[name] + END
    assert are_marks_closed(page)
    assert can_carry(page)


@pytest.mark.parametrize("name", PARSED)
def test_where_marks_prove_nothing_the_tree_does(name: str) -> None:
    page = START + PARSED[name] + END
    assert not are_marks_closed(page)
    assert can_carry(page)


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("end", [b"", END])
def test_what_is_open_carries_nothing(name: str, end: bytes) -> None:
    if name == "a tag" and end:
        end = end.replace(b">", b"")
    assert not can_carry(START + OPEN[name] + end)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("text", "expected"), [("<p>\u2d2d\u3e00\u3c00</p>", True), ("<!-- \u2d2d>", False)])
def test_characters_of_two_bytes_are_no_marks(encoding: str, text: str, expected: bool) -> None:
    page = f"\ufeff<!DOCTYPE html><title>x</title>{text}".encode(encoding)
    assert can_carry(page) is expected


def test_a_page_that_changes_what_bytes_mean_carries_nothing() -> None:
    assert not can_carry(START + "日本".encode("iso2022_jp") + END)


@pytest.mark.parametrize(
    ("page", "start", "end", "expected"),
    [
        (b"<p>12345</p>", 3, 8, False),
        (b"<scr12345>", 4, 9, False),
        (b"<script >ab", 4, 7, True),
        (b"<script>ab", 8, 9, False),
        (b"<script>ab", 7, 9, True),
        (b"<script>ab", 5, 5, True),
        (b"ab<!-->cd", 6, 6, True),
        (b"ab<!-->cd", 7, 8, False),
        (b"ab1-->", 2, 3, False),
        (b"ab--->", 2, 3, False),
        (b"ab]]]>", 2, 4, True),
    ],
)
def test_marks_that_reach_into_a_place(page: bytes, start: int, end: int, expected: bool) -> None:
    assert has_mark_between(page, start, end) is expected


@pytest.mark.parametrize("after", [b"", b"<script>'</body>'</script>", b"<!-- </body> --><!-- </BODY > -->"])
def test_the_visible_line_stands_in_no_script_or_comment(after: bytes) -> None:
    page = START + b"<body><p>text</p></body></html>" + after
    shown = inject_blocks(page, [], "2026")
    assert shown.startswith(START + b'<body><p>text</p><p class="webkeep-vault-modified">')
    assert strip_blocks(shown) == page
