"""Ranges of bytes that clients ask for (RFC 9110, section 14)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SINGLE_RANGE = re.compile(r"\s*bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """From the first byte to the last, both wanted."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many bytes that is."""
        return self.last - self.first + 1

    def content_range(self, whole: int) -> str:
        """What the answer says of itself."""
        return f"bytes {self.first}-{self.last}/{whole}"


class UnsatisfiableRangeError(Exception):
    """No byte that is there is asked for; the answer is 416."""


def parse_range(field: str, whole: int) -> ByteRange | None:
    """The one range that is asked for; None where all is to be sent: no range, several, or none that makes sense."""
    match = _SINGLE_RANGE.fullmatch(field)
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        length = min(int(match[2]), whole)
        if length == 0:
            raise UnsatisfiableRangeError
        return ByteRange(whole - length, whole - 1)
    first = int(match[1])
    last = min(int(match[2]), whole - 1) if match[2] else whole - 1
    if match[2] and int(match[2]) < first:
        return None
    if first >= whole:
        raise UnsatisfiableRangeError
    return ByteRange(first, last)
