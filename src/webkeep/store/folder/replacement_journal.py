"""The journal of WARC files that take the place of others: all of them do, or none, whenever a crash may come.

It is written before the first file is touched and closed when index and catalog know of the new files; whoever opens
the archive in between carries it out again, which changes nothing where that was done.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.folder.layout import ArchiveLayout, replace_file_durably, sync_directory

UNFINISHED_SUFFIX = ".unfinished"
"""Behind the name of a WARC file that is written and not yet in its place."""

FilePairs = Sequence[tuple[str, str]]
"""Names of old files, each with the name of the one that takes its place."""

_JOURNAL_NAME = "replacing.json"


def write_journal(layout: ArchiveLayout, pairs: FilePairs) -> None:
    """Write down, durably, that new files, written and synced beside them, take the place of old ones."""
    sync_directory(layout.warcs)  # the new files must not be missing where the journal says that they are there
    layout.jobs.mkdir(exist_ok=True)
    replace_file_durably(layout.jobs / _JOURNAL_NAME, json.dumps(pairs).encode())


def apply_journal(layout: ArchiveLayout) -> frozenset[str]:
    """Finish a replacement that was decided, and say which files it took away; throw away what was not decided."""
    pairs = _read_journal(layout.jobs / _JOURNAL_NAME)
    for old, new in pairs:
        swap_file(layout, old, new)
    if pairs:
        sync_directory(layout.warcs)
    for unfinished in layout.warcs.glob("*" + UNFINISHED_SUFFIX):
        unfinished.unlink()
    return frozenset(old for old, _ in pairs)


def swap_file(layout: ArchiveLayout, old: str, new: str) -> None:
    """Put one new file in its place and delete the old one; nothing happens where that was done before."""
    unfinished, finished = layout.warcs / (new + UNFINISHED_SUFFIX), layout.warcs / new
    if unfinished.exists():
        unfinished.replace(finished)
    if not finished.exists():
        raise StorageError(f"{finished} is missing, which takes the place of {old}; restore it from a copy")
    (layout.warcs / old).unlink(missing_ok=True)


def close_journal(layout: ArchiveLayout) -> None:
    """Close the journal, now that index and catalog know of the new files too."""
    journal = layout.jobs / _JOURNAL_NAME
    if journal.exists():
        journal.unlink()
        sync_directory(layout.jobs)


def _read_journal(journal: Path) -> list[tuple[str, str]]:
    if not journal.exists():
        return []
    try:
        return [(str(old), str(new)) for old, new in json.loads(journal.read_text("utf-8"))]
    except (ValueError, TypeError, RecursionError) as error:
        raise StorageError(f"{journal} cannot be read ({error}); restore it from a copy") from error
