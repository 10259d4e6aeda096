"""Texts that many rows share, by numbers: hosts and reasons."""

from __future__ import annotations

from webkeep.frontier.lately import Lately
from webkeep.store.job_database import JobDatabase

SCHEMA = "CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;"

_REMEMBERED = 20_000


class Texts:
    """Gives each text a number; the empty one has 0."""

    def __init__(self, database: JobDatabase) -> None:
        self._database = database
        self._numbers: Lately[str, int] = Lately(_REMEMBERED)
        self._texts: Lately[int, str] = Lately(_REMEMBERED)

    def number(self, text: str) -> int:
        """The number of a text, which is entered if it is new."""
        if not text:
            return 0
        number = self._numbers.get(text)
        if number is None:
            number = self.known(text)
            if not number:
                self._database.write("INSERT INTO text (text) VALUES (?)", (text,))
                number = self.known(text)
            self._numbers[text] = number
        return number

    def known(self, text: str) -> int:
        """The number of a text, or 0 where it has none."""
        rows = self._database.rows("SELECT id FROM text WHERE text = ?", (text,))
        return int(rows[0][0] or 0) if rows else 0

    def text(self, number: int) -> str:
        """The text of a number."""
        if not number:
            return ""
        text = self._texts.get(number)
        if text is None:
            rows = self._database.rows("SELECT text FROM text WHERE id = ?", (number,))
            text = str(rows[0][0]) if rows else ""
            self._texts[number] = text
        return text
