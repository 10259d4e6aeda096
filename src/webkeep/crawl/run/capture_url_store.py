"""What a capture asks of its URL store beyond what the frontier does: where a URL came from, and when it is put on
disk. `SqliteUrlStore` is the one of a capture on one machine.
"""

from __future__ import annotations

from typing import Protocol

from webkeep.frontier.urls import UrlStore


class CaptureUrlStore(UrlStore, Protocol):
    """A URL store that lasts, by whatever means."""

    def source_of(self, host: str) -> str:
        """The URL that led to one of a host's queued URLs; empty where none did."""
        ...

    def url_of(self, number: int) -> str:
        """The URL of a candidate by its number; empty for 0."""
        ...

    @property
    def is_commit_due(self) -> bool:
        """Whether it is time to put things on disk."""
        ...

    def commit(self, at_once: bool = False) -> None:
        """Put what was entered and settled where it lasts, where that is due."""
        ...
