"""Bodies out of streams: little in memory, much in an unnamed file; without their transfer coding, as content, or as a
stream that can be read from any place.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from webkeep.fetch.client import SpoolSink
from webkeep.formats.codings import FlawCallback, decode_body
from webkeep.model import Body, Headers


def spool_body(chunks: Iterable[bytes], folder: Path, most: int = 0) -> Body:
    """The bytes as a body; so many at most, if that is not zero."""
    sink = SpoolSink(folder)
    try:
        for chunk in chunks:
            sink.write(chunk[: most - sink.size] if most else chunk)
            if most and sink.size >= most:
                break
        return sink.take_body()
    except BaseException:
        sink.discard()
        raise


def undo_transfer_coding(headers: Headers, body: Body, folder: Path) -> Body:
    """A body without its transfer coding; the content coding stays."""
    if "transfer-encoding" not in headers:
        return body
    transfer = Headers((("Transfer-Encoding", headers.get("transfer-encoding")),))
    return spool_body(decode_body(transfer, body.chunks()), folder)


def decode_content(headers: Headers, body: Body, on_flaw: FlawCallback | None = None) -> Iterator[bytes]:
    """A body's content, without any coding; `on_flaw` is told the code and message of every flaw."""
    return decode_body(headers, body.chunks(), on_flaw=on_flaw)


def content_start(headers: Headers, body: Body, size: int) -> bytes:
    """The first bytes of a body's content, so many at most."""
    return b"".join(decode_body(headers, body.chunks(), size))


class _BodyStream(io.RawIOBase):
    """A body as a stream that can be read from any place."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._at = 0
        self._chunks: Iterator[bytes] = body.chunks()
        self._held = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._body.size}[whence]
        target = max(start + offset, 0)
        if target != self._at:
            self._at, self._held, self._chunks = target, b"", self._body.chunks(target)
        return target

    def tell(self) -> int:
        """Where it is."""
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes."""
        while not self._held:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._held = chunk
        piece, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def open_stream(body: Body) -> BinaryIO:
    """A body as a stream, for readers that want one."""
    return cast("BinaryIO", io.BufferedReader(_BodyStream(body)))
