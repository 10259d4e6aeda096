"""Payloads that workers of one capture share: what another worker has on its disk is asked of the database, and
referred to there; what is on the disk here is handed over with the batches.

Theory of operation. The writer asks once for each batch of exchanges that has large payloads it does not hold, on a
connection of its own, and says what is on its disk once that is synced. What is asked for and not found, or cannot be
asked for now, is stored: two workers that store the same at the same time both hold it, which is counted at the end.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from webkeep.cluster.database_clock import steady_micros
from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.held_payloads import LEAST_PAYLOAD_BYTES, find_payloads
from webkeep.crawl.run import is_linkless_type
from webkeep.errors import StorageError
from webkeep.store.index import StoredPayload

_STUCK_SECONDS = 3.0
"""So long the writer waits for an answer at most; then it stores. Leases of the worker last longer than that."""
_SILENT_SECONDS = 30.0
"""So long nothing is asked for after an answer that did not come."""


class ClusterPayloads:
    """What a worker's writer asks about payloads, and tells of them."""

    def __init__(self, address: str, keeper: str, pages_stay: bool) -> None:
        """With `pages_stay`, what may have links is stored by each worker, to be read once more out of its archive."""
        self._database = ClusterDatabase(address, _STUCK_SECONDS)
        self._keeper, self._pages_stay = keeper, pages_stay
        self._silent_until = 0
        self._stored: list[StoredPayload] = []
        self._lock = threading.Lock()

    @property
    def least_bytes(self) -> int:
        """From which size on it is worth asking for a payload."""
        return LEAST_PAYLOAD_BYTES

    def shares(self, media_type: str) -> bool:
        """Whether payloads of this type may lie in another worker's archive alone."""
        return not self._pages_stay or is_linkless_type(media_type)

    def find(self, digests: Sequence[str]) -> Sequence[StoredPayload]:
        """Which of these another worker has on its disk; nothing where the database does not answer."""
        if steady_micros() < self._silent_until:
            return ()
        try:
            return self._database.transact(lambda within: find_payloads(within, self._keeper, digests), attempts=1)
        except StorageError:  # what is not referred to is stored, and counted at the end
            self._silent_until = steady_micros() + round(_SILENT_SECONDS * 1e6)
            return ()

    def note_stored(self, payload: StoredPayload) -> None:
        """A payload is on the disk here."""
        if payload.place.length >= LEAST_PAYLOAD_BYTES:
            with self._lock:
                self._stored.append(payload)

    def take_stored(self) -> list[StoredPayload]:
        """What came onto the disk since this was asked last, to be handed over."""
        with self._lock:
            stored, self._stored = self._stored, []
        return stored

    @property
    def statements(self) -> int:
        """How many were asked of the database."""
        return self._database.statements

    def close(self) -> None:
        """Let go of the connection; nothing may be asked for any more."""
        self._database.close()
