"""What archives beside this one hold, as the writer asks for it: the port through which a payload that another archive
has on its disk becomes a revisit here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from webkeep.store.index.payloads import StoredPayload


class SharedPayloads(Protocol):
    """Payloads of several archives, by digest; called by the writer's threads."""

    @property
    def least_bytes(self) -> int:
        """From which size on it is worth asking for a payload."""
        ...

    def shares(self, media_type: str) -> bool:
        """Whether payloads of this type may lie in another archive."""
        ...

    def find(self, digests: Sequence[str]) -> Sequence[StoredPayload]:
        """Which of these are on the disk of another archive; nothing where that cannot be told for now."""
        ...

    def note_stored(self, payload: StoredPayload) -> None:
        """A payload is on the disk here."""
        ...
