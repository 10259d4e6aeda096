"""Frozen pages: as a browser left them when their states were walked, for copies that cannot run them; which state of
which walk is taken, and the CSP that keeps their scripts from running again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.formats.states import ROOT_STATE, StateNote, is_state_urn
from webkeep.mirror.selection.copy_contents import CopyItem
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.views import expand_document, read_state_notes, read_walk

_POLICY = "default-src 'self' file: data: blob: 'unsafe-inline'; script-src 'none'; worker-src 'none'"
FROZEN_HEAD = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
"""What keeps the scripts of a frozen page from running once more."""


@dataclass(slots=True)
class FrozenPages:
    """Gives pages as they were in a state; in each process from an archive of its own."""

    path: Path
    at: Moment | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    """The states of pages that are wanted in a certain one, by URL."""
    _archives: dict[int, Archive] = field(default_factory=dict)

    def __call__(self, item: CopyItem, is_needed: bool) -> bytes | None:
        """The page, where it was chosen or cannot be had alive; None where no state of it is held."""
        if item.url not in self.chosen and not is_needed:
            return None
        notes = {note.id: note for note in self._walk_notes(item.url)}
        try:
            text = expand_document(notes, self.chosen.get(item.url, ROOT_STATE))
        except FormatError as error:
            if item.url not in self.chosen:
                return None
            raise StorageError(f"the state that {item.url} is to be frozen in cannot be shown: {error}") from error
        return text.encode("utf-8", "replace") or None

    def _walk_notes(self, page: str) -> list[StateNote]:
        """The views of the walk that is meant: the last one that came to the state that is wanted, or the nearest."""
        if page not in self.chosen:
            return read_walk(self._archive(), page, self.at)
        notes = [note for note in read_state_notes(self._archive(), page=page) if note.page == page]
        capture = next((note.capture for note in reversed(notes) if note.id == self.chosen[page]), "")
        return [note for note in notes if note.capture == capture]

    def _archive(self) -> Archive:
        known = self._archives.get(os.getpid())
        if known is None:
            known = self._archives[os.getpid()] = Archive(self.path)
        return known


def check_state_addresses(addresses: list[str]) -> None:
    """Refuse what can be the address of no state, before anything is done for it."""
    for address in addresses:
        if not is_state_urn(address):
            raise UsageError(f"{address!r} is no state's address; webkeep list ARCHIVE --states --json shows them")


def find_states(archive: Archive, addresses: list[str]) -> dict[str, str]:
    """The states by their addresses, as `webkeep list --states --json` gives them; by page."""
    check_state_addresses(addresses)
    known = {note.urn: note for note in read_state_notes(archive)} if addresses else {}
    chosen: dict[str, str] = {}
    for address in addresses:
        note = known.get(address)
        if note is None:
            raise UsageError(
                f"{archive.path} holds no state {address}; "
                f"webkeep list {archive.path} --states --json shows those it holds"
            )
        if chosen.setdefault(note.page, note.id) != note.id:
            raise UsageError(f"{note.page} can be frozen in one state only; take one of the two addresses away")
    return chosen
