"""Lines out of streams of bytes, of a bounded length; longer ones are reported (line-too-long) and passed over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.formats.flaws import Flaws


def read_bounded_lines(chunks: Iterable[bytes], longest: int, source: str, flaws: Flaws) -> Iterator[tuple[int, bytes]]:
    """Each line without its end and the offset where it begins; longer ones are reported and passed over."""
    line = _GrowingLine(0, longest)
    for chunk in chunks:
        *ended, begun = chunk.split(b"\n")
        for piece in ended:
            line.grow(piece)
            if line.check_length(source, flaws):
                yield line.start, b"".join(line.parts)
            line = _GrowingLine(line.start + line.size + 1, longest)
        line.grow(begun)
    if line.size and line.check_length(source, flaws):
        yield line.start, b"".join(line.parts)


class _GrowingLine:
    """A line as it grows."""

    __slots__ = ("longest", "parts", "size", "start")

    def __init__(self, start: int, longest: int) -> None:
        self.start = start
        self.longest = longest
        self.size = 0
        self.parts: list[bytes] = []

    def grow(self, piece: bytes) -> None:
        """Take more of the line; none of it is kept once it is too long."""
        self.size += len(piece)
        if self.size <= self.longest:
            self.parts.append(piece)
        else:
            self.parts.clear()

    def check_length(self, source: str, flaws: Flaws) -> bool:
        """Whether all of it is there."""
        if self.size > self.longest:
            message = f"line of {self.size} bytes is longer than the {self.longest} that are read; passed over"
            flaws.report("line-too-long", source, self.start, message)
        return self.size <= self.longest
