"""Which entry of a log belongs to which record: records are met file by file, mostly in the order of the log.

So the next entry is looked at first, and only where that is another one is the log searched; once it was searched often
enough, by way of a table of all entries.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator

from webkeep.formats.transparency import HASH_BYTES

_MAX_SEARCHES = 256
"""Searches through the whole log, of 30 ms each for a million entries, before a table of all entries is made."""


class EntryMatcher:
    """Takes the hashes of records and says which entries they are; each entry is given once."""

    def __init__(self, entries: mmap.mmap | bytes) -> None:
        self._entries = entries
        self.count = len(entries) // HASH_BYTES
        self._used = bytearray(self.count)
        self._mark = 0
        self._next = 0
        self._searches = 0
        self._places: dict[bytes, int] | None = None

    def begin_file(self) -> None:
        """What is matched from now on is of another file."""
        self._mark = self._mark % 255 + 1

    def match(self, record_hash: bytes) -> int | None:
        """The number of an entry that is this hash and was not given before; None where there is none."""
        at = self._next
        if at >= self.count or self._used[at] or self._entry(at) != record_hash:
            at = self.find(record_hash)
            if at < 0:
                return None
        self._used[at] = self._mark or 1
        self._next = at + 1
        return at

    def find(self, record_hash: bytes) -> int:
        """The number of such an entry, which stays to be given; -1 where there is none."""
        if self._places is None:
            self._searches += 1
            if self._searches <= _MAX_SEARCHES:
                return self._search(record_hash, 0)
            self._places = {self._entry(at): at for at in range(self.count - 1, -1, -1)}
        at = self._places.get(record_hash, -1)
        return self._search(record_hash, at + 1) if at >= 0 and self._used[at] else at

    def could_be_between(self, at: int, low: int, high: int) -> bool:
        """Whether a record of this file that was given an entry could be one between two others just as well.

        That is so where an equal entry lies there that no record of this file was given.
        """
        entry = self._entry(at)
        found = self._entries.find(entry, (low + 1) * HASH_BYTES, max(high, 0) * HASH_BYTES)
        while found >= 0:
            if found % HASH_BYTES == 0 and self._used[found // HASH_BYTES] != (self._mark or 1):
                return True
            found = self._entries.find(entry, found + 1, high * HASH_BYTES)
        return False

    def left_over(self) -> Iterator[int]:
        """The entries that were not given."""
        at = self._used.find(0)
        while at >= 0:
            yield at
            at = self._used.find(0, at + 1)

    def entry(self, at: int) -> bytes:
        """The entry of that number."""
        return self._entry(at)

    def _entry(self, at: int) -> bytes:
        return self._entries[at * HASH_BYTES : (at + 1) * HASH_BYTES]

    def _search(self, record_hash: bytes, start: int) -> int:
        found = self._entries.find(record_hash, start * HASH_BYTES)
        while found >= 0 and (found % HASH_BYTES or self._used[found // HASH_BYTES]):
            found = self._entries.find(record_hash, found + 1)
        return found // HASH_BYTES if found >= 0 else -1
