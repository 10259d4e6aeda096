"""The heads that most messages and records have: every line is `Name: value`, with nothing to be stripped or mended."""

from __future__ import annotations

from webkeep.model import Headers


def plain_head(text: str) -> tuple[str, Headers] | None:
    """The first line and the fields of a head that ends with an empty line; None where it must be read with care."""
    lines = text.split("\r\n")
    if text.count("\n") >= len(lines):
        return None
    headers = Headers.plain(lines[1:-2])
    return None if headers is None else (lines[0], headers)
