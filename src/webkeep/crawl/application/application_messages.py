"""A request as an application is told it, and its response on the way out.

What the application says is sent as it is; a date and what frames the body are added where they are missing, and
nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote_to_bytes

FieldList = list[tuple[str, str]]
"""Names and values of header fields, in order."""


@dataclass(frozen=True)
class ApplicationRequest:
    """One request, as the public would have sent it."""

    method: str
    target: str
    """Path and query."""
    version: str
    scheme: str
    host: str
    port: str
    fields: Sequence[tuple[str, str]]
    body: bytes

    @property
    def raw_path(self) -> str:
        """The path as it was sent."""
        return self.target.partition("?")[0]

    @property
    def path(self) -> bytes:
        """The path with its escapes undone."""
        return unquote_to_bytes(self.raw_path)

    @property
    def query(self) -> str:
        """What stands behind the first question mark."""
        return self.target.partition("?")[2]


class ResponseSender:
    """Sends one response: the head once something of the body is known, then the body in the framing that fits."""

    def __init__(self, stream: Any, is_head: bool) -> None:
        self._stream, self._is_head = stream, is_head
        self._status, self._fields = "", FieldList()
        self._is_chunked = False
        self._promised: int | None = None
        self._sent = 0
        self.is_begun = False

    def start(self, status: str, fields: FieldList) -> None:
        """Take the head, which goes out with the first of the body."""
        self._status, self._fields = status, fields

    def write(self, data: bytes, is_last: bool = False) -> None:
        """Send some of the body; where the first is the last as well, its length is told."""
        if not self.is_begun:
            self._send_head(len(data) if is_last else None)
        if data and not self._is_head:
            self._sent += len(data)
            self._stream.write(b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked else data)
        if is_last and self._is_chunked and not self._is_head:
            self._stream.write(b"0\r\n\r\n")
        self._stream.flush()

    @property
    def is_whole(self) -> bool:
        """Whether as much was sent as the head had promised."""
        return self._is_head or self._promised is None or self._sent == self._promised

    def _send_head(self, length: int | None) -> None:
        names = {name.lower(): value for name, value in self._fields}
        fields = list(self._fields)
        if "date" not in names:
            fields.append(("Date", formatdate(usegmt=True)))
        if "content-length" in names:
            self._promised = int(names["content-length"])
        elif self._status[:3] not in ("204", "304") and "transfer-encoding" not in names:
            self._is_chunked = length is None
            fields.append(("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length)))
        lines = [f"HTTP/1.1 {self._status}", *(f"{name}: {value}" for name, value in fields), "", ""]
        self._stream.write("\r\n".join(lines).encode("latin-1"))
        self.is_begun = True
