"""The body of a request on its way out."""

from __future__ import annotations

from collections.abc import Iterator

import pycurl

from webkeep.model import Body


class Upload:
    """A body that libcurl reads, and may begin again where a server asks for credentials first."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._chunks: Iterator[bytes] = body.chunks()
        self._held = b""

    def prepare(self, curl: pycurl.Curl, method: str) -> None:
        """Tell libcurl to send it, or of a method without any body."""
        if not self._body.size:
            curl.setopt(pycurl.NOBODY, 1 if method == "HEAD" else 0)
            curl.setopt(pycurl.CUSTOMREQUEST, method)
            return
        curl.setopt(pycurl.UPLOAD, 1)
        curl.setopt(pycurl.INFILESIZE_LARGE, self._body.size)
        curl.setopt(pycurl.CUSTOMREQUEST, method)
        curl.setopt(pycurl.READFUNCTION, self._read)
        curl.setopt(pycurl.SEEKFUNCTION, self._seek)

    def _read(self, size: int) -> bytes:
        if not self._held:
            self._held = next(self._chunks, b"")
        piece, self._held = self._held[:size], self._held[size:]
        return piece

    def _seek(self, offset: int, origin: int) -> int:  # noqa: ARG002 - libcurl counts from the beginning alone
        self._chunks, self._held = self._body.chunks(offset), b""
        return int(pycurl.SEEKFUNC_OK)
