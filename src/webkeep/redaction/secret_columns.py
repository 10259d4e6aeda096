"""Tables of a database dump that have a column of passwords, and rows: what is in them shows by no shape of its own."""

from __future__ import annotations

import re

from webkeep.redaction.names.credential_names import secrecy_of

_TYPES = r"(?:var)?char|text|character|n?varchar2?|(?:var)?binary|bytea|(?:tiny|medium|long)?(?:text|blob)|string|clob"
_DECLARED = re.compile(rf"(?:^\s*|[(,]\s*)[`\"\[]?([A-Za-z_]\w{{0,60}})[`\"\]]?\s+(?:{_TYPES})\b", re.IGNORECASE)
_ROWS = re.compile(
    r"\s*(?:INSERT\s+(?:\w+\s+){0,2}INTO|REPLACE\s+INTO|COPY)\s+[^\s(]{1,130}\s*(?:\(([^()]{1,4000})\))?",
    re.IGNORECASE,
)
"""What begins a line with rows of a table, and its columns where they are named."""
_NAME = re.compile(r"\w+")
_STORED_AS = re.compile(r"pass|pw|secret|token|hash", re.IGNORECASE)
"""In names of columns that hold what lets someone in; others on the list of credentials are of forms and URLs."""
_SQLITE_START = "SQLite format 3"
_HINT = re.compile(rb"(?i:into|copy|char|text|blob|binary|bytea|clob|string)|SQLite format 3")


class SecretColumns:
    """Looks through the lines of a file for them."""

    def __init__(self) -> None:
        self._declared = 0
        self._is_sqlite = False

    def look_at(self, number: int, line: bytes) -> int:
        """Take in a line; the number of the line that names such a column, once there are rows; else 0."""
        if _HINT.search(line) is None:
            return 0
        text = line.decode("utf-8", "replace")
        self._is_sqlite = self._is_sqlite or text.startswith(_SQLITE_START)
        if not self._declared and any(_is_stored(name) for name in _DECLARED.findall(text)):
            self._declared = number
        rows = _ROWS.match(text)
        if rows is not None and rows[1] and any(_is_stored(name) for name in _NAME.findall(rows[1])):
            return number
        return self._declared if rows is not None or self._is_sqlite else 0


def _is_stored(name: str) -> bool:
    return _STORED_AS.search(name) is not None and secrecy_of(name) is not None
