"""What comes without HTTP, by `ftp:` and `file:`, described from what little is known of it."""

from __future__ import annotations

import mimetypes
from email.utils import formatdate

from webkeep.fetch.listing import children
from webkeep.fetch.request import Resource
from webkeep.model import Body, Moment

_LISTING = 1 << 24
"""No longer list of a directory is read for what is in it."""
_TYPES = mimetypes.MimeTypes()


def described(
    url: str,
    moment: Moment,
    body: Body,
    modified: float | None = None,
    address: str = "",
    truncated: str = "",
    inside: tuple[str, ...] | None = None,
) -> Resource:
    """A file or the list of a directory, whose URL ends in a slash; what is inside is read off the list if need be."""
    last_modified = formatdate(modified, usegmt=True) if modified is not None else ""
    if not url.endswith("/"):
        return Resource(url, moment, _media_type(url), body, last_modified, address, truncated)
    if inside is None:
        inside = children(url, _text(body)) if body.size <= _LISTING else ()
    return Resource(url, moment, "text/plain", body, last_modified, address, truncated, inside)


def _media_type(url: str) -> str:
    guess, coding = _TYPES.guess_type(url.rpartition("/")[2])
    if coding:
        return {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}.get(
            coding, "application/octet-stream"
        )
    return guess or "application/octet-stream"


def _text(body: Body) -> str:
    return b"".join(body.chunks()).decode("utf-8", "surrogateescape")
