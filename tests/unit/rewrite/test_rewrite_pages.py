"""Pages: only what has to change does, in every spelling, charset and size."""

import json
from pathlib import Path

import pytest

from webkeep.extract import DocumentKind
from webkeep.extract.links import Link, LinkBase
from webkeep.rewrite import MAX_REWRITTEN_BYTES, HtmlEdits, LinkRenaming, ScriptRenaming, rewrite_document
from webkeep.rewrite.html_edits import head_position
from webkeep.rewrite.html_rewrite import rewrite_page
from webkeep.rewrite.link_renaming import ReferenceRenamer

URL = "https://site.example/dir/page.html"
TABLES = json.loads((Path(__file__).parents[2] / "data/rewrite/pages.json").read_text())
SPELLINGS, LIFTS, HEADS = TABLES["spellings"], TABLES["lifts"], TABLES["heads"]
NO_EDITS = HtmlEdits()


def new_name(link: Link) -> str:
    return "new/" + link.url.partition("//")[2].partition("/")[2]


def page(text: str, edits: HtmlEdits = NO_EDITS, charset: str = "utf-8") -> str:
    return rewrite_document(
        text.encode(charset), URL, LinkRenaming(new_name), kind=DocumentKind.HTML, charset=charset, edits=edits
    ).decode(charset)


@pytest.mark.parametrize("source", SPELLINGS)
def test_a_link_changes_and_nothing_around_it(source: str) -> None:
    assert page(source) == SPELLINGS[source]


@pytest.mark.parametrize("source", SPELLINGS)
@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n"])
def test_line_ends_stay_as_they_are(source: str, line_end: str) -> None:
    around = line_end.join(("<p>one", "two", "{}", "three", ""))
    wanted = around.format(SPELLINGS[source].replace("\n", line_end))
    assert page(around.format(source.replace("\n", line_end))) == wanted


STREAMED = [source for source in SPELLINGS if "<!--" not in source]


@pytest.mark.parametrize("source", STREAMED)
def test_pages_too_large_for_a_tree_change_alike(source: str) -> None:
    renaming = LinkRenaming(new_name)
    text = f"<p>one\r\ntwo{source}\n<a href=z>"
    joiner = ReferenceRenamer(renaming, LinkBase(URL))
    assert rewrite_page(text, joiner, renaming, HtmlEdits(), tree_limit=0) == page(text)


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("utf-8", "Größe 漢字 \N{GRINNING FACE}"),
        ("utf-16-le", "Größe 漢字 \N{GRINNING FACE}"),
        ("windows-1252", "Größe “so”"),
        ("iso-8859-2", "łódź"),
        ("shift_jis", "表示ソ能"),
        ("gb18030", "漢字 \N{GRINNING FACE}"),
        ("big5", "功能"),
        ("euc-jp", "漢字"),
        ("koi8-r", "слово"),
    ],
)
def test_a_charset_stays_what_it_is(charset: str, words: str) -> None:
    text = '<p title="{0}">{0}<a href="{1}">{0}</a><img alt={0} src="{2}">{0}'
    content = text.format(words, "a.html", "b.png").encode(charset)
    expected = text.format(words, "new/dir/a.html", "new/dir/b.png").encode(charset)
    declared = {"utf-16-le": "utf-16le"}.get(charset, charset)
    assert rewrite_document(content, URL, LinkRenaming(new_name), kind=DocumentKind.HTML, charset=declared) == expected


def test_names_beyond_ascii_are_read_in_the_charset_of_the_page() -> None:
    seen: list[str] = []
    content = "<a href='ä.html?ö'>".encode("windows-1252")
    rewrite_document(
        content, URL, LinkRenaming(lambda link: seen.append(link.url)), kind=DocumentKind.HTML, charset="windows-1252"
    )
    assert seen == ["https://site.example/dir/%C3%A4.html?%F6"]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_bytes_that_mean_nothing_stay(mark: bytes) -> None:
    content = mark + b"<p>\xff\xfe\x80<a href=\"x\xc3\">\xe2\x82</p>\0<a href='y'>"
    expected = mark + b"<p>\xff\xfe\x80<a href=\"new/dir/x%EF%BF%BD\">\xe2\x82</p>\0<a href='new/dir/y'>"
    assert rewrite_document(content, URL, LinkRenaming(new_name), kind=DocumentKind.HTML, charset="utf-8") == expected


