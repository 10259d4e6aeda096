"""The archive itself, to read and to write, and which part of it is meant."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.archive.archive import (
        UPDATES_FACT as UPDATES_FACT,
        Archive as Archive,
        capture_lineage as capture_lineage,
        url_ranges as url_ranges,
    )
    from webkeep.store.archive.selection import Selection as Selection
    from webkeep.store.archive.writable_archive import OpenCapture as OpenCapture, WritableArchive as WritableArchive
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive": ("Archive", "UPDATES_FACT", "capture_lineage", "url_ranges"),
            "selection": ("Selection",),
            "writable_archive": ("OpenCapture", "WritableArchive"),
        },
    )
