"""The journal of files that take the place of others: all of them do, or none."""

from __future__ import annotations

import json
from collections.abc import Sequence

from webkeep.errors import StorageError
from webkeep.store.layout import Layout, replace_file, sync_directory

UNFINISHED = ".unfinished"
"""Behind the name of a WARC file that is written and not yet in its place."""

Pairs = Sequence[tuple[str, str]]
"""Names of old files, each with the name of the one that takes its place."""

_JOURNAL = "replacing.json"


def replace_files(layout: Layout, pairs: Pairs) -> None:
    """Let new files, written and synced beside them, take the place of old ones."""
    decide(layout, pairs)
    carry_out(layout)


def decide(layout: Layout, pairs: Pairs) -> None:
    """Write down, durably, that these files take the place of others; from here on they will."""
    sync_directory(layout.warcs)  # the new files must not be missing where the journal says that they are there
    layout.jobs.mkdir(exist_ok=True)
    replace_file(layout.jobs / _JOURNAL, json.dumps(pairs).encode())


def carry_out(layout: Layout) -> None:
    """Finish a replacement that was decided; throw away what was written for one that was not."""
    journal = layout.jobs / _JOURNAL
    if journal.exists():
        try:
            pairs = [(str(old), str(new)) for old, new in json.loads(journal.read_text("utf-8"))]
        except (ValueError, TypeError) as error:
            raise StorageError(f"{journal} cannot be read ({error}); restore it from a copy") from error
        for old, new in pairs:
            replace_one(layout, old, new)
        sync_directory(layout.warcs)
        journal.unlink()
        sync_directory(layout.jobs)
    for unfinished in layout.warcs.glob("*" + UNFINISHED):
        unfinished.unlink()


def replace_one(layout: Layout, old: str, new: str) -> None:
    """Put one new file in its place and delete the old one; nothing happens where that was done before."""
    unfinished, finished = layout.warcs / (new + UNFINISHED), layout.warcs / new
    if unfinished.exists():
        unfinished.replace(finished)
    if not finished.exists():
        raise StorageError(f"{finished} is missing, which takes the place of {old}; restore it from a copy")
    (layout.warcs / old).unlink(missing_ok=True)
