"""Rows of a CDX answer: the fields of an index line by name (urlkey, timestamp, url, mime, status, …), in the spellings
of pywb and the Wayback Machine (original, statuscode).
"""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.formats.cdx import CdxLine

FIELD_NAMES = ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename")
"""The fields of a line in their established order."""

WAYBACK_NAMES: Mapping[str, str] = {"original": "url", "mimetype": "mime", "statuscode": "status"}
"""What the Wayback Machine's server calls them."""


class CdxRow:
    """One line; a field that it lacks is `-`, as in CDX files."""

    __slots__ = ("line", "values")

    def __init__(self, line: CdxLine) -> None:
        self.line = line
        self.values: dict[str, str] = {
            "urlkey": line.key,
            "timestamp": line.timestamp,
            **{name: str(value) for name, value in line.fields().items()},
        }

    def get(self, name: str) -> str:
        """A field by either of its names."""
        return self.values.get(WAYBACK_NAMES.get(name, name), "-")

    def __str__(self) -> str:
        return str(self.line)
