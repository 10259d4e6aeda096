"""Origins whose names are too long for a DNS label, found again by the hash that stands for them; how often the index
is searched for one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from webkeep.replay.choice.collection import Collection
from webkeep.replay.shim.replay_host import hash_origin
from webkeep.store.index import IndexRange
from webkeep.url import normalize_url, split_url

_MIN_HASHED_KEY_CHARS = 30
"""A host whose key is shorter has a label of its own, whatever is put before it."""

_RESCAN_SECONDS = 30.0
"""Seconds before the index is searched again for what was not found."""


class HashedOrigins:
    """The long origins of a collection; searched for when one is asked for that is not known."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._known: dict[str, str] = {}
        self._searched = float("-inf")

    def find_origin(self, text: str) -> str:
        """The origin that a hash stands for, "" where none does."""
        if text and text not in self._known and time.monotonic() - self._searched > _RESCAN_SECONDS:
            self._known = {hash_origin(origin): origin for origin in self._long_origins()}
            self._searched = time.monotonic()
        return self._known.get(text, "")

    def _long_origins(self) -> Iterator[str]:
        for index in self._collection.indexes():
            for site in index.list_site_keys():
                if len(site) > _MIN_HASHED_KEY_CHARS:
                    seen = {_origin_of(entry.url) for entry in index.entries(IndexRange(site, f"{site[:-1]}*"))}
                    yield from seen - {""}


def _origin_of(url: str) -> str:
    href = normalize_url(url)
    return split_url(href).origin if href and href.startswith(("http", "ftp")) else ""
