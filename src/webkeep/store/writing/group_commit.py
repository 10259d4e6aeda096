"""Committing a group of prepared records: appended, synced once, then put into index and catalog; every WARC file
describes the captures that its records name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webkeep.errors import StorageError
from webkeep.formats.warc import tap_record_hash
from webkeep.model import Capture, Clock, RecordPlace
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.index.record_facts import RecordFacts
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.writing.growing_file import GrowingFile, WarcRotation
from webkeep.store.writing.record_draft import PreparedRecord
from webkeep.store.writing.write_tasks import prepare_warcinfo

if TYPE_CHECKING:
    from webkeep.store.log.record_log import RecordLog

WrittenRecord = tuple[RecordPlace, RecordFacts, RecordPlace | None]
"""Where a record lies, what it says, and where its request lies."""


def apply_rows(rows: IndexRows, index: UrlIndex, catalog: Catalog) -> None:
    """Put what was learned into index and catalog, in one transaction each; what is there already stays as it is."""
    with catalog.database.transaction():
        number = catalog.database.file_number(rows.file)
        for update in rows.updates:
            update.apply_to(catalog, rows.file)
        catalog.observations.add(rows.observations, number)
        catalog.fingerprints.add(rows.fingerprints, number)
        catalog.payloads.add([(*row, number) for row in rows.payloads])
        catalog.database.set_covered(rows.file, rows.covered)
    # The index comes last: whoever reads meanwhile and finds an entry finds the observation too.
    index.add_rows(rows)


class Committer:
    """Appends groups of records to the growing file and tells index and catalog.

    Every file describes the captures its records name, before the first such record, so that each can be read alone
    and files can be read in any order.
    """

    def __init__(
        self,
        index: UrlIndex,
        catalog: Catalog,
        rotation: WarcRotation,
        clock: Clock,
        log: RecordLog | None = None,
    ) -> None:
        self._index = index
        self._catalog = catalog
        self._rotation = rotation
        self._clock = clock
        self._log = log
        self._current_capture: Capture | None = None
        self._captures: dict[str, Capture] = {}
        self._described_here: set[str] = set()
        self._rows: IndexRows | None = None

    def begin_capture(self, capture: Capture) -> None:
        """Append a capture's description; what follows in this file, and in the next ones, belongs to it."""
        self._current_capture = None
        file = self._file_with_room()
        self._append_record(prepare_warcinfo(capture, file.name, self._clock.now(), first=True), file)
        self._current_capture = self._captures[capture.id] = capture

    def append_group(self, group: Sequence[PreparedRecord]) -> WrittenRecord | None:
        """Append a record and, after it, its request; says where, if the record is one that can be looked up."""
        file = self._file_with_room()
        self._describe_capture_of(group, file)
        start, logged = file.size, self._log.pending if self._log else 0
        try:
            places = [self._append_record(prepared, file) for prepared in group]
        except StorageError:
            raise
        except Exception:  # a record without its request is not what was handed over
            file.undo_append(start)
            if self._log is not None:
                self._log.take_back(logged)
            raise
        facts = group[0].facts if group else None
        if facts is None:
            return None
        request = places[1] if len(places) > 1 else None
        self._rows_of(file).add(places[0], facts, request, group[0].key)
        return places[0], facts, request

    def commit(self) -> None:
        """Put all that was appended on disk, then into index and catalog."""
        file = self._rotation.file_to_sync
        if file is None:
            return
        file.sync()
        if self._log is not None:
            self._log.write_pending()
            self._log.cover(file.name, file.size)
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.cover(file.size)
            apply_rows(rows, self._index, self._catalog)

    def _file_with_room(self) -> GrowingFile:
        file = self._rotation.file_with_room
        if file is None:
            self.commit()
            file = self._rotation.begin()
            self._described_here.clear()
            if self._current_capture is not None:
                self._append_warcinfo(self._current_capture, file)
        return file

    def _describe_capture_of(self, group: Sequence[PreparedRecord], file: GrowingFile) -> None:
        facts = group[0].facts if group else None
        capture = self._captures.get(facts.capture) if facts is not None else None
        if capture is not None and capture.id not in self._described_here:
            self._append_warcinfo(capture, file)

    def _append_warcinfo(self, capture: Capture, file: GrowingFile) -> None:
        self._append_record(prepare_warcinfo(capture, file.name, self._clock.now(), first=False), file)

    def _append_record(self, prepared: PreparedRecord, file: GrowingFile) -> RecordPlace:
        offset, length = (
            file.append(prepared.pieces) if self._log is None else _append_logged(prepared, file, self._log)
        )
        if prepared.update is not None:
            self._rows_of(file).updates.append(prepared.update)
            if prepared.update.capture is not None:
                self._current_capture = prepared.update.capture
                self._described_here.add(prepared.update.capture.id)
        return RecordPlace(file.name, offset, length)

    def _rows_of(self, file: GrowingFile) -> IndexRows:
        if self._rows is None:
            self._rows = IndexRows(file.name)
        return self._rows


def _append_logged(prepared: PreparedRecord, file: GrowingFile, log: RecordLog) -> tuple[int, int]:
    """Append a record, and to the log its hash, which is taken from its bytes where it is not known."""
    if not prepared.record_hash:
        return file.append(tap_record_hash(prepared.pieces, log.append))
    place = file.append(prepared.pieces)
    log.append(prepared.record_hash)
    return place
