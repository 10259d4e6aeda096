"""What docstrings, comments and documents name in backticks is there: in the code, among files, or in some standard."""

import re
from pathlib import Path

import pytest
from named_things import (
    DOCUMENTS,
    ROOT,
    defined_anywhere,
    is_known,
    names_in,
    sources,
    unknown_names,
    words_anywhere,
)


def test_what_docstrings_and_comments_name_is_there() -> None:
    assert [f"{each.path.relative_to(ROOT)}: {name}" for each in sources() for name in unknown_names(each)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_documents_name_is_there(document: Path) -> None:
    known = (defined_anywhere(), words_anywhere())
    assert [name for name in names_in(document.read_text()) if not is_known(name, known)] == []


def test_the_classes_of_the_glossary_are_in_the_code() -> None:
    named = re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", (ROOT / "docs/glossary.md").read_text())
    classes = {name for each in sources() if each.room for name in each.defined}
    assert len(named) > 15
    assert [name for name in named if name not in classes] == []


def test_a_word_stands_in_the_glossary_once() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\*", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    words = [word for row in rows for word in row.split(", ")]
    assert sorted(set(words)) == sorted(words)
