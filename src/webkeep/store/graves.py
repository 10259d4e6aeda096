"""Graves: which records that come along were taken down before."""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.model import Digest, Moment
from webkeep.store.archive import Archive
from webkeep.store.ledger import Tombstone
from webkeep.store.sight import Sight

_WEB = ("http:", "https:", "ws:", "wss:", "ftp:", "ftps:", "file:")


ASKED_AGAIN = "--include {} asks for it again"
BROUGHT_BACK = "--restore brings it back"


def taken_down(archive: Archive, advice: str = ASKED_AGAIN) -> dict[str, str]:
    """The URLs of which all that was held was taken down, each with when and why, and how it is had again."""
    last = {stone.url: stone for stone in archive.tombstones() if stone.url.startswith(_WEB)}
    gone = (url for url in last if not any(each.url == url for each in archive.history(url, resolve=False)))
    return {url: f"{_words(last[url])}; {advice.format(url)}" for url in gone}


def _words(stone: Tombstone) -> str:
    why = f" ({stone.reason})" if stone.reason else ""
    return f"taken down {stone.removed.iso()[:10]}{why}"


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
