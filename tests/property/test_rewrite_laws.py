"""Laws of rewriting: nothing changes without a new name, links found afterwards are the new names, nothing raises."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings, strategies as st

from webkeep.extract import DocumentKind, extract_links
from webkeep.extract.links import Link, LinkBase, LinkRole
from webkeep.model import Headers
from webkeep.replay.shim.replay_host import ReplayHost, ReplayNaming
from webkeep.rewrite import HtmlEdits, LinkRenaming, ScriptRenaming, rewrite_document, rewrite_field
from webkeep.rewrite.html_rewrite import rewrite_page
from webkeep.rewrite.link_renaming import ReferenceRenamer
from webkeep.rewrite.script_wrapper import wrap_script
from webkeep.rewrite.text_carrier import TextCarrier
from webkeep.rewrite.text_edits import NormalisedLines, TextEdit
from webkeep.url import normalize_url

SITE = Path(__file__).parents[1] / "sites/constructs"
ROWS = json.loads((SITE / "constructs.json").read_text())
URL = "https://e.example/a/b.html"
SIGNS = ["<", ">", '"', "'", "(", ")", "/*", "*/", "//", "`", "${", "}", "{", "\\", "url(", "@import", "&#x;", "\0",
         "]]>", "<!--", "-->", "<![CDATA[", "<?", "é", "\N{GRINNING FACE}", "data:text/html,", "javascript:", "%", "=",
         ",", " ", "\n", "\r", "\r\n", "<a href=", "<script>", "</script>", "<style>", "<base href=", "<svg>", "src=",
         "<iframe srcdoc=", "location", "import(", ".", "http://x.example/", "/y.html", "<img ", "integrity=",
         "<link rel=preconnect "]  # fmt: skip
EDITS = HtmlEdits("<i>", True, True, True, True, True, True)
KINDS = st.sampled_from(list(DocumentKind))
TEXTS = st.lists(st.sampled_from(SIGNS) | st.text(max_size=4), max_size=30).map("".join)
CONTENTS = st.binary(max_size=200) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
CHARSETS = st.sampled_from(["", "utf-8", "utf-16le", "windows-1252", "shift_jis", "gb18030", "iso-2022-jp", "nonsense"])


def new_name(link: Link) -> str:
    return link.url.replace("://", "://in.", 1)


@settings(max_examples=500)
@given(KINDS, CONTENTS, CHARSETS)
def test_without_new_names_a_document_stays_byte_for_byte(kind: DocumentKind, content: bytes, charset: str) -> None:
    for renaming in (
        LinkRenaming(lambda link: None),
        LinkRenaming(lambda link: None, True, ScriptRenaming.CERTAIN, False),
    ):
        assert rewrite_document(content, URL, renaming, kind=kind, charset=charset) == content


@settings(max_examples=500)
@given(KINDS, CONTENTS, CHARSETS)
def test_bytes_of_any_kind_are_rewritten_without_a_word(kind: DocumentKind, content: bytes, charset: str) -> None:
    rewrite_document(content, URL, LinkRenaming(new_name), kind=kind, charset=charset, edits=EDITS)
    rewrite_document(content, URL, LinkRenaming(lambda link: content.decode("latin-1")), kind=kind, edits=EDITS)


@settings(max_examples=300)
@given(st.sampled_from(["Link", "Location", "Refresh", "URI", "Speculation-Rules", "X-Other"]), st.text(max_size=60))
def test_fields_stay_on_their_line(name: str, value: str) -> None:
    line = value.replace("\r", "").replace("\n", "")
    assert rewrite_field(name, line, URL, LinkRenaming(lambda link: None)) == line
    found = rewrite_field(name, line, URL, LinkRenaming(lambda link: "a\r\nb"))
    assert "\n" not in found
    assert "\r" not in found


HOSTS = st.sampled_from(["a.example", "b.example", "e.example"])
PATHS = st.text(st.sampled_from("abc./-_~%20"), min_size=1, max_size=12).map(lambda text: text.replace("..", "."))
ADDRESSES = st.one_of(
    st.builds("https://{}/{}".format, HOSTS, PATHS),
    st.builds("//{}/{}".format, HOSTS, PATHS),
    st.builds("/{}x".format, PATHS),
)
PLACES = st.sampled_from([
    '<a href="{}">x</a>', "<a class=c href='{}'>", "<img src={} alt=é>", '<img srcset="{} 2x, /z.png 3x">',
    '<p style="color:red;background:url(\'{}\')">', "<style>p{{background:url({})}}</style>", '<form action="{}">',
    '<link rel=stylesheet href="{}">', '<video poster="{}"><source src="/v.mp4"></video>', "<script src='{}'></script>",
    '<meta http-equiv=refresh content="1;url={}">', '<iframe srcdoc="<img src=\'{}\'>"></iframe>',
    "<svg><image href='{}'/></svg>", "<noscript><img src='{}'></noscript>", "<template><a href='{}'></template>",
    "<table><a href='{}'>", "<b><p><a href='{}'></b>",
])  # fmt: skip
FILLS = st.sampled_from(["", "\n", "\r\n", "é", "text <b>bold</b>", "<p>", "</div>", "<!-- c -->", "&amp;"])
PAGES = st.lists(st.tuples(PLACES, ADDRESSES, FILLS), max_size=8).map(
    lambda parts: "".join(place.format(address) + fill for place, address, fill in parts)
)


def links(text: str) -> set[tuple[str, LinkRole]]:
    headers = Headers((("Content-Type", "text/html; charset=utf-8"),))
    return {(link.url, link.role) for link in extract_links(URL, headers, text.encode()) if link.source != "html text"}


@settings(max_examples=300)
@given(PAGES)
def test_links_found_afterwards_are_the_new_names(text: str) -> None:
    found = rewrite_document(
        text.encode(), URL, LinkRenaming(new_name), kind=DocumentKind.HTML, charset="utf-8"
    ).decode()
    expected = {(normalize_url(new_name(Link(url, role, ""))), role) for url, role in links(text)}
    assume(all(url for url, _ in expected))  # numbers are hosts, but not behind a name
    assert links(found) == expected


@settings(max_examples=200)
@given(PAGES)
def test_a_page_of_any_size_is_rewritten_alike(text: str) -> None:
    assume(text.count("<form") < 2)  # a tree leaves out forms within forms
    renaming = LinkRenaming(new_name)
    tree, stream = (
        rewrite_page(text, ReferenceRenamer(renaming, LinkBase(URL)), renaming, HtmlEdits(), limit)
        for limit in (1 << 20, -1)
    )
    assert tree == stream


@settings(max_examples=300)
@given(st.binary(max_size=60), CHARSETS)
def test_a_carrier_brings_every_byte_back(content: bytes, charset: str) -> None:
    carrier = TextCarrier.from_bytes(content, charset)
    assert carrier is None or carrier.to_bytes(carrier.text) == content


@given(st.text(st.sampled_from("ab\r\n"), max_size=20), st.data())
def test_places_on_lines_are_places_in_the_text(text: str, data: st.DataObject) -> None:
    lines = NormalisedLines(text)
    start = data.draw(st.integers(0, len(lines.text)))
    end = data.draw(st.integers(start, len(lines.text)))
    (edit,) = lines.original_edits([TextEdit(start, end, "")])
    assert NormalisedLines(text[: edit.start]).text == lines.text[:start]
    assert NormalisedLines(text[edit.end :]).text == lines.text[end:]


@settings(max_examples=500)
@given(TEXTS)
def test_wrapping_a_script_only_puts_names_in(text: str) -> None:
    edits = [(text[edit.start : edit.end], edit.text) for edit in wrap_script(text)]
    put_in = {":webkeep_location$", "...webkeep_message$(", "webkeep_module$(", "webkeep_frame$(", ")"}
    assert {new for old, new in edits if old == ""} <= put_in
    assert {each for each in edits if each[0] != ""} <= {("location", "webkeep_location$")}


LABELLED = st.from_regex(r"https?://[a-z0-9]([a-z0-9._-]{0,70})(:[1-9][0-9]{0,3})?/", fullmatch=True)


@settings(max_examples=300)
@given(LABELLED, st.booleans(), st.none() | st.integers(0, 99999))
def test_every_origin_has_one_label_and_no_other_origin_has_it(text: str, clock: bool, days: int | None) -> None:
    url = normalize_url(text)
    if url is None:
        return
    naming = ReplayNaming("http://localhost:8080", "20240301120000", clock, days)
    address = naming.replay_url(url)
    assert address is not None
    label = address.removeprefix("http://").partition(".localhost:8080")[0]
    host = ReplayHost.parse(label)
    assert len(label) <= 63
    assert host is not None
    assert host.label == label
    assert host.origin_hash or naming.archived_url(address) == url


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_construct_cut_or_spoilt_anywhere_raises_nothing(row: dict[str, str]) -> None:
    content = (SITE / "files" / row["file"]).read_bytes()
    step = max(1, len(content) // 8)
    for at in range(0, len(content), step):
        for spoilt in (content[:at], content[:at] + b"\xff\0\"'<" + content[at + 1 :]):
            kind = row["type"].partition(";")[0]
            rewrite_document(spoilt, URL, LinkRenaming(new_name), media_type=kind, edits=EDITS)
            assert rewrite_document(spoilt, URL, LinkRenaming(lambda link: None), media_type=kind) == spoilt
