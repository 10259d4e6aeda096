"""Frozen pages: as a browser left them when their client-side states were walked, for copies that cannot run them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.state_note import ROOT
from webkeep.mirror.contents import Item
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.states import rendered, state_notes, walk_of

_POLICY = "script-src 'none'; worker-src 'none'"
FROZEN_HEAD = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
"""What keeps the scripts of a frozen page from running once more."""


@dataclass(slots=True)
class FrozenPages:
    """Gives pages as they were in a state; in each process from an archive of its own."""

    path: Path
    at: Moment | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    """The states of pages that are wanted in a certain one, by URL."""
    _opened: dict[int, Archive] = field(default_factory=dict)

    def __call__(self, item: Item, is_needed: bool) -> bytes | None:
        """The page, where it was chosen or cannot be had alive; None where no state of it is held."""
        if item.url not in self.chosen and not is_needed:
            return None
        notes = {note.id: note for note in walk_of(self._archive(), item.url, self.at)}
        try:
            return rendered(notes, self.chosen.get(item.url, ROOT)).encode("utf-8", "replace") or None
        except FormatError:
            return None

    def _archive(self) -> Archive:
        known = self._opened.get(os.getpid())
        if known is None:
            known = self._opened[os.getpid()] = Archive(self.path)
        return known


def chosen_states(archive: Archive, addresses: list[str]) -> dict[str, str]:
    """The states by their addresses, as `webkeep list --states --json` gives them; by page."""
    known = {note.address: note for note in state_notes(archive)} if addresses else {}
    chosen: dict[str, str] = {}
    for address in addresses:
        note = known.get(address)
        if note is None:
            raise UsageError(f"no state is called {address!r}; webkeep list --states --json shows their addresses")
        chosen[note.page] = note.id
    return chosen
