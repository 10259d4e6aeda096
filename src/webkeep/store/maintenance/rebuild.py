"""Rebuilding index, catalog and log from the WARC files alone: all are dropped and made anew."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from webkeep.model import Finding
from webkeep.store.folder.layout import ArchiveLayout, read_settings
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.log_state import discard_log_state
from webkeep.store.opening.startup_repair import IndexProgress, ignore_progress, repair_caches


def rebuild_caches(path: Path, progress: IndexProgress = ignore_progress) -> list[Finding]:
    """Drop index and catalog and make them anew; gives the flaws met on the way."""
    layout = ArchiveLayout(path)
    read_settings(layout)
    with ExitStack() as leaving:
        lock = WriterLock(layout.lock)
        leaving.callback(lock.close)
        for cache in (layout.index, layout.catalog):
            for ending in ("", "-wal", "-shm", "-journal"):
                cache.with_name(cache.name + ending).unlink(missing_ok=True)
        discard_log_state(layout.log)  # the log is made anew too, where one is kept
        layout.index.parent.mkdir(exist_ok=True)
        index = UrlIndex(layout.index, writable=True)
        leaving.callback(index.database.close)
        catalog = Catalog(layout.catalog, writable=True)
        leaving.callback(catalog.database.close)
        return repair_caches(layout, lock, index, catalog, progress)
