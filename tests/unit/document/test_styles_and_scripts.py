"""Where style sheets name resources, and the strings of scripts with what stands around them."""

import pytest

from webkeep.document import find_css_references, find_script_strings, sniff_text
from webkeep.document.css_references import unescape_css
from webkeep.document.html_parts import read_streamed_parts
from webkeep.document.script_strings import unescape_script


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a{b:url(c)}", [("c", "url()")]),
        ("a{b:URL( 'c d' )}", [("c d", "url()")]),
        ("a{b:my-url(c)}", []),
        ("a{b:myurl(c)}", []),
        ("a{b:url()}", []),
        ("a{b:url(c d)}", [("c", "url()")]),
        ("a{b:url(c\\)d)}", [("c)d", "url()")]),
        ("@import'a'", [("a", "@import")]),
        ("@imports 'a'", []),
        ("@\\69mport 'a'", [("a", "@import")]),
        ("@namespace 'a'; @import 'b'", [("b", "@import")]),
        ("@-moz-document url(http://a){b{c:url(d)}}", [("d", "url()")]),
        ("a{b:image-set('c' 1x,'d' 2x type('e'))} f{content:'g'}", [("c", "image-set()"), ("d", "image-set()")]),
        ("a{b:cross-fade(url(c),image('d'))}", [("c", "url()"), ("d", "image-set()")]),
        ("a{b:format('c')}", []),
        ("<!-- a{b:url(c)} -->", [("c", "url()")]),
        ("/*/ url(a) */ b{c:url(d)}", [("d", "url()")]),
        ("/* @ sourceMappingURL=a.map */", [("a.map", "sourceMappingURL")]),
        ("a{b:c/d;e:url(f)}", [("f", "url()")]),
        ("a{b:url(", []),
        ('a{b:url("c', [("c", "url()")]),
        ("a{b:url(c);d:url(e)", [("c", "url()"), ("e", "url()")]),
    ],
)
def test_references_of_styles(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.text, each.construct) for each in find_css_references(text)] == found


def test_stretches_of_styles_can_be_replaced() -> None:
    text = "@import 'a'; b{c:url( \"d\" );e:url(f)}"
    for each in reversed(list(find_css_references(text))):
        text = text[: each.start] + each.text.upper() + text[each.end :]
    assert text == "@import 'A'; b{c:url( \"D\" );e:url(F)}"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("\\61 b", "ab"), ("\\000061b", "ab"), ("a\\\nb", "ab"), ("\\0", "\ufffd"), ("\\D800", "\ufffd"), ("\\", "")],
)
def test_escapes_of_styles(text: str, meant: str) -> None:
    assert unescape_css(text) == meant


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a='b.c'", ["b.c"]),
        ("a='no'", []),
        ("a='b.c\n'd.e'", ["d.e"]),
        ("// it's b.c\nx='d.e'", ["d.e"]),
        ("/* 'a.b' */ 'c.d'", ["c.d"]),
        ("x=/'/;y='a.b'", ["a.b"]),
        ("x=a/b;y='c/d'", ["c/d"]),
        ("return/'/.test('a.b')", ["a.b"]),
        ("x=/[/']/;y='a.b'", ["a.b"]),
        ("x=(1)/2;y='a.b'/3", ["a.b"]),
        ("x=`a.b`", ["a.b"]),
        ("x=`a${'b.c'}d.e`;f='g.h'", ["b.c", "g.h"]),
        ("x=`${ {a:{}} }`;y='b.c'", ["b.c"]),
        ("x=`\\``;y='b.c'", ["b.c"]),
        ("x=`never closed 'a.b'", ["a.b"]),
        ("'a\\'b.c'", ["a'b.c"]),
        ('x="<a>"', ["<a>"]),
    ],
)
def test_strings_of_scripts(text: str, values: list[str]) -> None:
    assert [each.value for each in find_script_strings(text) if any(sign in each.value for sign in "./<")] == values


def test_what_stands_around_a_string() -> None:
    (found,) = find_script_strings("foo.src =  'a.gif' ;b")
    assert (found.before, found.after) == ("foo.src =", ";b")
    assert "foo.src =  'a.gif' ;b"[found.start : found.end] == "a.gif"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("\\/", "/"), ("\\x41\\u0042\\u{43}", "ABC"), ("\\u{110000}", "\ufffd"), ("a\\\nb", "ab"), ("\\n\\q", "\nq")],
)
def test_escapes_of_scripts(text: str, meant: str) -> None:
    assert unescape_script(text) == meant


@pytest.mark.parametrize(
    ("content", "declared", "charset"),
    [
        ("<p>é".encode("utf-16-le"), "utf-8", "utf-16le"),
        (" \n<p>é".encode("utf-16-be"), "iso-8859-1", "utf-16be"),
        ("<p>é".encode(), "utf-8", "utf-8"),
        ("<p>é".encode("latin-1"), "iso-8859-1", "windows-1252"),
    ],
)
def test_wide_text_is_known_by_its_looks(content: bytes, declared: str, charset: str) -> None:
    text, found = sniff_text(content, declared)
    assert found == charset
    assert text.strip() == "<p>é"


def test_a_streamed_page_has_the_parts_of_a_tree() -> None:
    parts = list(read_streamed_parts("<a href=x>http://a.b</a><!--c--><script>d</script><style>e"))
    assert [(name, list(attributes), text) for name, attributes, text, _ in parts] == [
        ("a", [("href", "x")], ""),
        ("#text", [], "http://a.b"),
        ("#comment", [], "c"),
        ("script", [], "d"),
        ("style", [], "e"),
    ]
