"""Deduplication: what was stored before, by payload digest, be it in the catalog or on its way to it, and which payload
a URL had last.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from webkeep.model import Moment, RecordType
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.index.url_index import UrlIndex
from webkeep.url import surt

_REVISIT = RecordType.REVISIT

_MAX_RECENT_PAYLOADS = 16384
"""More than the writer lets wait: whatever is not committed yet is among them."""


class DedupIndex:
    """Answers whether a payload is held already, for deduplication across the whole archive."""

    def __init__(self, index: UrlIndex, catalog: Catalog) -> None:
        self._index = index
        self._catalog = catalog
        self._recent: dict[str, StoredPayload] = {}
        self._elsewhere: dict[str, StoredPayload] = {}
        self._lock = threading.Lock()

    def prefetch(self, digests: Sequence[str]) -> None:
        """Bring back what the catalog knows of these payloads, all at once."""
        with self._lock:
            unknown = [digest for digest in digests if digest not in self._recent]
            for payload in self._catalog.payloads.find_all(unknown):
                self._remember(payload)

    def learn(self, payloads: Sequence[StoredPayload]) -> None:
        """Know of payloads that other archives hold, in place of what was learned before: archives may be gone since.

        What this one holds, or is about to, goes before that.
        """
        self.prefetch([payload.digest for payload in payloads])
        with self._lock:
            self._elsewhere = {payload.digest: payload for payload in payloads}

    def find_missing(self, digests: Sequence[str]) -> list[str]:
        """Those of these payloads that the catalog does not have."""
        held = {payload.digest for payload in self._catalog.payloads.find_all(digests)}
        return [digest for digest in dict.fromkeys(digests) if digest not in held]

    def claim(self, payload: StoredPayload) -> StoredPayload | None:
        """The record that holds a payload recalled before; None, and from now on this one, where there is none."""
        with self._lock:
            found = self._recent.get(payload.digest) or self._elsewhere.get(payload.digest)
            if found is None:
                self._remember(payload)
            return found

    def disclaim(self, digest: str) -> None:
        """The record that claimed a payload will not be written; what the catalog knows of it can be recalled."""
        with self._lock:
            self._recent.pop(digest, None)

    def latest_payload(self, url: str, before: Moment) -> StoredPayload | None:
        """The record that holds the payload this URL had last."""
        entry = self._index.latest_before(surt(url), url, before)
        payload = self._catalog.payloads.get(entry.digest) if entry else None
        if entry is None or payload is None:
            return None
        # A whole record that does not hold the payload of its digest has another payload whose SHA-1 is the same.
        return payload if entry.record_type == _REVISIT or payload.place == entry.place else None

    def _remember(self, payload: StoredPayload) -> None:
        if len(self._recent) >= _MAX_RECENT_PAYLOADS:
            del self._recent[next(iter(self._recent))]
        self._recent[payload.digest] = payload
