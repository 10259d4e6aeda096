"""The heads of answers on their way back to a proxy's client: without hop-by-hop fields, later versions said in
HTTP/1.1, and how the end of the body is told.
"""

from __future__ import annotations

import re

from webkeep.formats.status import BODILESS_STATUSES, SWITCHING_PROTOCOLS, build_status_line, status_of

_FRAMING_FIELDS = re.compile(
    rb"\n(connection|keep-alive|proxy-connection|transfer-encoding|content-length)[ \t]*:[ \t]*([^\r\n]*)\r?(?=\n)",
    re.IGNORECASE,
)
_PLAIN_OPTIONS = frozenset({b"", b"close", b"keep-alive", b"transfer-encoding", b"content-length"})
"""What may be named by a Connection field without being a field to leave out."""
_ODD_NAME = re.compile(rb"\n[^:\s]+[ \t]+:")
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
_LATER_VERSIONS = (b"HTTP/2 ", b"HTTP/3 ")


class ForwardedHead:
    """An answer's head for a client of HTTP/1.1, and what it says about the end of the body."""

    __slots__ = ("bytes", "has_body", "is_chunked", "is_delimited", "is_layered", "is_unambiguous", "needs_chunks")

    def __init__(self, head: bytes, method: str) -> None:
        coding, has_length, hops, options = b"", False, [], b""
        for match in _FRAMING_FIELDS.finditer(head):
            name = match[1].lower()
            if name == b"content-length":
                has_length = True
            elif name == b"transfer-encoding":
                coding += b"," + (match[2] or b"?").lower()
            else:
                hops.append(match.span())
                if name == b"connection" and (told := match[2].lower()) not in _PLAIN_OPTIONS:
                    options += b"," + told
        status, in_chunks = status_of(head), coding.rpartition(b",")[2].strip() == b"chunked"
        self.has_body = method != "HEAD" and status not in BODILESS_STATUSES
        self.is_chunked = bool(coding)
        self.is_layered = in_chunks and coding.count(b",") > 1
        """Whether what is in the chunks has codings of its own, so that libcurl does not find their end."""
        self.is_delimited = not self.has_body or has_length or in_chunks
        is_faulty = coding and (has_length or head.startswith(b"HTTP/1.0 "))
        # Where nobody asked for another protocol, what follows can only be passed on as it is.
        self.is_unambiguous = not is_faulty and status != SWITCHING_PROTOCOLS and not _has_odd_names(head)
        """Whether all readers find the same end; what is not clear is passed on as it is, and nothing after it."""
        self.needs_chunks = False
        """Whether the end of the body can be told by chunks alone, which have to be made."""
        self.bytes = _without_hops(head, hops, options) if hops and status != SWITCHING_PROTOCOLS else head
        if head.startswith(_LATER_VERSIONS):
            self._downgrade_version()

    def _downgrade_version(self) -> None:
        """Say in HTTP/1.1 what the server said in a later version, where bodies end without a word about it."""
        status = status_of(self.bytes)
        fields = self.bytes.partition(b"\r\n")[2]
        self.bytes = b"%s\r\n%s" % (build_status_line(status).encode(), fields)
        if not self.is_delimited:
            self.bytes = self.bytes.removesuffix(b"\r\n") + _CHUNKED
            self.needs_chunks = self.is_delimited = True


def _has_odd_names(head: bytes) -> bool:
    """Whether there is space before a colon, which some take for a part of the name (RFC 9112, 5.1)."""
    return (b" :" in head or b"\t:" in head) and _ODD_NAME.search(head) is not None


def _without_hops(head: bytes, hops: list[tuple[int, int]], options: bytes) -> bytes:
    for start, end in reversed(hops):
        head = head[:start] + head[end:]
    if not options:
        return head
    named = {word.strip() for word in options.split(b",")} - _PLAIN_OPTIONS
    if not named:
        return head
    first, *lines = head.split(b"\r\n")
    return b"\r\n".join([first, *(line for line in lines if line.partition(b":")[0].strip().lower() not in named)])
