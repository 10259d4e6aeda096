"""Mirrors on disk: folders that HTTrack or wget made, with a folder for each host; which folders are hosts, and what
URLs and dates their files get.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.http import ResponseHead
from webkeep.model import Exchange, Finding, Headers, Moment
from webkeep.recover.repositories.original_head import build_head
from webkeep.store.folder import FileBody
from webkeep.store.transfer import SiteFile, find_site_files, is_httrack_mirror, read_httrack_exchanges

FindingListener = Callable[[Finding], None]

_HOST = re.compile(
    r"(?:(?:[A-Za-z0-9_-]+\.)+[A-Za-z][A-Za-z0-9-]+|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|localhost)(?:[:+_][0-9]{1,5})?"
).fullmatch
_PORT = re.compile(r"[+_]([0-9]{1,5})$")
_INDEX_NAME = "index.html"
_OK_HEAD = ResponseHead("HTTP/1.1", 200, "OK")


def read_exchanges(folder: Path, tell: FindingListener) -> Iterator[Exchange]:
    """What a mirror has, as far as possible as it once crossed the wire; what cannot be taken is told."""
    if is_httrack_mirror(folder):
        yield from read_httrack_exchanges(folder, tell)
        return
    hosts = [folder] if _HOST(folder.name) else []
    below = sorted(each for each in folder.iterdir() if each.is_dir() and _HOST(each.name))
    if not (below or hosts):
        raise UsageError(f"{folder} is no mirror: it has no folder named for a host; name one made by HTTrack or wget")
    for host in below or hosts:
        yield from _read_host_folder(host, tell)


def _read_host_folder(host: Path, tell: FindingListener) -> Iterator[Exchange]:
    authority = _PORT.sub(r":\1", host.name)
    base = f"http://{authority}/"
    for file in find_site_files(host, base, _INDEX_NAME, tell):
        try:
            yield _build_exchange(file)
        except (OSError, OverflowError, ValueError, FormatError) as error:
            tell(Finding("leftover-passed-over", str(file.path), 0, f"cannot be read ({error}); left out"))


def _build_exchange(file: SiteFile) -> Exchange:
    # Wget gives files the time of their last change; when they were fetched nobody knows, only that it was not before.
    modified = Moment.from_datetime(datetime.fromtimestamp(file.modified, UTC))
    fields = Headers((("Content-Type", file.media_type), ("Last-Modified", formatdate(file.modified, usegmt=True))))
    url = file.url.replace("%3F", "?", 1) if "%3F" in file.url else file.url
    return Exchange(url, modified, build_head(_OK_HEAD, fields, file.size), FileBody(file.path, file.size))
