"""What comes without HTTP, by `ftp:` and `file:`, described from what little is known of it: the media type by its
name, and what a directory holds by the list that an FTP server sends.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

from webkeep.fetch.request import FileResource
from webkeep.model import Body, Moment

# What a directory holds, read out of the lists that FTP servers send.

_UNIX_LINE = re.compile(r"([-dlbcps])[-rwxsStTlL]{9}\S*\s+(?:\S+\s+){2,4}\d+\s+\S{3}\s+\d{1,2}\s+[\d:]{4,5} (.+)")
_DOS_LINE = re.compile(r"\d\d-\d\d-\d{2,4}\s+\d\d:\d\d(?:[AP]M)?\s+(<DIR>|[\d,.]+)\s+(.+)")
_HEADING = re.compile(r"total \d+")
_MAX_LINE_CHARS = 4096
"""No name of a file makes a line longer."""


def child_urls(directory: str, listing: str) -> tuple[str, ...]:
    """The URLs of the files and directories in a list of the directory at that URL.

    Bytes that are no UTF-8 are expected as Python escapes them, so that they come out as they were.
    """
    names = (name.encode("utf-8", "surrogateescape") for name in _entry_names(listing))
    return tuple(dict.fromkeys(directory + quote(name) for name in names))


def _entry_names(listing: str) -> Iterator[str]:
    for line in listing.splitlines():
        name, is_directory = _parse_entry(line[:_MAX_LINE_CHARS].rstrip())
        if name and name not in (".", "..") and "/" not in name:
            yield f"{name}/" if is_directory else name


def _parse_entry(line: str) -> tuple[str, bool]:
    if match := _UNIX_LINE.fullmatch(line):
        name = match[2].partition(" -> ")[0] if match[1] == "l" else match[2]
        return (name, match[1] == "d") if match[1] in "-dl" else ("", False)
    if match := _DOS_LINE.fullmatch(line):
        return match[2], match[1] == "<DIR>"
    return ("", False) if _HEADING.fullmatch(line) else (line, False)


_MAX_LISTING_BYTES = 1 << 24
"""No longer list of a directory is read for what is in it."""
_LISTING_TYPE = "text/plain"


def describe_file(
    url: str,
    moment: Moment,
    body: Body,
    modified: float | None = None,
    address: str = "",
    truncated: str = "",
) -> FileResource:
    """A file or the list of a directory, whose URL ends in a slash; what is inside is read off the list."""
    last_modified = _format_http_date(modified) if modified is not None else ""
    if not url.endswith("/"):
        return FileResource(url, moment, _media_type(url), body, last_modified, address, truncated)
    children = child_urls(url, _text(body)) if body.size <= _MAX_LISTING_BYTES else ()
    return FileResource(url, moment, _LISTING_TYPE, body, last_modified, address, truncated, children)


def describe_directory(
    url: str, moment: Moment, body: Body, modified: float, children: tuple[str, ...]
) -> FileResource:
    """The list of a directory of this machine, and the URLs of what is in it."""
    last_modified = _format_http_date(modified)
    return FileResource(url, moment, _LISTING_TYPE, body, last_modified, children=children)


def _format_http_date(seconds: float) -> str:
    from email.utils import formatdate  # few captures ask by FTP or for files

    return formatdate(seconds, usegmt=True)


@cache
def _known_types() -> mimetypes.MimeTypes:
    """The types that this machine knows by name; its list of them is read with the first file, of which most captures
    meet none.
    """
    return mimetypes.MimeTypes()


def _media_type(url: str) -> str:
    guess, coding = _known_types().guess_type(url.rpartition("/")[2])
    if coding:
        return {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}.get(
            coding, "application/octet-stream"
        )
    return guess or "application/octet-stream"


def _text(body: Body) -> str:
    return b"".join(body.chunks()).decode("utf-8", "surrogateescape")
