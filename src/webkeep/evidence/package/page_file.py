"""Files that were asked for as pages, such as a PDF: which record of a capture holds what was sent, and what it is
called where it is handed on beside pictures, or in place of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from webkeep.formats.http import ResponseHead
from webkeep.formats.status import OK, is_redirection
from webkeep.model import Observation
from webkeep.store.archive import Archive
from webkeep.store.reading import StoredResponse
from webkeep.url import resolve_url

FILE_ENDING = "-file."
"""What stands between the name of an exhibit and the extension of its file."""
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MAX_REDIRECTS = 20
"""As many as browsers follow."""
_DOCUMENT = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_EXTENSIONS = {
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/json": "json",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    f"{_DOCUMENT}.wordprocessingml.document": "docx",
    f"{_DOCUMENT}.spreadsheetml.sheet": "xlsx",
    f"{_DOCUMENT}.presentationml.presentation": "pptx",
    f"{_OPEN_DOCUMENT}.text": "odt",
    f"{_OPEN_DOCUMENT}.spreadsheet": "ods",
    f"{_OPEN_DOCUMENT}.presentation": "odp",
    "text/plain": "txt",
    "text/csv": "csv",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/mpeg": "mp3",
    "video/mp4": "mp4",
    "video/webm": "webm",
}
"""Of what programs open and show, and do not run; anything else is called `bin`, which nothing opens."""
_UNKNOWN_EXTENSION, _UNTYPED = "bin", frozenset({"", "application/octet-stream", "binary/octet-stream"})


@dataclass(frozen=True, slots=True)
class PageFile:
    """What was sent for a page that is a file: as a package names it."""

    name: str
    url: str
    """Where it was found, behind all redirects."""
    type: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A record of a capture that holds a file which was asked for as a page."""

    archive: Archive
    seen: Observation
    ending: str
    """Behind the name of its exhibit, such as `-file.pdf`."""

    def chunks(self) -> Iterator[bytes]:
        """What was sent, without codings of the transfer."""
        return self.archive.read(self.seen).content()

    def digest(self) -> str:
        """Its SHA-256, in hexadecimal digits."""
        digest = hashlib.sha256()
        for chunk in self.chunks():
            digest.update(chunk)
        return digest.hexdigest()


def find_page_file(archive: Archive, portrait: Observation, page: str) -> FoundFile | None:
    """The file that was sent for a page by the time of its portrait, behind all redirects; None where it was HTML."""
    url = page
    for _ in range(_MAX_REDIRECTS):
        seen = _find_answer(archive, portrait, url)
        if seen is None:
            return None
        stored = archive.read(seen)
        head = stored.head or ResponseHead()
        if is_redirection(seen.status):
            url = resolve_url(url, head.headers.get("location")) or ""
        elif seen.status == OK and (seen.media_type not in _HTML_TYPES or _is_attachment(stored)):
            return FoundFile(archive, seen, f"{FILE_ENDING}{_choose_extension(seen)}")
        else:
            return None
    return None


def _find_answer(archive: Archive, portrait: Observation, url: str) -> Observation | None:
    """The last answer to a URL in the capture of a portrait, before that was taken."""
    answers = [
        each
        for each in archive.history(url, until=portrait.moment)
        if each.url == url and each.capture == portrait.capture and each.method == "GET" and not each.is_dangling
    ]
    return answers[-1] if answers else None


def _is_attachment(stored: StoredResponse) -> bool:
    """Whether its server has browsers keep it rather than show it."""
    head = stored.head or ResponseHead()
    return head.headers.get("content-disposition").strip().lower().startswith("attachment")


def _choose_extension(seen: Observation) -> str:
    if seen.media_type not in _UNTYPED:
        return _EXTENSIONS.get(seen.media_type, _UNKNOWN_EXTENSION)
    own = urlsplit(seen.url).path.rpartition(".")[2].lower()
    return own if own in _EXTENSIONS.values() else _UNKNOWN_EXTENSION
