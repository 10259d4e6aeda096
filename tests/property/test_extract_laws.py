"""Laws of link extraction: nothing but links comes out, whatever the bytes, and short cuts lead to the same place."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from webkeep.document import find_css_references, find_script_strings, read_tree_parts, sniff_text
from webkeep.document.html_parts import read_streamed_parts
from webkeep.extract import extract_links, header_directives, meta_directives, well_known_links
from webkeep.extract.documents import read_sitemap
from webkeep.extract.links import LinkBase
from webkeep.extract.links.link_base import FETCHED_SCHEMES
from webkeep.formats.site import parse_robots, read_xml_events
from webkeep.model import Headers
from webkeep.url import resolve_url

SITE = Path(__file__).parents[1] / "sites/constructs"
ROWS = json.loads((SITE / "constructs.json").read_text())
TYPES = sorted({row["type"] for row in ROWS} | {"application/ld+json", "application/importmap+json", "text/plain"})
SIGNS = ["<", ">", '"', "'", "(", ")", "/*", "*/", "//", "`", "${", "}", "\\", "url(", "@import", "&#x;", "\0", "]]>",
         "<!--", "-->", "<![CDATA[", "<?", "\ud800", "\\ud800", "a='/b\\udfff.html';", "é",
         "data:text/html,", "javascript:", "%", "=", ",", " ", "\n", "\r"]  # fmt: skip
URLS = ["https://e.example/a/b.html", "http://e.example", "file:///a/b", "data:text/html,x", "no url", ""]


def everything(url: str, media_type: str, content: bytes) -> None:
    headers = Headers((("Content-Type", media_type), ("Link", content[:200].decode("latin-1"))))
    for link in extract_links(url, headers, content, page="https://page.example/"):
        assert link.url.startswith(FETCHED_SCHEMES)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_construct_cut_or_spoilt_anywhere_raises_nothing(row: dict[str, str]) -> None:
    content = (SITE / "files" / row["file"]).read_bytes()
    step = max(1, len(content) // 25)
    for at in range(0, len(content), step):
        everything("https://e.example/x", row["type"], content[:at])
        everything("https://e.example/x", row["type"], content[:at] + b"\xff\0\"'<" + content[at + 1 :])
        everything("https://e.example/x", row["type"], content[at:] + content[:at])


@settings(max_examples=400)
@given(st.sampled_from(URLS), st.sampled_from(TYPES), st.binary(max_size=200))
def test_bytes_of_any_kind_raise_nothing(url: str, media_type: str, content: bytes) -> None:
    everything(url, media_type, content)


@settings(max_examples=400)
@given(st.sampled_from(TYPES), st.lists(st.sampled_from(SIGNS) | st.text(max_size=6), max_size=30))
def test_texts_full_of_signs_raise_nothing(media_type: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    everything("https://e.example/a/b.html", media_type, text.encode("utf-8", "surrogatepass"))
    for reader in (find_css_references, find_script_strings, read_streamed_parts, read_tree_parts, read_xml_events):
        list(reader(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


@given(st.binary(max_size=300))
def test_facts_are_read_from_any_bytes(content: bytes) -> None:
    text = content.decode("latin-1")
    list(read_sitemap(content))
    meta_directives(b"<meta name=robots content=" + content)
    header_directives(Headers((("X-Robots-Tag", text),)))
    parse_robots(content).rules_for("webkeep").allows(text)
    sniff_text(content, text[:20])
    list(well_known_links(text))


@settings(max_examples=1000)
@given(
    st.sampled_from(["https://e.example/a/b.html?q#f", "http://e.example:8080", "https://u:p@e.example/a/./b//c"]),
    st.text(st.sampled_from("ab./?#:=&%~-_ \\@é"), max_size=12) | st.text(max_size=8),
    st.sampled_from(["", "https://e.example/", "http://e.example:8080/", "//", "/", "../"]),
)
def test_short_cuts_join_as_browsers_do(base: str, tail: str, head: str) -> None:
    ref = head + tail
    whole = resolve_url(base, ref)
    expected = whole if whole is not None and whole.startswith(FETCHED_SCHEMES) else None
    assert LinkBase(base).join(ref) == expected


@settings(max_examples=200)
@given(st.lists(st.sampled_from(SIGNS) | st.text(max_size=4), max_size=20))
def test_stretches_of_style_sheets_spell_their_references(pieces: list[str]) -> None:
    text = "".join(pieces) + "a{b:url(c.png)}"
    for found in find_css_references(text):
        written = text[found.start : found.end]
        assert written == found.text or "\\" in written
