"""The blocks of a vault by the page that carries them, as its folder has them at the moment: read when a page is first
asked for, held within a budget, and read anew when the vault was protected again.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from webkeep.errors import WebkeepError
from webkeep.model import Moment
from webkeep.vault.protection.vault_folder import PublishedSegment, VaultFolder, version_moment

_MAX_HELD_BYTES = 64 << 20
"""Of comments in memory; pages beyond are read from disk each time they are asked for."""
_LOOK_SECONDS = 0.05
"""So seldom a busy server looks whether the vault was protected again: each look is a call of the system."""
_MARK_LENGTH = 12
"""Of what tells one state of a page's blocks from another, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class CarriedBlocks:
    """What a page carries."""

    comments: bytes
    mark: str
    """Another one whenever blocks moved; a part of the page's ETag."""
    moved: Moment
    """When blocks last moved."""


class CarriedPages:
    """Finds what a page carries; may be asked from many threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = VaultFolder(folder)
        self._state_file = folder / "vault.json"
        self._lock = threading.Lock()
        self._next_look = 0.0
        self._seen: tuple[int, int] | None = None
        self._blocks: dict[str, list[tuple[PublishedSegment, int]]] = {}
        self._held: dict[str, CarriedBlocks] = {}
        self._held_bytes = 0

    def find(self, path: str, query: str = "") -> CarriedBlocks | None:
        """What the page at a path carries; None where it carries nothing."""
        if monotonic() >= self._next_look:
            self._follow_changes()
        key = f"{path}?{query}" if query else path
        held = self._held.get(key)
        if held is not None:
            return held
        kept_in, known = self._held, self._blocks
        blocks = known.get(key) or (known.get(f"{path}index.html") if path.endswith("/") else None)
        return self._load(key, blocks, kept_in) if blocks else None

    def _follow_changes(self) -> None:
        """Read the vault's state where it is not the one that was read last."""
        self._next_look = monotonic() + _LOOK_SECONDS
        try:
            facts = self._state_file.stat()
            seen = (facts.st_mtime_ns, facts.st_ino)
        except OSError:
            return  # what was read last still holds
        if seen == self._seen:
            return
        with self._lock:
            if seen == self._seen:
                return
            try:
                state = self._folder.read_state()
            except WebkeepError:
                return
            if state is not None:
                self._blocks, self._held, self._held_bytes = state.blocks_by_page(), {}, 0
            self._seen = seen

    def _load(
        self, key: str, blocks: list[tuple[PublishedSegment, int]], kept_in: dict[str, CarriedBlocks]
    ) -> CarriedBlocks | None:
        try:
            comments = b"".join(self._folder.read_comment(segment, index) for segment, index in blocks)
        except (OSError, WebkeepError):
            return None  # protected again at this very moment
        versions = ",".join(f"{segment.file_name}-{index}" for segment, index in blocks)
        newest = max(segment.identity.version for segment, _ in blocks)
        mark = hashlib.sha256(versions.encode()).hexdigest()[:_MARK_LENGTH]
        found = CarriedBlocks(comments, mark, version_moment(newest))
        with self._lock:
            # Blocks of before another thread read a new state are for this one request.
            if self._held is kept_in and self._held_bytes + len(comments) <= _MAX_HELD_BYTES:
                self._held[key] = found
                self._held_bytes += len(comments)
        return found
