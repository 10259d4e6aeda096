"""How far an archive's log reaches, written down whenever its entries are on disk: how many there are, up to which byte
of which WARC file, and how many of them the WARC files themselves list.

Behind what is written down here entries may be lost or torn, as a power cut leaves them; they are made again from the
WARC files, which is where they came from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.formats import read_json
from webkeep.store.folder.layout import replace_file_durably, sync_directory

_STATE_NAME = "state.json"


@dataclass(frozen=True, slots=True)
class LogState:
    """How far a log reaches."""

    origin: str
    size: int = 0
    """Entries that are on disk."""
    covered: dict[str, int] = field(default_factory=dict)
    """The WARC files, and how many bytes of each are in the log."""
    listed: int = 0
    """Entries that are listed in records of the WARC files."""
    closing_size: int = 0
    """The size right behind the last checkpoint's own records; nothing else has come as long as it is that."""
    rows_sha256: str = ""
    """Of the kept row of the tree, as it must be to be believed."""


def read_log_state(folder: Path) -> LogState | None:
    """What was written down; None where there is nothing that can be relied on."""
    try:
        values = read_json((folder / _STATE_NAME).read_bytes())
        covered = {str(name): int(size) for name, size in values["covered"].items()}
        numbers = [int(values[name]) for name in ("size", "listed", "closing_size")]
        if min(*numbers, *covered.values(), 0) < 0 or numbers[1] > numbers[0]:
            return None
        return LogState(
            str(values["origin"]), numbers[0], covered, numbers[1], numbers[2], str(values.get("rows_sha256", ""))
        )
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return None


def write_log_state(folder: Path, state: LogState) -> None:
    """Write it down, durably."""
    values = {
        "origin": state.origin,
        "size": state.size,
        "listed": state.listed,
        "closing_size": state.closing_size,
        "rows_sha256": state.rows_sha256,
        "covered": state.covered,
    }
    replace_file_durably(folder / _STATE_NAME, json.dumps(values).encode())


def discard_log_state(folder: Path) -> None:
    """Forget, durably, what was written down."""
    if folder.exists():
        (folder / _STATE_NAME).unlink(missing_ok=True)
        sync_directory(folder)
