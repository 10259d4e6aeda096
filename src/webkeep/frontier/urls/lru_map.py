"""A memory of what was met lately (LRU): bounded, and forgetting in halves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruMap(Generic[K, V]):
    """A mapping that holds the last so many keys used, and up to twice as many."""

    __slots__ = ("_least", "_old", "_young")

    def __init__(self, least: int) -> None:
        self._least = least
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """What is remembered of a key, which counts as a use of it."""
        value = self._young.get(key)
        if value is None and self._old and (value := self._old.pop(key, None)) is not None:
            self[key] = value
        return value

    def __setitem__(self, key: K, value: V) -> None:
        if len(self._young) >= self._least:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def items(self) -> Iterator[tuple[K, V]]:
        """Everything remembered."""
        yield from self._young.items()
        yield from ((key, value) for key, value in self._old.items() if key not in self._young)

    def __bool__(self) -> bool:
        return bool(self._young or self._old)

    def clear(self) -> None:
        """Forget everything."""
        self._young.clear()
        self._old.clear()
