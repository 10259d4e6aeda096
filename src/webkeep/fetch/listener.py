"""Someone who watches a response as it comes: a proxy that passes it on."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """Told of the final response alone, never of interim answers or of one that asks for credentials."""

    def head(self, head: bytes) -> None:
        """The whole head came."""

    def data(self, chunk: bytes) -> None:
        """More of the body came."""
