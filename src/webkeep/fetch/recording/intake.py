"""The body of a client's request, taken off the bytes that come."""

from __future__ import annotations

from webkeep.fetch.recording.client_chunks import ClientChunks
from webkeep.fetch.recording.upload import Upload


class Intake:
    """Feeds an upload until its end is found."""

    __slots__ = ("_chunks", "_left", "upload")

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self._left = upload.length or 0
        self._chunks = ClientChunks() if upload.length is None else None

    @property
    def is_broken(self) -> bool:
        """Whether the end can be found no more."""
        return self._chunks is not None and self._chunks.is_broken

    def take(self, data: bytes) -> bytes | None:
        """Take more; gives what came beyond the end, and None before it."""
        if self._chunks is None:
            self.upload.feed(data[: self._left])
            rest = data[self._left :]
            self._left -= len(data) - len(rest)
            is_done = not self._left
        else:
            self.upload.feed(self._chunks.take(data))
            rest, is_done = self._chunks.rest, self._chunks.is_done
        if not is_done:
            return None
        self.upload.end()
        return rest
