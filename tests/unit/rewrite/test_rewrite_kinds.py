"""Documents of every other kind, and header fields: links change where they stand, all else stays."""

import json
from pathlib import Path
from typing import Any

import pytest

from webkeep.extract import DocumentKind
from webkeep.extract.links import Link
from webkeep.rewrite import HtmlEdits, LinkRenaming, ScriptRenaming, can_rewrite, rewrite_document, rewrite_field

URL = "https://site.example/dir/thing"
ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data/rewrite/kinds.json").read_text())
FIELDS = json.loads((Path(__file__).parents[2] / "data/rewrite/fields.json").read_text())


def new_name(link: Link) -> str:
    return "new/" + link.url.partition("//")[2]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_links_change_where_they_stand(row: dict[str, Any]) -> None:
    content, expected = row["before"].encode(), row["after"].encode()
    assert rewrite_document(content, URL, LinkRenaming(new_name), kind=DocumentKind(row["kind"])) == expected
    assert rewrite_document(content, URL, LinkRenaming(lambda link: None), kind=DocumentKind(row["kind"])) == content


@pytest.mark.parametrize(("name", "before", "after"), FIELDS)
def test_links_of_fields_change(name: str, before: str, after: str) -> None:
    assert rewrite_field(name, before, URL, LinkRenaming(new_name)) == after
    assert rewrite_field(name, before, URL, LinkRenaming(lambda link: None)) == before


def test_a_new_name_cannot_split_a_field() -> None:
    value = rewrite_field("Location", "/x", URL, LinkRenaming(lambda link: "a\r\nSet-Cookie: b"))
    assert value == "a%0D%0ASet-Cookie:%20b"


def test_a_script_means_its_strings_relative_to_its_page() -> None:
    found = rewrite_document(
        b"load('img/a.png'); import './b.js'",
        "https://cdn.example/x/y.js",
        LinkRenaming(new_name),
        kind=DocumentKind.SCRIPT,
        page=URL,
    )
    assert found == b"load('new/site.example/dir/img/a.png'); import 'new/cdn.example/x/b.js'"


def test_data_is_left_to_scripts_where_these_are() -> None:
    renaming = LinkRenaming(new_name, named_hosts_only=True, scripts=ScriptRenaming.CERTAIN)
    assert not can_rewrite(DocumentKind.JSON, renaming)
    assert not can_rewrite(DocumentKind.OTHER, renaming)
    assert can_rewrite(DocumentKind.MANIFEST, renaming)
    assert can_rewrite(DocumentKind.JSON, LinkRenaming(new_name))
    content = b'{"a": "https://x.example/"}'
    assert rewrite_document(content, URL, renaming, kind=DocumentKind.JSON) == content
    assert not can_rewrite(DocumentKind.SCRIPT, LinkRenaming(new_name, scripts=ScriptRenaming.NONE))


def test_addresses_that_only_begin_others_change_where_a_host_is_all_that_changes() -> None:
    renaming = LinkRenaming(lambda link: link.url.replace("https://", "http://in."), named_hosts_only=True)
    content = b'{"imports": {"a/": "https://x.example/a/", "b": "./b.js"}, "scopes": {"https://y.example/": {}}}'
    expected = b'{"imports": {"a/": "http://in.x.example/a/", "b": "./b.js"}, "scopes": {"http://in.y.example/": {}}}'
    assert rewrite_document(content, URL, renaming, kind=DocumentKind.IMPORT_MAP) == expected
    template = b'<MPD><SegmentTemplate media="https://x.example/$Number%05d$.m4s"/></MPD>'
    changed = b'<MPD><SegmentTemplate media="http://in.x.example/$Number%05d$.m4s"/></MPD>'
    assert rewrite_document(template, URL, renaming, kind=DocumentKind.XML) == changed


def test_pages_in_xml_get_their_head() -> None:
    content = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head></html>"
    found = rewrite_document(
        content, URL, LinkRenaming(new_name), kind=DocumentKind.XML, edits=HtmlEdits(head="<script/>")
    )
    assert found == content.replace(b"<head>", b"<head><script/>")


@pytest.mark.parametrize("kind", list(DocumentKind))
@pytest.mark.parametrize(
    "hostile",
    ["<" * 200_000, "<a b='" * 50_000, '"' * 200_000, '"\\' * 100_000, "url(" * 100_000, "<![CDATA[" * 50_000,
     "<!" * 100_000, "\n" * 200_000, "`${" * 50_000, "/*" * 200_000, "@import " * 50_000, "[" * 100_000,
     "<script>" * 5_000, "&" * 200_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_documents_are_rewritten_in_their_time(kind: DocumentKind, hostile: str) -> None:
    rewrite_document(hostile.encode(), URL, LinkRenaming(new_name), kind=kind, edits=HtmlEdits(wrap_location=True))
