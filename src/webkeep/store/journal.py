"""The journal of files that take the place of others: all of them do, or none."""

from __future__ import annotations

import json
from collections.abc import Sequence

from webkeep.errors import StorageError
from webkeep.store.layout import Layout, replace_file, sync_directory

UNFINISHED = ".unfinished"
"""Behind the name of a WARC file that is written and not yet in its place."""

_JOURNAL = "replacing.json"


def replace_files(layout: Layout, pairs: Sequence[tuple[str, str]]) -> None:
    """Let new files, written and synced beside them, take the place of old ones."""
    replace_file(layout.jobs / _JOURNAL, json.dumps(pairs).encode())
    carry_out(layout)


def carry_out(layout: Layout) -> None:
    """Finish a replacement that was decided; throw away what was written for one that was not."""
    journal = layout.jobs / _JOURNAL
    if journal.exists():
        try:
            pairs = [(str(old), str(new)) for old, new in json.loads(journal.read_text("utf-8"))]
        except (ValueError, TypeError) as error:
            raise StorageError(f"{journal} cannot be read ({error}); restore it from a copy") from error
        for old, new in pairs:
            unfinished = layout.warcs / (new + UNFINISHED)
            if unfinished.exists():
                unfinished.replace(layout.warcs / new)
            (layout.warcs / old).unlink(missing_ok=True)
        sync_directory(layout.warcs)
        journal.unlink()
        sync_directory(layout.jobs)
    for unfinished in layout.warcs.glob("*" + UNFINISHED):
        unfinished.unlink()
