"""What docstrings, comments and documents name in backticks is there: in the code, among files, or in some standard."""

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
    known = defined_anywhere() | words_anywhere()
    assert [name for name in names_in(document.read_text()) if not is_known(name, known)] == []