def test_what_a_new_name_has_is_spelled_for_its_place() -> None:
    def awkward(link: Link) -> str:
        return "a\"b'c&d<e)f ö"

    renaming = LinkRenaming(awkward)
    source = "<a href=x><a href='x'><p style='b:url(x)'><style>a{b:url(\"x\")}</style><script>f('/x/y.html')</script>"
    text = rewrite_document(source.encode(), URL, renaming, kind=DocumentKind.HTML).decode()
    assert text == (
        "<a href=\"a&quot;b'c&amp;d&lt;e)f &#246;\"><a href='a\"b&#39;c&amp;d&lt;e)f &#246;'>"
        "<p style='b:url(a\\\"b\\&#39;c&amp;d\\3c e\\)f\\20 \\f6 )'>"
        '<style>a{b:url("a\\"b\\\'c&d\\3c e)f \\f6 ")}</style>'
        "<script>f('a\"b\\'c&d<e)f \\u00f6')</script>"
    )


def test_a_script_cannot_be_ended_by_a_new_name() -> None:
    renaming = LinkRenaming(lambda link: "</script><!--")
    text = rewrite_document(b"<script>f('/x/y.html')</script>", URL, renaming, kind=DocumentKind.HTML)
    assert text == b"<script>f('<\\/script><\\!--')</script>"


def test_a_base_counts_and_is_lifted_or_renamed() -> None:
    source = '<base href="/other/" target=t><a href=x><a href="#f">'
    assert page(source) == '<base href="new/other/" target=t><a href="new/other/x"><a href="new/other/#f">'
    lifted = '<base data-lifted-href="/other/" target=t><a href="new/other/x"><a href="new/other/#f">'
    assert page(source, HtmlEdits(lift_base=True)) == lifted


@pytest.mark.parametrize("source", LIFTS)
def test_what_would_hinder_is_lifted_and_not_lost(source: str) -> None:
    edits = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True)
    assert page(source, edits).replace('data-lifted-href="new/x.example"', "") == LIFTS[source]
    only_hosts = LinkRenaming(lambda link: None, named_hosts_only=True)
    found = rewrite_document(source.encode(), URL, only_hosts, kind=DocumentKind.HTML, edits=edits).decode()
    assert found == LIFTS[source].replace('"new/dir/a.js"', "a.js")


@pytest.mark.parametrize("source", HEADS)
def test_the_head_begins_behind_its_document_type(source: str) -> None:
    place = head_position(source)
    assert source[:place] + "|" + source[place:] == HEADS[source]


def test_documents_within_the_page_get_the_head_too() -> None:
    found = page('<head><iframe srcdoc="<p>x"></iframe>', HtmlEdits(head="<i>"))
    assert found == '<head><i><iframe srcdoc="&lt;i>&lt;p>x"></iframe>'


def test_only_references_that_name_a_host_change_where_paths_stay_true() -> None:
    source = (
        '<a href=/a><a href="//b.example/"><a href="https://site.example/c">'
        '<a href=" HTTP://d.example"><a href="\\\\e.example">'
        '<img data-src="https://f.example/" srcset="https://g.example/ 1x, /h 2x">'
        '<script>f("https://i.example/")</script>'
        '<script type=module>import "https://j.example/x.js"</script><form method=post action="https://k.example/">'
    )
    seen: list[str] = []
    renaming = LinkRenaming(
        lambda link: seen.append(link.url), named_hosts_only=True, scripts=ScriptRenaming.CERTAIN, data=False
    )
    rewrite_document(source.encode(), URL, renaming, kind=DocumentKind.HTML)
    assert sorted(url.partition("//")[2] for url in seen) == [
        "b.example/", "d.example/", "e.example/", "g.example/", "j.example/x.js", "k.example/", "site.example/c",
    ]  # fmt: skip


def test_of_a_very_long_page_the_beginning_is_rewritten() -> None:
    start, rest = b"<p><a href=x>" + b"y" * 100 + b"\n", (b"z" * 1000 + b"\n") * 34_000
    content = start + rest + b"<a href=x>"
    assert len(content) > MAX_REWRITTEN_BYTES
    found = rewrite_document(content, URL, LinkRenaming(new_name), kind=DocumentKind.HTML, charset="utf-8")
    assert found == start.replace(b"x", b'"new/dir/x"') + rest + b"<a href=x>"


@pytest.mark.parametrize(
    "hostile",
    ["<a " * 100_000, "<!--" * 200_000, "<a href='" * 100_000, "<div>" * 200_000, "<script>" * 100_000,
     "<!-- <a -->" * 50_000, "<a href=x>" * 30_000, "<b><p>" * 3_000, "<svg><style>" * 20_000,
     "<iframe srcdoc='" * 50_000, "<!---->" * 200_000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_pages_are_rewritten_in_their_time(hostile: str) -> None:
    content = hostile.encode()
    found = rewrite_document(
        content, URL, LinkRenaming(new_name), kind=DocumentKind.HTML, edits=HtmlEdits(head="<i>", wrap_location=True)
    )
    assert b"<i>" in found
