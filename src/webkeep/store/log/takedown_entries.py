"""What a takedown changes, as the log has it: the entries of records that went, and of those that were mended for it
the one before and the one after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.formats.warc import tap_record_hash
from webkeep.model import Moment, RecordPlace
from webkeep.store.index.bookkeeping import BookkeepingRecord
from webkeep.store.log.log_notes import takedown_notes
from webkeep.store.log.log_repair import hash_record_at
from webkeep.store.log.record_log import RecordLog
from webkeep.store.reading.stored_response import WarcFiles
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.write_tasks import MetadataTask


class TakedownEntries:
    """Takes note of what becomes of records while files are written anew; where no log is kept, of nothing."""

    def __init__(self, log: RecordLog | None, files: WarcFiles) -> None:
        self._log = log
        self._files = files
        self._removed: list[bytes] = []
        self._mended: list[tuple[bytes, bytes]] = []
        self._notes: list[bytes] = []

    def replace(self, place: RecordPlace, pieces: Iterable[bytes]) -> Iterable[bytes]:
        """What takes the place of a record; nothing where it goes. To be taken before the next is replaced."""
        if self._log is None:
            return pieces
        old = hash_record_at(self._files, place)
        if pieces == ():
            self._removed.append(old)
            return pieces
        return tap_record_hash(pieces, lambda new: self._mended.append((old, new)) if new != old else None)

    def bookkeeping(self) -> Iterator[BookkeepingRecord]:
        """The records that say so, once all is replaced."""
        if self._log is not None:
            for note in takedown_notes(self._log.origin, self._removed, self._mended):
                yield note.to_record()

    def note_pieces(self, records: Iterable[BookkeepingRecord], known: DedupIndex, now: Moment) -> Iterator[bytes]:
        """Bookkeeping records as they are written, which the log then has too."""
        for record in records:
            for prepared in MetadataTask(record, "", now).prepare_records(known):
                self._notes.append(prepared.record_hash)
                yield from prepared.pieces

    def apply(self, sizes: dict[str, tuple[str, int]]) -> None:
        """Have the log know of the new files, by the names of the old ones, and of the records that say why."""
        if self._log is None:
            return
        for old, (new, size) in sizes.items():
            self._log.replace_file(old, new, size)
        for entry in self._notes:
            self._log.append(entry)
        self._log.write_pending()
        self._log.settle()
