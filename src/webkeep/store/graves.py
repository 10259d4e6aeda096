"""Graves: which records that come along were taken down before."""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.model import Digest, Moment
from webkeep.store.ledger import Tombstone
from webkeep.store.sight import Sight


class Graves:
    """Tombstones, found by what records say; of several for one record the latest."""

    def __init__(self, tombstones: Iterable[Tombstone]) -> None:
        self._by_record: dict[str, Tombstone] = {}
        self._by_sight: dict[tuple[str, Moment, str], Tombstone] = {}
        for stone in tombstones:
            if stone.record:
                self._by_record[stone.record] = stone
            self._by_sight[stone.url, stone.moment, stone.digest] = stone

    def of(self, sight: Sight) -> Tombstone | None:
        """The tombstone of a record: of its identifier, or of the same payload seen at the same URL and moment."""
        seen = (sight.url, sight.moment, str(Digest.parse(sight.payload_digest) or ""))
        return self._by_record.get(sight.record) or self._by_sight.get(seen)
