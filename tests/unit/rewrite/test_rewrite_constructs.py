"""What is found is what is renamed: over the table of constructs, links found after renaming are the links renamed."""

import json
from pathlib import Path
from typing import Any

import pytest

from webkeep.extract import extract_links
from webkeep.extract.links import Link
from webkeep.formats.http import declared_charset, declared_media_type
from webkeep.model import Headers
from webkeep.rewrite import LinkRenaming, rewrite_document, rewrite_field

SITE = Path(__file__).parents[2] / "sites/constructs"
ROWS: list[dict[str, Any]] = json.loads((SITE / "constructs.json").read_text())
LEFT = {
    "object-classid": "a Java class is named, not addressed",
    "applet-package": "a Java class is named, not addressed",
    "flashvars": "variables of a program that no browser runs",
    "data-url-html": "data addresses are left as they are",
    "data-url-css": "data addresses are left as they are",
    "alpine": "programs in a library's own language",
    "comment-text": "running text",
    "plain-text": "running text",
    "text-file": "running text",
    "markdown": "running text to browsers; scripts that make pages of it go by the page's address",
    "markdown-by-name": "running text to browsers; scripts that make pages of it go by the page's address",
    "frameset-behind-body": "no browser shows frames behind a body",
    "frameset-iframe": "no browser shows an iframe within a frameset",
    "processing-instruction": "a comment to every reader of HTML",
    "sitemap-gzip": "packed",
    "sitemap-text": "a list of addresses as they were",
    "robots": "rules about addresses as they were",
    "dash-template": "segments have no addresses of their own",
    "dash-timeline": "segments have no addresses of their own",
    "java-class": "binary",
    "flash": "binary",
    "flash-zlib": "binary",
    "flash-lzma": "binary",
    "pdf": "binary",
    "pdf-object-stream": "binary",
}
RUNNING_TEXT = {"html text", "xml text", "text"}
IDS = [row["name"] for row in ROWS]


def renamed(link: Link) -> str:
    return link.url.replace("://", "://in.", 1)


class Document:
    """A row of the table, as it is or rewritten."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.url = str(row.get("url", f"https://site.example/dir/{row['file']}"))
        self.page = str(row.get("page", ""))
        self.content = (SITE / "files" / row["file"]).read_bytes()
        self.fields = [("Content-Type", row["type"])] if row["type"] else []
        self.fields += [(name, value) for name, value in row.get("headers", [])]

    def rewritten(self, renaming: LinkRenaming) -> bytes:
        headers = Headers(tuple(self.fields))
        self.fields = [
            (name, value if name == "Content-Type" else rewrite_field(name, value, self.url, renaming))
            for name, value in self.fields
        ]
        return rewrite_document(
            self.content,
            self.url,
            renaming,
            media_type=declared_media_type(headers),
            charset=declared_charset(headers),
            page=self.page,
        )

    def links(self) -> list[Link]:
        found = extract_links(self.url, Headers(tuple(self.fields)), self.content, page=self.page)
        return [link for link in found if link.source not in RUNNING_TEXT]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_links_of_a_construct_are_renamed_where_they_stand(row: dict[str, Any]) -> None:
    document = Document(row)
    before = document.links()
    document.content = document.rewritten(LinkRenaming(renamed))
    after = {(link.url, link.role) for link in document.links()}
    expected = {(renamed(link), link.role) for link in before}
    assert (after == expected) is (row["name"] not in LEFT or not expected)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_construct_without_new_names_stays_byte_for_byte(row: dict[str, Any]) -> None:
    document = Document(row)
    fields = list(document.fields)
    assert document.rewritten(LinkRenaming(lambda link: None)) == document.content
    assert document.fields == fields


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_rewriting_twice_with_the_names_of_the_first_time_changes_nothing(row: dict[str, Any]) -> None:
    document = Document(row)
    new_names: set[str] = set()

    def once(link: Link) -> str | None:
        if link.url in new_names:
            return None
        new_names.add(renamed(link))
        return renamed(link)

    document.content = document.rewritten(LinkRenaming(once))
    assert document.rewritten(LinkRenaming(once)) == document.content


def test_every_exception_is_one() -> None:
    assert set(LEFT) <= set(IDS)
