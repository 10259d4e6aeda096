"""Rebuilding index and catalog from the WARC files alone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from webkeep.model import Finding
from webkeep.store.catalog import Catalog
from webkeep.store.index import Index
from webkeep.store.layout import Layout, read_settings
from webkeep.store.lock import WriterLock
from webkeep.store.settling import Watcher, settle, unwatched


def rebuild(path: Path, watcher: Watcher = unwatched) -> list[Finding]:
    """Drop index and catalog and make them anew; gives the flaws met on the way."""
    layout = Layout(path)
    read_settings(layout)
    with ExitStack() as leaving:
        lock = WriterLock(layout.lock)
        leaving.callback(lock.close)
        for cache in (layout.index, layout.catalog):
            for ending in ("", "-wal", "-shm", "-journal"):
                cache.with_name(cache.name + ending).unlink(missing_ok=True)
        layout.index.parent.mkdir(exist_ok=True)
        index = Index(layout.index, writable=True)
        leaving.callback(index.database.close)
        catalog = Catalog(layout.catalog, writable=True)
        leaving.callback(catalog.database.close)
        return settle(layout, lock, index, catalog, watcher)
