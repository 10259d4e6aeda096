"""The original that a recovery is held against: an archive, or files of records that are in none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.store.archive import Archive
from webkeep.store.layout import is_archive
from webkeep.store.loose_files import gathered, is_loose, record_ending, records_at


def original_at(text: str) -> Path:
    """Where the original lies that a person named; raises UsageError before anything is recovered if it does not."""
    path = Path(text)
    if text.startswith(("http://", "https://")):
        raise UsageError(f"--compare takes a capture, not {text}; make one with webkeep capture {text} --into ARCHIVE")
    if not (is_archive(path) or is_loose(path)) or (path.is_file() and not record_ending(path)):
        raise UsageError(f"there is no archive at {path} and no WARC, ARC or WACZ files; name a capture of the site")
    return path


@contextmanager
def opened_original(path: Path) -> Iterator[Archive]:
    """The original as an archive, for as long as it is read."""
    if not is_loose(path):
        with Archive(path) as archive:
            yield archive
        return
    with tempfile.TemporaryDirectory(prefix="webkeep-") as folder:
        place = gathered(records_at(path), Path(folder) / "archive", path.name, SystemClock().now())
        with Archive(place) as archive:
            yield archive
