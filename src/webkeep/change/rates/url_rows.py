"""URLs as numbers: a million of them in some twenty megabytes, because only a salted hash of each is kept."""

from __future__ import annotations

from array import array

import xxhash

_INITIAL_SLOTS = 1024
"""Slots of an empty table, which doubles as it fills."""


class UrlRows:
    """Gives every URL the number of the row that is its own in somebody's columns.

    Hashes have 64 bits, so that two URLs in a million share a row once in ten million times. A salt that sites do not
    know keeps them from crowding the table with URLs made for it.
    """

    def __init__(self, most: int, salt: int = 0) -> None:
        self._most, self._salt = most, salt % (1 << 64)
        self._keys = array("Q")
        self._slots = array("i", [-1]) * _INITIAL_SLOTS

    def __len__(self) -> int:
        return len(self._keys)

    def find_row(self, url: str) -> int:
        """The row of a URL; minus one where it has none."""
        return self._slots[self._find_slot(self._key(url))]

    def find_or_add_row(self, url: str) -> int:
        """The row of a URL, a new one if need be; minus one where it has none and there are no more."""
        key = self._key(url)
        slot = self._find_slot(key)
        row = self._slots[slot]
        if row >= 0 or len(self._keys) >= self._most:
            return row
        self._keys.append(key)
        self._slots[slot] = len(self._keys) - 1
        if 3 * len(self._keys) > 2 * len(self._slots):
            self._grow()
        return len(self._keys) - 1

    def _key(self, url: str) -> int:
        return int(xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"), self._salt))

    def _find_slot(self, key: int) -> int:
        """Where the key is, or the free place it would have."""
        slots, keys, mask = self._slots, self._keys, len(self._slots) - 1
        slot = key & mask
        while (row := slots[slot]) >= 0 and keys[row] != key:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        self._slots = array("i", [-1]) * (2 * len(self._slots))
        for row, key in enumerate(self._keys):
            self._slots[self._find_slot(key)] = row
