"""What has become of URLs in a capture that workers carry out, so far, for whoever has its archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webkeep.cluster.store.capture_joining import find_capture
from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.cluster_state import ClusterCapture


@contextmanager
def open_cluster_fates(address: str, capture: str) -> Iterator[ClusterCapture | None]:
    """The capture in a database; None where that has another one by now."""
    database = ClusterDatabase(address)
    try:
        found = find_capture(database)
        yield ClusterCapture(database) if found is not None and found[0] == capture else None
    finally:
        database.close()
