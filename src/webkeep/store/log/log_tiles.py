"""The tiles of an archive's log, as they are published."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.errors import UsageError
from webkeep.formats.transparency import ENTRIES_LEVEL, TILE_WIDTH, Checkpoint, NoteKey, Tile, build_entry_bundle
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.log_notes import read_log_notes
from webkeep.store.log.record_log import RecordLog
from webkeep.store.reading.stored_response import WarcFiles


def read_tile(log: RecordLog, tile: Tile, size: int) -> bytes:
    """The bytes of a tile of the log as it was at a size; UsageError where it has none such."""
    level = max(tile.level, 0)
    if tile.start + tile.width > size // TILE_WIDTH**level:
        raise UsageError(f"the log {log.origin} has no {tile.path}")
    if tile.level == ENTRIES_LEVEL:
        return build_entry_bundle(log.read_entries(tile.start, tile.width))
    return log.tree.read_hashes(level, tile.start, tile.width)


def read_checkpoint_history(
    index: UrlIndex, files: WarcFiles, origin: str
) -> Iterator[tuple[Checkpoint, NoteKey | None]]:
    """The checkpoints that an archive holds of a log, and the keys that are named as having signed them."""
    for note in read_log_notes(index, files):
        if note.origin == origin and (signed := note.signed_checkpoint):
            yield signed[0], note.note_key
