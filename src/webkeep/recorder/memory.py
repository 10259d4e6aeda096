"""The memory of what was recorded last, so that an answer that did not change costs next to nothing."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import xxhash

from webkeep.recorder.message import Answer, Request

SEED = secrets.randbits(64)
"""Drawn anew by every process, so that nobody outside can steer the hashes."""

digest: Callable[[bytes, int], bytes] = xxhash.xxh3_128_digest
"""Gives what stands for a body; called with the seed."""

Place = tuple[Any, ...]
"""Path, host and whatever else tells one URL from another, as a server hands them over."""

Head = tuple[Any, ...]
"""The status and after it the fields, as an application gives them."""


@dataclass(slots=True, eq=False)
class Last:
    """The answer recorded last under a key."""

    mark: bytes
    """What else than the body makes an answer another one."""
    digest: bytes
    micros: int
    """When it was."""
    validators: bytes = b""
    length: int | None = None
    fingerprint: int = 0
    """By which it is known in a moment; 0 as long as it is not."""
    is_current: bool = True
    """Whether no other came since, as far as is remembered."""

    def is_like(self, mark: bytes, digest: bytes) -> bool:
        """Whether another answer is the same."""
        return self.digest == digest and self.mark == mark


LEFT_OUT = Last(b"", b"", 0)
"""Stands for a URL that the rules leave out."""


def fingerprint(place: Place, head: Head, body: bytes) -> int:
    """What stands for an answer at a place, by its head and the digest of its body; 0 where nothing can."""
    try:
        return hash((place, head, body))
    except TypeError:  # a field may be a list
        return 0


class Memory:
    """The last answers of so many URLs."""

    __slots__ = ("_last", "_lock", "_most", "_origin", "known", "unwanted")

    def __init__(self, most: int, origin: str = "") -> None:
        self._most = most
        self._origin = origin.encode()
        self._last: dict[bytes, Last] = {}
        self._lock = threading.Lock()
        self.known: set[int] = set()
        """Fingerprints of answers that are the ones recorded last."""
        self.unwanted: dict[int, None] = {}
        """Fingerprints, without a body, of answers that the rules leave out."""

    def key(self, request: Request, answer: Answer) -> bytes:
        """What stands for a URL, in the variant that was negotiated."""
        return digest(request.named(self._origin) + answer.variant, SEED)

    def get(self, key: bytes) -> Last | None:
        """The answer recorded last, where that is known."""
        return self._last.get(key)

    def keep(self, key: bytes, last: Last) -> None:
        """Remember an answer; the one that was remembered longest ago makes room for it."""
        with self._lock:
            self._drop(key)
            if len(self._last) >= self._most:
                self._drop(next(iter(self._last)))
            self._last[key] = last

    def forget(self, key: bytes, last: Last) -> None:
        """Forget an answer that did not reach the archive, unless another came since."""
        with self._lock:
            if self._last.get(key) is last:
                self._drop(key)

    def forget_all(self) -> None:
        """Forget every answer, because the archive that held them is gone."""
        with self._lock:
            for key in list(self._last):
                self._drop(key)

    def recognise(self, place: Place, head: Head, last: Last) -> None:
        """Know the next answer like this one by its fingerprint."""
        mine = fingerprint(place, head, last.digest)
        with self._lock:
            if mine == 0 or not last.is_current:
                return
            if last is LEFT_OUT:
                if len(self.unwanted) >= self._most:
                    del self.unwanted[next(iter(self.unwanted))]
                self.unwanted[mine] = None
            else:
                self.known.discard(last.fingerprint)
                last.fingerprint = mine
                self.known.add(mine)

    def _drop(self, key: bytes) -> None:
        last = self._last.pop(key, None)
        if last is not None and last is not LEFT_OUT:
            last.is_current = False
            self.known.discard(last.fingerprint)
