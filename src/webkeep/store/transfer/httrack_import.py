"""Importing mirrors of HTTrack: its cache has the heads, and the pages as they came; the mirror has all else, and the
logs tell when each was fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.formats import HttrackResponse, parse_fetch_times, parse_run_start, read_httrack_cache
from webkeep.model import Body, BytesBody, Exchange, Finding, Moment
from webkeep.redaction import Redactor
from webkeep.store.archive.writable_archive import OpenCapture
from webkeep.store.folder.file_body import FileBody
from webkeep.store.writing.acknowledgement import PendingAcknowledgements
from webkeep.url import normalize_url
from webkeep.url.canonical import FETCH_IDENTITY

CACHE_PATH = Path("hts-cache/new.zip")
"""Where a mirror keeps its cache."""
_LOG_PATHS = (Path("hts-log.txt"), Path("hts-cache/doit.log"))
_FETCH_LIST_PATH = Path("hts-cache/new.txt")
_LOG_START_CHARS = 1 << 16
"""A log says in its first lines when the run began."""
_MAX_FETCH_TIMES = 1_000_000
"""URLs whose time is remembered; those beyond are dated by the run."""

FindingListener = Callable[[Finding], None]


def is_httrack_mirror(folder: Path) -> bool:
    """Whether a folder is a mirror that HTTrack made, with its cache."""
    return (folder / CACHE_PATH).is_file()


def read_httrack_exchanges(folder: Path, tell: FindingListener) -> Iterator[Exchange]:
    """What a mirror has, as it once crossed the wire; what cannot be taken is told."""
    root = Path(os.path.realpath(folder))
    times = _FetchTimes(folder)
    with (folder / CACHE_PATH).open("rb") as stream:
        for response in read_httrack_cache(stream, str(folder / CACHE_PATH)):
            if isinstance(response, FormatError):
                tell(Finding("httrack-passed-over", response.source, response.offset, f"{response.args[0]}; left out"))
                continue
            url = normalize_url(response.url)
            body = _open_body(response, root)
            if url is None or body is None:
                reason = (
                    "is no URL"
                    if url is None
                    else f"has its content in {response.mirror_path}, which is not in the mirror"
                )
                tell(
                    Finding(
                        "httrack-passed-over", str(folder / CACHE_PATH), 0, f"{response.url[:200]} {reason}; left out"
                    )
                )
                continue
            yield Exchange(FETCH_IDENTITY(url), times.find(response.url), response.head, body)


def import_httrack(
    capture: OpenCapture,
    folder: Path,
    tell: FindingListener,
    redactor: Redactor | None = None,
    left_out: Mapping[str, str] | None = None,
) -> tuple[int, int]:
    """Store what a mirror has; gives how many answers there were and how many bytes they have.

    Some URLs may be left out, each for a reason that is told.
    """
    count = size = 0

    def not_stored(url: str, error: Exception) -> None:
        tell(Finding("httrack-passed-over", str(folder), 0, f"{url[:200]} cannot be read ({error}); left out"))

    awaited = PendingAcknowledgements(not_stored)
    for exchange in read_httrack_exchanges(folder, tell):
        stored = exchange if redactor is None else redactor.redact(exchange).exchange
        if left_out and stored.url in left_out:
            tell(Finding("file-taken-down", str(folder), 0, f"{stored.url}: {left_out[stored.url]}"))
            continue
        count += 1
        size += exchange.body.size
        awaited.add(capture.submit(stored), stored.url)
    awaited.wait_for_all()
    return count, size


def _open_body(response: HttrackResponse, root: Path) -> Body | None:
    if response.content is not None:
        return BytesBody(response.content)
    path = Path(os.path.realpath(root / response.mirror_path))
    # A cache that names files elsewhere is not to be trusted with them.
    return FileBody(path, path.stat().st_size) if path.is_relative_to(root) and path.is_file() else None


class _FetchTimes:
    """When a mirror was made, and when each URL of it was fetched, by the logs beside its cache."""

    def __init__(self, folder: Path) -> None:
        begun = next(filter(None, (parse_run_start(_read_start(folder / name)) for name in _LOG_PATHS)), None)
        # Without a log, the cache was written last when the copying ended.
        self._usual = datetime.fromtimestamp((folder / CACHE_PATH).stat().st_mtime) if begun is None else begun
        self._times: dict[int, datetime] = {}
        if begun is not None and (folder / _FETCH_LIST_PATH).is_file():
            with (folder / _FETCH_LIST_PATH).open(encoding="utf-8", errors="replace") as lines:
                came = ((hash(url), when) for url, when in parse_fetch_times(lines, begun))
                self._times = dict(islice(came, _MAX_FETCH_TIMES))

    def find(self, url: str) -> Moment:
        """When a URL was fetched, as well as that is known."""
        try:
            return Moment.from_datetime(self._times.get(hash(url), self._usual).astimezone())
        except (ValueError, OverflowError, OSError):
            return Moment(0)


def _read_start(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LOG_START_CHARS)
    except OSError:
        return ""
