"""Bodies: bytes of known length that can be read again and again, wherever they lie, and how much of a long one is
handled at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

CHUNK_BYTES = 64 * 1024
"""How much of a long body is handled at a time: little enough for hundreds of bodies at once, enough to cost few
calls."""


class Body(Protocol):
    """Bytes that may be too many for memory; read in chunks, as often as needed."""

    @property
    def size(self) -> int:
        """How many bytes there are."""
        ...

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on, in chunks of a bounded size."""
        ...


@dataclass(frozen=True, slots=True)
class BytesBody:
    """A body small enough to be held."""

    data: bytes = b""

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        if start < len(self.data):
            yield self.data[start:] if start else self.data
