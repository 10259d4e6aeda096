"""The memory of what was recorded last, so that an answer that did not change costs next to nothing: what makes two
answers the same (hash, fingerprint), and which is forgotten first.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import xxhash

from webkeep.recorder.app_message import AppRequest, AppResponse

HASH_SEED = secrets.randbits(64)
"""Drawn anew by every process, so that nobody outside can steer the hashes."""

body_digest: Callable[[bytes, int], bytes] = xxhash.xxh3_128_digest
"""Gives what stands for a body; called with the seed."""

_MAX_HELD_BODY_BYTES = 64 << 10
"""Longer ones are as quickly hashed."""

UrlParts = tuple[Any, ...]
"""Path, host and whatever else tells one URL from another, as a server hands them over."""

AppHead = tuple[Any, ...]
"""The status and after it the fields, as an application gives them."""


@dataclass(slots=True, eq=False)
class RecordedResponse:
    """The answer recorded last under a key."""

    mark: bytes
    """What else than the body makes an answer another one."""
    digest: bytes
    recorded_micros: int
    """When it was."""
    validators: bytes = b""
    length: int | None = None
    fingerprint: int = 0
    """By which it is known in a moment; 0 as long as it is not."""
    held_as: int = 0
    """Under which its body is held; 0 where it is not."""
    is_current: bool = True
    """Whether no other came since, as far as is remembered."""

    def is_same(self, mark: bytes, digest: bytes) -> bool:
        """Whether another answer is the same."""
        return self.digest == digest and self.mark == mark


LEFT_OUT_RESPONSE = RecordedResponse(b"", b"", 0)
"""Stands for a URL that the rules leave out."""


def fingerprint_of(place: UrlParts, head: AppHead, *body: bytes) -> int:
    """What stands for an answer at a place, by its head and the digest of its body; 0 where nothing can."""
    try:
        return hash((place, head, *body))
    except TypeError:  # a field may be a list
        return 0


class RecentResponses:
    """The last answers of so many URLs."""

    __slots__ = (
        "_body_room",
        "_last",
        "_lock",
        "_most",
        "_origin",
        "held_bodies",
        "known_fingerprints",
        "left_out_fingerprints",
    )

    def __init__(self, most: int, origin: str = "", body_room: int = 0) -> None:
        """So many answers, and so many bytes of their bodies."""
        self._most = most
        self._origin = origin.encode()
        self._body_room = body_room
        self._last: dict[bytes, RecordedResponse] = {}
        self._lock = threading.Lock()
        self.known_fingerprints: set[int] = set()
        """Fingerprints of answers that are the ones recorded last."""
        self.held_bodies: dict[int, bytes] = {}
        """Bodies of some of these by `hash((place, head))`.

        To compare a page of 15 KB takes 0.7 µs. To hash it takes 4, as processors are slow to begin with the wide
        registers that xxhash uses, and half as much again as all else that is done for an answer that is known.
        """
        self.left_out_fingerprints: dict[int, None] = {}
        """Fingerprints, without a body, of answers that the rules leave out."""

    def key_of(self, request: AppRequest, response: AppResponse) -> bytes:
        """What stands for a URL, in the variant that was negotiated."""
        return body_digest(request.raw_url(self._origin) + response.variant, HASH_SEED)

    def get(self, key: bytes) -> RecordedResponse | None:
        """The answer recorded last, where that is known."""
        return self._last.get(key)

    def remember(self, key: bytes, last: RecordedResponse) -> None:
        """Remember an answer; the one that was remembered longest ago makes room for it."""
        with self._lock:
            self._drop_key(key)
            if len(self._last) >= self._most:
                self._drop_key(next(iter(self._last)))
            self._last[key] = last

    def forget(self, key: bytes, last: RecordedResponse) -> None:
        """Forget an answer that did not reach the archive, unless another came since."""
        with self._lock:
            if self._last.get(key) is last:
                self._drop_key(key)

    def forget_all(self) -> None:
        """Forget every answer, because the archive that held them is gone."""
        with self._lock:
            for key in list(self._last):
                self._drop_key(key)

    def is_known(self, place: UrlParts, head: AppHead, body: bytes) -> bool:
        """Whether an answer is one recorded last, told by a glance."""
        held = fingerprint_of(place, head)
        return held != 0 and (
            self.held_bodies.get(held) == body
            or fingerprint_of(place, head, body_digest(body, HASH_SEED)) in self.known_fingerprints
        )

    def remember_fingerprint(self, place: UrlParts, head: AppHead, last: RecordedResponse, body: bytes) -> None:
        """Know the next answer like this one by its fingerprint, or by its body where there is room for that."""
        mine = fingerprint_of(place, head, last.digest)
        with self._lock:
            if mine == 0 or not last.is_current:
                return
            if last is LEFT_OUT_RESPONSE:
                if len(self.left_out_fingerprints) >= self._most:
                    del self.left_out_fingerprints[next(iter(self.left_out_fingerprints))]
                self.left_out_fingerprints[mine] = None
            else:
                self._drop_quick(last)
                last.fingerprint = mine
                self.known_fingerprints.add(mine)
                self._hold_body(fingerprint_of(place, head), last, body)

    def _hold_body(self, name: int, last: RecordedResponse, body: bytes) -> None:
        if len(body) <= min(self._body_room, _MAX_HELD_BODY_BYTES) and name not in self.held_bodies:
            self._body_room -= len(body)
            self.held_bodies[name] = body
            last.held_as = name

    def _drop_quick(self, last: RecordedResponse) -> None:
        """Do without what an answer is known by in a moment."""
        self.known_fingerprints.discard(last.fingerprint)
        if last.held_as:
            self._body_room += len(self.held_bodies.pop(last.held_as))
            last.held_as = 0

    def _drop_key(self, key: bytes) -> None:
        last = self._last.pop(key, None)
        if last is not None and last is not LEFT_OUT_RESPONSE:
            last.is_current = False
            self._drop_quick(last)
