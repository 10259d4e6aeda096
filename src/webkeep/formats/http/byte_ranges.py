"""Ranges of bytes (RFC 9110, section 14): what clients ask for by Range, what servers send by Content-Range, and when
all is to be sent, as for several ranges, or nothing (416).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SINGLE_RANGE = re.compile(r"\s*bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)
_CONTENT_RANGE = re.compile(r"\s*bytes\s+([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)\s*", re.IGNORECASE)


class UnsatisfiableRangeError(Exception):
    """No byte that is there is asked for; the answer is 416."""


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


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """What a client asks for, who may not know how long the whole is: from where to where, or so many last bytes."""

    first: int | None
    """None where it is the last bytes that are asked for."""
    last: int | None
    """The last byte, None for all that follow; how many of the last bytes, where those are asked for."""

    def within(self, whole: int) -> ByteRange | None:
        """Which bytes of a body of this length those are; None where it makes no sense, and all is to be sent."""
        if self.first is None:
            length = min(self.last or 0, whole)
            if length == 0:
                raise UnsatisfiableRangeError
            return ByteRange(whole - length, whole - 1)
        if self.last is not None and self.last < self.first:
            return None
        if self.first >= whole:
            raise UnsatisfiableRangeError
        return ByteRange(self.first, whole - 1 if self.last is None else min(self.last, whole - 1))


@dataclass(frozen=True, slots=True)
class ContentRange:
    """Which bytes of a whole a part has, as its server says; some count one too many."""

    first: int
    last: int
    length: int | None
    """How long the whole is; None where the server does not say."""

    @property
    def is_whole(self) -> bool:
        """Whether the part is all there is."""
        return self.first == 0 and self.reaches_end

    @property
    def reaches_end(self) -> bool:
        """Whether the server says that nothing follows the part."""
        return self.length is not None and self.last + 1 >= self.length


def parse_requested_range(field: str) -> RequestedRange | None:
    """The one range that a Range field asks for; None where all is to be sent: no range, or several."""
    match = _SINGLE_RANGE.fullmatch(field)
    if match is None or not (match[1] or match[2]):
        return None
    return RequestedRange(int(match[1]) if match[1] else None, int(match[2]) if match[2] else None)


def parse_range(field: str, whole: int) -> ByteRange | None:
    """The one range that is asked for of a body of this length; None where all is to be sent."""
    asked = parse_requested_range(field)
    return asked.within(whole) if asked is not None else None


def parse_content_range(field: str) -> ContentRange | None:
    """What a Content-Range field says; None where there is none."""
    match = _CONTENT_RANGE.fullmatch(field)
    if match is None:
        return None
    first, last, length = int(match[1]), int(match[2]), None if match[3] == "*" else int(match[3])
    return ContentRange(first, last, length) if first <= last else None


def format_unsatisfied_range(whole: int) -> str:
    """The Content-Range of an answer to a range that lies beyond the body."""
    return f"bytes */{whole}"
