"""The chunked transfer coding, undone for reading: extensions and trailers passed over; broken, missing or truncated
framing survived and reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

FlawCallback = Callable[[str, str], None]
"""Takes the code and the message of a flaw."""

_MAX_LINE_BYTES = 16 * 1024
"""A longer line is no size of a chunk, whatever extensions it has."""
_PARTIAL_SIZE = re.compile(rb"[ \t]*[0-9A-Fa-f]{0,16}[ \t]*(?:;[^\n]*)?\r?")
_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")


def decode_chunked(chunks: Iterable[bytes], on_flaw: FlawCallback) -> Iterator[bytes]:
    """The body inside the chunks; bytes that are not chunked after all come out as they are."""
    feed = _ByteFeed(chunks)
    size = _take_size(feed)
    if size is None:
        if not feed.is_at_end:
            on_flaw("chunks-missing", "body is not chunked though its header says so; taken as it is")
        yield from feed.rest()
        return
    while size:
        yield from feed.take(size)
        if feed.is_at_end or not feed.skip_line_end():
            break
        size = _take_size(feed)
    yield from _read_ending(feed, size, on_flaw)


def _read_ending(feed: _ByteFeed, size: int | None, on_flaw: FlawCallback) -> Iterator[bytes]:
    if size == 0:
        _skip_trailers(feed)
        if not feed.is_at_end:
            on_flaw("bytes-after-body", "bytes follow the last chunk; left out")
    elif _PARTIAL_SIZE.fullmatch(feed.peek_line()):
        on_flaw("chunks-truncated", "body ends before its last chunk")
    else:
        on_flaw("chunks-broken", "chunk framing breaks off; the rest is taken as it is")
        yield from feed.rest()


def _take_size(feed: _ByteFeed) -> int | None:
    match = _SIZE.fullmatch(feed.peek_line())
    if match is None:
        return None
    feed.skip(match.end())
    return int(match[1], 16)


def _skip_trailers(feed: _ByteFeed) -> None:
    while (line := feed.peek_line()).endswith(b"\n"):
        feed.skip(len(line))
        if not line.strip(b"\r\n"):
            return


class _ByteFeed:
    """Bytes of an iterable, taken by lines and by counts, held no longer than needed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._data = b""
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        """Whether all bytes were taken."""
        return self._at >= len(self._data) and not self._load_more()

    def _load_more(self) -> bool:
        for chunk in self._chunks:
            if chunk:
                self._data = self._data[self._at :] + chunk
                self._at = 0
                return True
        return False

    def peek_line(self) -> bytes:
        """The next line with its end; without one where the bytes or the patience run out first."""
        while True:
            end = self._data.find(b"\n", self._at, self._at + _MAX_LINE_BYTES)
            if end >= 0:
                return self._data[self._at : end + 1]
            if len(self._data) - self._at >= _MAX_LINE_BYTES or not self._load_more():
                return self._data[self._at : self._at + _MAX_LINE_BYTES]

    def skip(self, count: int) -> None:
        """Pass over bytes that were peeked at."""
        self._at += count

    def skip_line_end(self) -> bool:
        """Pass over a line end, if the next bytes are one."""
        line = self.peek_line()
        found = line in (b"\r\n", b"\n")
        if found:
            self._at += len(line)
        return found

    def take(self, count: int) -> Iterator[bytes]:
        """The next bytes, so many or what there is."""
        while count and not self.is_at_end:
            piece = self._data[self._at : self._at + count]
            self._at += len(piece)
            count -= len(piece)
            yield piece

    def rest(self) -> Iterator[bytes]:
        """All that is left."""
        if self._at < len(self._data):
            yield self._data[self._at :]
            self._at = len(self._data)
        yield from self._chunks
