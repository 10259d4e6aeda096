"""Every construct of the table gives the links it must give, and no others."""

import doctest
import runpy
from pathlib import Path
from typing import Any

import pytest

from webkeep.document import read_tree_parts
from webkeep.document.html_parts import read_streamed_parts
from webkeep.extract import extract_links
from webkeep.extract.html import attribute_rules, tag_references
from webkeep.extract.html.html_links import html_references
from webkeep.extract.link_resolution import resolve_references
from webkeep.extract.links import NO_PLACE, WHOLE_VALUE, LinkBase
from webkeep.model import Headers

SITE = Path(__file__).parents[2] / "sites/constructs"
TABLE = runpy.run_path(str(SITE / "table.py"))
ROWS: list[dict[str, Any]] = TABLE["rows"]()


def address(row: dict[str, Any]) -> str:
    return str(row.get("url", f"https://site.example/dir/{row['file']}"))


def found(row: dict[str, Any]) -> list[list[Any]]:
    content_type = [("Content-Type", row["type"])] if row["type"] else []
    headers = Headers(tuple(content_type + [tuple(field) for field in row.get("headers", [])]))
    content = (SITE / "files" / row["file"]).read_bytes()
    links = extract_links(address(row), headers, content, page=row.get("page", ""))
    return [[link.url, link.role.value, link.source, link.guess] for link in links]


def by_text(links: list[list[Any]]) -> list[list[Any]]:
    return sorted(links, key=str)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_construct_gives_its_links_and_no_others(row: dict[str, Any]) -> None:
    assert by_text(found(row)) == by_text(row["links"])


STREAMED = [
    row for row in ROWS if row["type"] == "text/html" and row["file"].endswith(".html") and "tree_only" not in row
]
TEXTS = [row for row in STREAMED if row["name"] not in {"utf-16", "png-as-html", "query-charset", "path-charset"}]


@pytest.mark.parametrize("row", TEXTS, ids=[row["name"] for row in TEXTS])
def test_pages_too_large_for_a_tree_give_the_same_links(row: dict[str, Any]) -> None:
    text = (SITE / "files" / row["file"]).read_bytes().decode()
    links = resolve_references(html_references(text, parts=read_streamed_parts), LinkBase(address(row)))
    streamed = [[link.url, link.role.value, link.source, link.guess] for link in links]
    assert by_text(streamed) == by_text(row["links"])


@pytest.mark.parametrize("row", TEXTS, ids=[row["name"] for row in TEXTS])
def test_what_stands_in_an_attribute_can_be_put_back_there(row: dict[str, Any]) -> None:
    text = (SITE / "files" / row["file"]).read_bytes().decode()
    for name, attributes, content, element in read_tree_parts(text, source_locations=True):
        if element is None:
            continue
        values = {key: value if isinstance(value, str) else " ".join(value) for key, value in attributes}
        for found in tag_references(name, attributes, content):
            if found.start == NO_PLACE:
                continue
            place = values[found.attribute] if found.attribute else content
            written = place if found.start == WHOLE_VALUE else place[found.start : found.end]
            assert written == found.text or "\\" in written
            if found.attribute:
                assert element.source_location is not None
                assert found.attribute in element.source_location.attrs


def test_there_are_enough_constructs_with_links_and_names_are_unique() -> None:
    assert sum(bool(row["links"]) for row in ROWS) >= 120
    assert len({row["name"] for row in ROWS}) == len(ROWS)


def test_every_file_is_in_the_table() -> None:
    assert {path.name for path in (SITE / "files").iterdir()} == {row["file"] for row in ROWS}


def test_the_guide_has_the_table() -> None:
    guide = TABLE["GUIDE"].read_text()
    assert TABLE["with_table"](guide) == guide, "run python tests/sites/constructs/table.py"


def test_the_examples_of_the_guide_hold() -> None:
    results = doctest.testfile(str(TABLE["GUIDE"]), module_relative=False)
    assert results.attempted
    assert not results.failed


def test_elements_that_are_in_no_table_share_their_rules_and_are_not_remembered() -> None:
    assert attribute_rules("x-one") is attribute_rules("x-two") is not attribute_rules("a")
    assert attribute_rules("a") is attribute_rules("a")
    rules = {tag: attribute_rules(tag)["href"] for tag in ("a", "image", "x-one")}
    assert [rule and rule.source for rule in rules.values()] == ["html a[href]", "html image[href]", ""]
