"""Importing a plain directory: the files behind a web server, each under the URL it is served at (`--base-url`); their
media types, and which files and links are left out.
"""

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
from webkeep.model import Body, BytesBody, Finding, Moment
from webkeep.store.archive.writable_archive import OpenCapture
from webkeep.store.folder.file_body import FileBody
from webkeep.store.writing.acknowledgement import PendingAcknowledgements
from webkeep.store.writing.record_draft import MAX_HELD_BLOCK_BYTES
from webkeep.url import normalize_url

FindingListener = Callable[[Finding], None]

_UNESCAPED_CHARACTERS = "!$&'()*+,;=:@[]|~"
"""What a browser leaves as it is in a path, beyond letters, digits and `-._`."""

_UNKNOWN_TYPE = "application/octet-stream"
_TYPES_BY_ENDING = {
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


def parse_base_url(url: str) -> str:
    """The URL of a directory, made right; raises UsageError where it is none."""
    base = normalize_url(url)
    if base is None or not base.startswith(("http://", "https://")):
        raise UsageError(f"not a web address: {url!r}; give --base-url as https://example.org/")
    return base.split("#")[0].split("?")[0].rstrip("/") + "/"


def find_site_files(folder: Path, base: str, index_name: str, passed_over: FindingListener) -> Iterator[SiteFile]:
    """The files of a directory in order; hidden ones are no part of it, what cannot be taken is told."""
    types = mimetypes.MimeTypes(filenames=())
    root = os.path.realpath(folder)

    def unreadable(error: OSError) -> None:
        passed_over(_file_finding(Path(error.filename), f"cannot be read ({error.strerror}); left out with all in it"))

    for parent, folders, names in os.walk(folder, onerror=unreadable):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not _is_hidden(name) and name not in links)
        for name in sorted(name for name in (*names, *links) if not _is_hidden(name)):
            path = Path(parent, name)
            reason = _refusal_reason(path, root)
            if reason:
                passed_over(_file_finding(path, reason))
                continue
            status = path.stat()
            url = _file_url(base, path.relative_to(folder), index_name)
            yield SiteFile(path, url, _guess_media_type(types, name), status.st_size, status.st_mtime)


def import_directory(
    capture: OpenCapture, files: Iterator[SiteFile], now: Callable[[], Moment], passed_over: FindingListener
) -> tuple[int, int]:
    """Store files as resources; gives how many there were and how many bytes they have."""
    count = size = 0
    failed: list[SiteFile] = []

    def not_stored(file: SiteFile, error: Exception) -> None:
        failed.append(file)
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        passed_over(_file_finding(file.path, f"cannot be read ({reason}); left out"))

    awaited = PendingAcknowledgements(not_stored)
    for file in files:
        count += 1
        size += file.size
        try:
            body = _open_body(file)
        except OSError as error:
            not_stored(file, error)
            continue
        last_modified = formatdate(file.modified, usegmt=True)
        awaited.add(capture.submit_resource(file.url, now(), file.media_type, body, last_modified), file)
    awaited.wait_for_all()
    return count - len(failed), size - sum(file.size for file in failed)


def _open_body(file: SiteFile) -> Body:
    # A small file is read once, so that it cannot change between its digest and its bytes.
    return BytesBody(file.path.read_bytes()) if file.size <= MAX_HELD_BLOCK_BYTES else FileBody(file.path, file.size)


def _file_url(base: str, path: Path, index_name: str) -> str:
    parts = [quote(os.fsencode(part), safe=_UNESCAPED_CHARACTERS) for part in path.parts]
    if path.name == index_name:
        parts[-1] = ""
    return base + "/".join(parts)


def _guess_media_type(types: mimetypes.MimeTypes, name: str) -> str:
    ending = Path(name).suffix.lower()
    if ending in _TYPES_BY_ENDING:
        return _TYPES_BY_ENDING[ending]
    guessed, coding = types.guess_type(name)
    return _UNKNOWN_TYPE if coding or not guessed else guessed


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != ".well-known"


def _refusal_reason(path: Path, root: str) -> str:
    try:
        target = Path(os.path.realpath(path, strict=True))
        mode = target.stat().st_mode
    except OSError as error:
        return f"cannot be read ({error.strerror}); left out"
    if not target.is_relative_to(root):
        return "is a link that leads out of the directory; left out"
    if stat.S_ISDIR(mode):
        return "is a link to a directory; left out"
    if not stat.S_ISREG(mode):
        return "is not a regular file; left out"
    return "" if os.access(target, os.R_OK) else "may not be read; left out"


def _file_finding(path: Path, message: str) -> Finding:
    return Finding("file-passed-over", os.fsencode(path).decode("utf-8", "replace"), 0, message)
