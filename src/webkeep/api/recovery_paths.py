"""The paths of a recovery, looked at before it begins: where archive, copy, re-host export and summary can be written,
and what can be the original of `--compare` and how it is opened.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.api.arguments.call_values import check_archive_parent
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.mirror.output import check_folder
from webkeep.recover.report import check_rehost_folder
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive
from webkeep.store.transfer import build_temporary_archive, is_record_path, list_record_files, sniff_record_ending


def find_original(text: str) -> Path:
    """Where the original lies that a person named; raises UsageError before anything is recovered if it does not."""
    path = Path(text)
    if text.startswith(("http://", "https://")):
        raise UsageError(f"--compare takes a capture, not {text}; make one with webkeep capture {text} --into ARCHIVE")
    if not (is_archive(path) or is_record_path(path)) or (path.is_file() and not sniff_record_ending(path)):
        raise UsageError(f"there is no archive at {path} and no WARC, ARC or WACZ files; name a capture of the site")
    return path


@contextmanager
def open_original(path: Path) -> Iterator[Archive]:
    """The original as an archive, for as long as it is read."""
    if not is_record_path(path):
        with Archive(path) as archive:
            yield archive
        return
    with tempfile.TemporaryDirectory(prefix="webkeep-") as folder:
        place = build_temporary_archive(
            list_record_files(path), Path(folder) / "archive", path.name, SystemClock().now()
        )
        with Archive(place) as archive:
            yield archive


# Where a recovery writes and what it is held against: looked at before it begins, hours before its end as may be.


def check_recovery_paths(
    into: Path | None, copy: Path | None, rehost: Path | None, texts: tuple[Path | None, ...], original: str | None
) -> Path:
    """Where the archive goes; raises UsageError where something could not be written or read in the end."""
    if into is None:
        raise UsageError("nowhere to keep what is recovered; name an archive with --into")
    check_archive_parent(into)
    if copy is not None:
        check_folder(copy)
    if rehost is not None:
        check_rehost_folder(rehost)
    for text in texts:
        if text is not None and (not text.name or text.is_dir()):
            raise UsageError(f"{text} is a directory; name a file to write to")
    if original is not None:
        find_original(original)
    return into
