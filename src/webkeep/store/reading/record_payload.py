"""What a record holds, and its fingerprint where that is a page.

The reader of pages is much code: it is loaded with the first page, not with the command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from webkeep.formats.http import ResponseHead
from webkeep.model import Headers

_NO_HEADERS = Headers()
_CHUNKS_BEFORE_SNIFFING = 2
"""Of a payload that streams by, before it is looked whether it is a page: the kind shows in its first kilobyte."""
_NO_FINGERPRINT = b""


class RecordPayload(NamedTuple):
    """The payload of a record, and what is said of it."""

    url: str
    headers: Headers
    """Those of its HTTP head."""
    content_type: str
    size: int
    """With its codings."""

    @classmethod
    def of_record(cls, url: str, head: ResponseHead | None, content_type: str, size: int) -> RecordPayload:
        """The payload of a record with that HTTP head, or that has none and is of that type."""
        if head is None:
            return cls(url, _NO_HEADERS, content_type, size)
        return cls(url, head.headers, head.headers.get("content-type"), size)

    def fingerprint(self, chunks: Iterable[bytes]) -> bytes:
        """The packed fingerprint of the page that it is; empty where it is nothing that people read."""
        if not self.size:
            return _NO_FINGERPRINT
        from webkeep.store.reading.page_fingerprints import fingerprint_payload

        return fingerprint_payload(*self, chunks)


class PageTap:
    """Takes the chunks of a payload as they pass, as long as it may be a page, to make its fingerprint in the end."""

    def __init__(self, payload: RecordPayload) -> None:
        self._payload = payload
        self._chunks: list[bytes] = []
        self._may_be_page = payload.size > 0

    def pass_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks as they are."""
        for chunk in chunks:
            if self._may_be_page:
                self._chunks.append(chunk)
                if len(self._chunks) == _CHUNKS_BEFORE_SNIFFING and not self._is_page():
                    self._may_be_page = False
                    self._chunks.clear()
            yield chunk

    def _is_page(self) -> bool:
        from webkeep.store.reading.page_fingerprints import may_be_page

        return may_be_page(*self._payload, self._chunks)

    def fingerprint(self) -> bytes:
        """The fingerprint, when all has passed."""
        return self._payload.fingerprint(self._chunks) if self._may_be_page else _NO_FINGERPRINT
