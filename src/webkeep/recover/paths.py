"""Paths of files that mirror URLs, so that a web server finds each where it was asked for before."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote_to_bytes

from webkeep.url import split
from webkeep.url.address import normal

INDEX = "index.html"
_LONGEST = 200
_ILLEGAL = re.compile(r"[\x00-\x1f\x7f]")
_WINDOWS = str.maketrans({"?": "@", "|": "%7C", ":": "+", "*": "%2A", '"': "%22", "<": "%3C", ">": "%3E", "\\": "%5C"})
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def path_of(url: str, windows: bool = False) -> str:
    """The path of a URL's file below the folder of all sites: `foo.org/bar/hello.html`, `foo.org/bar/index.html`."""
    parts = split(normal(url) or "http://unknown/")
    names = [_named(each, windows) for each in parts.path.split("/")[1:]]
    if not names or not names[-1]:
        names[-1:] = [INDEX]
    if parts.query:
        names[-1] = _named(names[-1] + parts.query, windows)
    return "/".join([_named(parts.authority, windows), *names])


def _named(segment: str, windows: bool) -> str:
    """One part of a path as the name of a file or folder; what would not do is spelled otherwise."""
    decoded = unquote_to_bytes(segment).decode("utf-8", "replace")
    text = _ILLEGAL.sub("_", decoded).replace("/", "%2F")
    if windows:
        text = text.translate(_WINDOWS)
        if text.endswith((".", " ")):
            text += "_"
        if _DEVICES.fullmatch(text):
            text = f"_{text}"
    if text in (".", ".."):
        return "_" * len(text)
    if len(text.encode()) > _LONGEST:
        mark = hashlib.sha256(segment.encode("utf-8", "replace")).hexdigest()[:12]
        text = text.encode()[: _LONGEST - 20].decode("utf-8", "ignore") + "~" + mark
    return text
