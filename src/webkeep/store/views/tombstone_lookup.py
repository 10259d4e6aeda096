"""Tombstones looked up: which records and URLs that come along were taken down before, and how they are had again
(`--include`, `--restore`).
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.model import Digest, Moment
from webkeep.presentation import format_date
from webkeep.store.archive.archive import Archive
from webkeep.store.index.archive_log import Tombstone
from webkeep.store.index.record_facts import RecordFacts

_WEB_SCHEMES = ("http:", "https:", "ws:", "wss:", "ftp:", "ftps:", "file:")


CAPTURE_AGAIN_ADVICE = "--include {} asks for it again"
RESTORE_ADVICE = "--restore brings it back"


def read_taken_down(archive: Archive, advice: str = CAPTURE_AGAIN_ADVICE) -> dict[str, str]:
    """The URLs of which all that was held was taken down, each with when and why, and how it is had again."""
    last = {stone.url: stone for stone in archive.tombstones() if stone.url.startswith(_WEB_SCHEMES)}
    gone = (url for url in last if not any(each.url == url for each in archive.history(url, resolve=False)))
    return {url: f"{_describe_tombstone(last[url])}; {advice.format(url)}" for url in gone}


def find_tombstones(archive: Archive, urls: Iterable[str]) -> list[Tombstone]:
    """What was taken down of any of these spellings, each version once, in the order in which it was seen."""
    return latest_tombstones(archive.catalog.log.tombstones(tuple(urls)))


def latest_tombstones(stones: Iterable[Tombstone]) -> list[Tombstone]:
    """Versions that were taken down, each with its last tombstone, in the order in which they were seen."""
    latest = {(stone.url, stone.moment): stone for stone in sorted(stones, key=lambda stone: stone.removed)}
    return sorted(latest.values(), key=lambda stone: (stone.moment, stone.url))


def _describe_tombstone(stone: Tombstone) -> str:
    why = f" ({stone.reason})" if stone.reason else ""
    return f"taken down {format_date(stone.removed)}{why}"


class TombstoneLookup:
    """Tombstones, found by what records say; of several for one record the latest."""

    def __init__(self, tombstones: Iterable[Tombstone]) -> None:
        self._by_record: dict[str, Tombstone] = {}
        self._by_facts: dict[tuple[str, Moment, str], Tombstone] = {}
        for stone in tombstones:
            if stone.record:
                self._by_record[stone.record] = stone
            self._by_facts[stone.url, stone.moment, stone.digest] = stone

    def find(self, facts: RecordFacts) -> Tombstone | None:
        """The tombstone of a record: of its identifier, or of the same payload seen at the same URL and moment."""
        seen = (facts.url, facts.moment, str(Digest.parse(facts.payload_digest) or ""))
        return self._by_record.get(facts.record) or self._by_facts.get(seen)
