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
