"""Importing a plain directory: the files behind a web server, each under the URL it is served at."""

from __future__ import annotations

import mimetypes
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

from webkeep.errors import UsageError
from webkeep.model import Finding, Moment
from webkeep.store.spool import FileBody
from webkeep.store.writable import OpenCapture
from webkeep.url import normal

_UNKNOWN = "application/octet-stream"
_MORE_TYPES = {
    ".avif": "image/avif",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".md": "text/markdown",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".xml": "application/xml",
    ".ico": "image/x-icon",
    ".wasm": "application/wasm",
}


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file and where it is served."""

    path: Path
    url: str
    media_type: str
    size: int
    modified: float


def base_of(url: str) -> str:
    """The URL of a directory, made right; raises UsageError where it is none."""
    base = normal(url)
    if base is None or not base.startswith(("http://", "https://")):
        raise UsageError(f"not a web address: {url!r}; give --base-url as https://example.org/")
    return base.split("#")[0].split("?")[0].rstrip("/") + "/"


def site_files(folder: Path, base: str, index_name: str, passed_over: Callable[[Finding], None]) -> Iterator[SiteFile]:
    """The files of a directory in order; links that lead out of it, and what is no file, are passed over."""
    types = mimetypes.MimeTypes(filenames=())
    root = folder.resolve()
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(names):
            path = Path(parent, name)
            if _is_hidden(name):
                continue
            reason = _objection(path, root)
            if reason:
                passed_over(Finding("file-passed-over", os.fsencode(path).decode("utf-8", "replace"), 0, reason))
                continue
            status = path.stat()
            url = _url(base, path.relative_to(folder), index_name)
            yield SiteFile(path, url, _media_type(types, name), status.st_size, status.st_mtime)


def import_files(capture: OpenCapture, files: Iterator[SiteFile], now: Callable[[], Moment]) -> tuple[int, int]:
    """Store files as resources; gives how many there were and how many bytes they have."""
    count = size = 0
    for file in files:
        body = FileBody(file.path, file.size)
        last_modified = formatdate(file.modified, usegmt=True)
        capture.submit_resource(file.url, now(), file.media_type, body, last_modified)
        count += 1
        size += file.size
    return count, size


def _url(base: str, path: Path, index_name: str) -> str:
    parts = [quote(os.fsencode(part)) for part in path.parts]
    if path.name == index_name:
        parts[-1] = ""
    return base + "/".join(parts)


def _media_type(types: mimetypes.MimeTypes, name: str) -> str:
    ending = Path(name).suffix.lower()
    if ending in _MORE_TYPES:
        return _MORE_TYPES[ending]
    guessed, coding = types.guess_type(name)
    return _UNKNOWN if coding or not guessed else guessed


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != ".well-known"


def _objection(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
        mode = target.stat().st_mode
    except OSError as error:
        return f"cannot be read ({error.strerror}); left out"
    if not target.is_relative_to(root):
        return "is a link that leads out of the directory; left out"
    if not stat.S_ISREG(mode):
        return "is not a regular file; left out"
    return "" if os.access(target, os.R_OK) else "may not be read; left out"
