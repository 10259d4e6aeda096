"""Single byte ranges (RFC 9110, section 14)."""

from __future__ import annotations

import re

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})$")
BEYOND = slice(0, 0)
"""The answer to a range that lies wholly beyond the body."""


def single_range(text: str, size: int) -> slice | None:
    """The part of a body a Range field asks for; None where the field is absent, odd or asks for several parts."""
    match = _RANGE.match(text.replace(" ", ""))
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match.groups()
    if not first:
        return slice(max(0, size - int(last)), size) if int(last) and size else BEYOND
    if last and int(last) < int(first):
        return None
    end = min(size, int(last) + 1) if last else size
    return slice(int(first), end) if int(first) < size else BEYOND


def content_range(part: slice, size: int) -> str:
    """The Content-Range field that goes with the part."""
    return f"bytes */{size}" if part is BEYOND else f"bytes {part.start}-{part.stop - 1}/{size}"
