"""Classic CDX files: a legend line (" CDX N b a m s k r M S V g") names the columns by letters; what each letter means,
and what columns mean in files without a legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NAMES_BY_LETTER = {
    "N": "urlkey",
    "A": "urlkey",
    "b": "timestamp",
    "a": "url",
    "m": "mime",
    "s": "status",
    "k": "digest",
    "r": "redirect",
    "M": "meta",
    "S": "length",
    "V": "offset",
    "v": "offset",
    "g": "filename",
}
_LEGENDS_BY_COUNT = {11: "N b a m s k r M S V g", 10: "N b a m s k r M V g", 9: "N b a m s k r V g", 7: "N b a m s k S"}


@dataclass(frozen=True, slots=True)
class CdxLegend:
    """The letters of a file's columns, in order."""

    letters: tuple[str, ...]

    def name_columns(self, columns: Sequence[str]) -> dict[str, str] | None:
        """The columns of one line under the names CDXJ has for them; None where their number is wrong."""
        if not self.letters or len(columns) != len(self.letters):
            return None
        return {_NAMES_BY_LETTER.get(letter, letter): text for letter, text in zip(self.letters, columns, strict=True)}


def parse_legend(line: bytes) -> CdxLegend | None:
    """Read a line like ` CDX N b a m s k r M S V g`; None where it is none."""
    name, *letters = line.decode("latin-1").split() or [""]
    if name != "CDX" or not letters or any(len(letter) != 1 for letter in letters):
        return None
    return CdxLegend(tuple(letters))


def guess_legend(count: int) -> CdxLegend:
    """What so many columns mean in files and server answers that come without a legend."""
    return CdxLegend(tuple(_LEGENDS_BY_COUNT.get(count, "").split()))
