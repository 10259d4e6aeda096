"""How much may come out of how little: the bounds, by ratio and by size, on what the body of a message or a packed file
such as a WARC unpacks to (decompression bombs).

Six thousand bytes of brotli can stand for four billion. Whoever unpacks a body or a file goes by one of these limits,
so that what comes out is never more than some hundred times what went in; little is let through whatever its ratio.
Members of ZIP files, Flash and PDF have narrower bounds of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExpansionLimit:
    """How many bytes may come out of how many."""

    floor: int
    """So many may always come out."""
    ratio: int
    """Above that, so many for each byte that went in."""
    most: int
    """And never more than so many."""

    def max_output(self, read: int) -> int:
        """How many bytes may come out of so many."""
        return min(max(self.floor, self.ratio * read), self.most)


CODED_BODY_LIMIT = ExpansionLimit(32 << 20, 200, 64 << 30)
"""For the body of a message and its codings: pages come to 5 or 20 times their packed size, logs to 50."""
PACKED_FILE_LIMIT = ExpansionLimit(1 << 30, 1100, 1 << 40)
"""For files that are packed, as WARC files are: what deflate can do at best is in order, for zeros are data too."""


class ExpansionMeter:
    """Measures what goes in and what comes out of one unpacking, however many stages that has."""

    __slots__ = ("limit", "read")

    def __init__(self, limit: ExpansionLimit = CODED_BODY_LIMIT) -> None:
        self.limit = limit
        self.read = 0
        """Bytes that went in so far."""

    def count_input(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The packed bytes, counted as they go in."""
        for chunk in chunks:
            self.read += len(chunk)
            yield chunk

    def bound_output(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The unpacked bytes; raises ExpansionError in place of the first that are too many."""
        given = 0
        for piece in pieces:
            given += len(piece)
            if given > self.limit.floor and given > self.limit.max_output(self.read):
                raise ExpansionError(self.limit, self.read)
            yield piece


class ExpansionError(Exception):
    """More came out than is let through; whoever unpacks decides what becomes of the beginning."""

    def __init__(self, limit: ExpansionLimit, read: int) -> None:
        most = limit.max_output(read)
        super().__init__(f"unpacks to more than {most:,} bytes, which is too much for the {read:,} that it has")
