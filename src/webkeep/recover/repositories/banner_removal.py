"""Pages made for showing, turned back: what archives (Wayback, pywb) put in is taken out, and their links are those of
the site again; by which marks that is known, and in which media types.

It is done on bytes by the marks that the archives' software leaves, so it works for style sheets and scripts as well.
What had been changed without a mark stays changed; that is why raw access comes first and this is said of the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_INSERT_MARKS = (
    (b"<!-- BEGIN WAYBACK TOOLBAR INSERT -->", b"<!-- END WAYBACK TOOLBAR INSERT -->"),
    (b"<!-- WB Insert -->", b"<!-- End WB Insert -->"),
)
_INCLUDE = re.compile(rb"<script[^>]{0,300}\bsrc=[\"'](?:https?:)?//(?:[a-z0-9-]{1,40}\.)?archive\.org/", re.IGNORECASE)
_INCLUDE_END = b"<!-- End Wayback Rewrite JS Include -->"
_APPENDED = (b"FILE ARCHIVED ON ", b"playback timings (ms):")
_COMMENT, _COMMENT_END = b"<!--", b"-->"
_MAX_COMMENT_DISTANCE_BYTES = 40
"""Between the beginning of a comment and the words in it that show whose it is."""
_BANNER_MARKS = (
    b"WAYBACK TOOLBAR INSERT",
    b"End Wayback Rewrite JS Include",
    b"FILE ARCHIVED ON ",
    b"<!-- WB Insert -->",
    b"wombat.js",
)
_REWRITTEN_LINK = re.compile(
    rb"(?:(?:https?:)?//[^\s\"'<>()/]{1,200})?/(?:[A-Za-z0-9._-]{1,60}/){0,3}"
    rb"[0-9]{4,14}(?:[a-z]{2}_)?/((?:https?:)?(?:\\?/){2}[^\s\"'<>()/]{1,200})"
)
_TEXTUAL_TYPES = (
    "text/",
    "application/javascript",
    "application/x-javascript",
    "application/json",
    "application/xhtml",
)
_MAX_SCANNED_BYTES = 1 << 20
"""Archives put their banners at the beginning."""


def has_banner(start: bytes) -> bool:
    """Whether the beginning of a page shows marks of an archive's software."""
    return any(mark in start[:_MAX_SCANNED_BYTES] for mark in _BANNER_MARKS)


def is_textual(media_type: str) -> bool:
    """Whether an archive may have changed the links in it."""
    return media_type.startswith(_TEXTUAL_TYPES) or media_type.endswith("+xml")


def remove_banner(data: bytes) -> bytes:
    """A page without what an archive put in, its links those of the site."""
    for begin, end in _INSERT_MARKS:
        data = b"".join(_outside_marks(data, begin, end))
    data = _without_include(data)
    for mark in _APPENDED:
        data = _without_comment(data, mark)
    return _REWRITTEN_LINK.sub(rb"\1", data)


def _outside_marks(data: bytes, begin: bytes, end: bytes) -> Iterator[bytes]:
    """What stands outside the stretches between two marks."""
    at = 0
    while (start := data.find(begin, at)) >= 0 and (stop := data.find(end, start)) >= 0:
        yield data[at:start]
        at = stop + len(end)
        at += data.startswith(b"\n", at)
    yield data[at:]


def _without_include(data: bytes) -> bytes:
    end = data.find(_INCLUDE_END)
    start = _INCLUDE.search(data, 0, end) if end >= 0 else None
    if start is None:
        return data
    return data[: start.start()] + data[end + len(_INCLUDE_END) :].removeprefix(b"\n")


def _without_comment(data: bytes, mark: bytes) -> bytes:
    """The data without the last comment that begins with a mark."""
    at = data.rfind(mark)
    start = data.rfind(_COMMENT, max(at - _MAX_COMMENT_DISTANCE_BYTES, 0), at) if at >= 0 else -1
    end = data.find(_COMMENT_END, at)
    if start < 0 or end < 0:
        return data
    return data[:start] + data[end + len(_COMMENT_END) :].removeprefix(b"\n")


def original_link(link: str) -> str:
    """The URL of the site in an address of an archive; what is none stays as it is."""
    match = _REWRITTEN_LINK.match(link.encode("utf-8", "surrogateescape"))
    if match is None:
        return link
    return link.encode("utf-8", "surrogateescape")[match.start(1) :].decode("utf-8", "surrogateescape")
