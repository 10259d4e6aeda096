"""The memory of what was recorded last, so that an answer that did not change costs next to nothing."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import xxhash

from webkeep.recorder.message import Answer, Field, Request

Place = tuple[str, bytes, bytes, bytes]
"""Scheme, host, path and query, as a server hands them over."""

_LONGEST_GLANCE = 2048
_MOST_GLANCES = 4096


class Last(NamedTuple):
    """The answer recorded last under a key."""

    mark: bytes
    """What else than the body makes an answer another one."""
    digest: bytes
    micros: int
    """When it was."""
    validators: bytes = b""
    length: int | None = None

    def is_like(self, mark: bytes, digest: bytes) -> bool:
        """Whether another answer is the same."""
        return self.digest == digest and self.mark == mark


LEFT_OUT = Last(b"", b"", 0)
"""Stands for a URL that the rules leave out."""


class Glance(NamedTuple):
    """The head of an answer that was the one recorded last: with the same head, only the body can differ."""

    status: int
    fields: tuple[Field, ...]
    key: bytes
    last: Last


class Memory:
    """The last answers of so many URLs, by hashes that nobody outside can steer: their seed is drawn anew each time."""

    __slots__ = ("_glances", "_last", "_lock", "_most", "_origin", "_seed", "digest")

    def __init__(self, most: int, origin: str = "") -> None:
        self._most = most
        self._origin = origin.encode()
        self._seed = secrets.randbits(64)
        self._last: dict[bytes, Last] = {}
        self._glances: dict[Place, Glance] = {}
        self._lock = threading.Lock()
        self.digest: Callable[[bytes], bytes] = partial(xxhash.xxh3_128_digest, seed=self._seed)
        """Gives what stands for a body."""

    def key(self, request: Request, answer: Answer) -> bytes:
        """What stands for a URL, in the variant that was negotiated."""
        return self.digest(request.named(self._origin) + answer.variant)

    def hasher(self) -> xxhash.xxh3_128:
        """The same for a body that comes in pieces."""
        return xxhash.xxh3_128(seed=self._seed)

    def get(self, key: bytes) -> Last | None:
        """The answer recorded last, where that is known."""
        return self._last.get(key)

    def keep(self, key: bytes, last: Last) -> None:
        """Remember an answer; the one that was remembered longest ago makes room for it."""
        with self._lock:
            self._last.pop(key, None)
            if len(self._last) >= self._most:
                del self._last[next(iter(self._last))]
            self._last[key] = last

    def forget(self, key: bytes, last: Last) -> None:
        """Forget an answer that did not reach the archive, unless another came since."""
        with self._lock:
            if self._last.get(key) is last:
                del self._last[key]

    def glance(self, place: Place) -> Glance | None:
        """The head that came with the answer recorded last, if that is still the last."""
        glance = self._glances.get(place)
        return glance if glance is not None and self._last.get(glance.key) is glance.last else None

    def keep_glance(self, place: Place, glance: Glance) -> None:
        """Remember a head; those with much in them are not worth it."""
        size = sum(map(len, place)) + sum(len(name) + len(value) for name, value in glance.fields)
        if size <= _LONGEST_GLANCE:
            with self._lock:
                if len(self._glances) >= _MOST_GLANCES:
                    del self._glances[next(iter(self._glances))]
                self._glances[place] = glance
