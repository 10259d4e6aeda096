"""One of each: pages, drawings, numbers and dates for people are made in `presentation`, and nowhere else."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from package_syntax import files, strings_of
from structure import PACKAGE, Module

ARCHIVED_MARKUP = {
    "browser/dom/dom_markup.py": "the document of a page as Chromium has it",
    "redaction/formats/xml_text.py": "archived XML, with what is secret left out",
    "mirror/rendering/script_responses.py": "data for the shim, within a copied page",
    "replay/shim/scripts.py": "the shim's own element, within an archived page",
}
SITES_TO_BE_ARCHIVED = {
    "lab/recovery/simulation/site_content.py": "pages of simulated lost sites",
}
DATA = {
    "mirror/output/copy_versions.py": "the names of folders",
    "recover/report/recovery_counts.py": "years that are counted by",
}


def sources() -> Iterator[tuple[str, Module]]:
    for name, module in files().items():
        if not name.startswith(("presentation/", "lab/demo/")):  # the demo is a site, with a look of its own
            yield name, module


@pytest.mark.parametrize(
    ("written", "apart"),
    [
        (r"^\s*<!doctype html", ARCHIVED_MARKUP | SITES_TO_BE_ARCHIVED),
        (r"<svg |<svg>", {}),
        (r"</(table|tr|td|li|dl|figure|h[1-6])>", SITES_TO_BE_ARCHIVED),
        (r"prefers-color-scheme|font-family|max-width:", {}),
        (r"\b(KB|KiB|MiB)$|^(kB|MB|GB)$", {"url/scope/rule_syntax.py": "sizes as people write them"}),
    ],
    ids=["documents", "drawings", "elements", "style", "units"],
)
def test_pages_drawings_and_units_are_made_in_one_place(written: str, apart: dict[str, str]) -> None:
    pattern = re.compile(written, re.IGNORECASE if "doctype" in written else 0)
    found = {name for name, module in sources() if any(pattern.search(text) for _, text in strings_of(module))}
    assert found <= set(apart)


def test_text_becomes_markup_in_one_place() -> None:
    pattern = re.compile(r"\bhtml\.escape\(|^from html import .*\bescape\b", re.MULTILINE)
    found = {name for name, module in sources() if pattern.search(module.path.read_text())}
    assert found <= set(ARCHIVED_MARKUP)


def test_dates_for_people_are_spelled_in_one_place() -> None:
    pattern = re.compile(r"\.iso\(\)\[|\bstrftime\(")
    found = {name for name, module in sources() if pattern.search(module.path.read_text())}
    simulated = {"lab/recovery/simulation/simulated_repository.py"}  # HTTP dates that a simulated server sends
    assert found <= {*DATA, *simulated}


def test_style_sheets_are_in_one_folder() -> None:
    sheets = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.css")}
    assert sheets == {"presentation/pages/style", "lab/demo/assets"}


def test_no_two_files_of_tests_share_a_name() -> None:
    """Pytest takes a module by its name alone, so the second of two could not be run beside the first."""
    names = Counter(path.name for path in Path(__file__).parents[1].rglob("*.py") if path.name != "conftest.py")
    assert [name for name, count in names.items() if count > 1] == []
