"""Committing a group of prepared records: appended, synced once, then put into index and catalog."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.errors import StorageError
from webkeep.model import Capture, Clock, Place
from webkeep.store.catalog import Catalog
from webkeep.store.drafting import Prepared
from webkeep.store.growing import GrowingFile, Rotation
from webkeep.store.index import Index
from webkeep.store.preparing import prepare_capture
from webkeep.store.rows import Rows
from webkeep.store.sight import Sight

Written = tuple[Place, Sight, Place | None]
"""Where a record lies, what it says, and where its request lies."""


def put_into(rows: Rows, index: Index, catalog: Catalog) -> None:
    """Put what was learned into index and catalog, in one transaction each; what is there already stays as it is."""
    with catalog.database.transaction():
        number = catalog.database.file_number(rows.file)
        for news in rows.news:
            news.tell(catalog, rows.file)
        catalog.observations.add(rows.observations, number)
        catalog.payloads.add([(*row, number) for row in rows.payloads])
        catalog.database.cover(rows.file, rows.covered)
    # The index comes last: whoever reads meanwhile and finds an entry finds the observation too.
    index.take(rows)


class Committer:
    """Appends groups of records to the growing file and tells index and catalog.

    Every file describes the captures its records name, before the first such record, so that each can be read alone
    and files can be read in any order.
    """

    def __init__(self, index: Index, catalog: Catalog, rotation: Rotation, clock: Clock) -> None:
        self._index = index
        self._catalog = catalog
        self._rotation = rotation
        self._clock = clock
        self._describing: Capture | None = None
        self._begun: dict[str, Capture] = {}
        self._described: set[str] = set()
        self._rows: Rows | None = None

    def begin(self, capture: Capture) -> None:
        """Append a capture's description; what follows in this file, and in the next ones, belongs to it."""
        self._describing = None
        file = self._file_with_room()
        self._append(prepare_capture(capture, file.name, self._clock.now(), first=True), file)
        self._describing = self._begun[capture.id] = capture

    def append(self, group: Sequence[Prepared]) -> Written | None:
        """Append a record and, after it, its request; says where, if the record is one that can be looked up."""
        file = self._file_with_room()
        self._describe_for(group, file)
        start = file.size
        try:
            places = [self._append(prepared, file) for prepared in group]
        except StorageError:
            raise
        except Exception:  # a record without its request is not what was handed over
            file.take_back(start)
            raise
        sight = group[0].sight if group else None
        if sight is None:
            return None
        request = places[1] if len(places) > 1 else None
        self._learned(file).add(places[0], sight, request, group[0].key)
        return places[0], sight, request

    def commit(self) -> None:
        """Put all that was appended on disk, then into index and catalog."""
        file = self._rotation.file_to_sync
        if file is None:
            return
        file.sync()
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.covered = file.size
            put_into(rows, self._index, self._catalog)

    def _file_with_room(self) -> GrowingFile:
        file = self._rotation.file
        if file is None:
            self.commit()
            file = self._rotation.begin()
            self._described.clear()
            if self._describing is not None:
                self._describe(self._describing, file)
        return file

    def _describe_for(self, group: Sequence[Prepared], file: GrowingFile) -> None:
        sight = group[0].sight if group else None
        capture = self._begun.get(sight.capture) if sight is not None else None
        if capture is not None and capture.id not in self._described:
            self._describe(capture, file)

    def _describe(self, capture: Capture, file: GrowingFile) -> None:
        self._append(prepare_capture(capture, file.name, self._clock.now(), first=False), file)

    def _append(self, prepared: Prepared, file: GrowingFile) -> Place:
        offset, length = file.append(prepared.pieces)
        if prepared.news is not None:
            self._learned(file).news.append(prepared.news)
            if prepared.news.capture is not None:
                self._describing = prepared.news.capture
                self._described.add(prepared.news.capture.id)
        return Place(file.name, offset, length)

    def _learned(self, file: GrowingFile) -> Rows:
        if self._rows is None:
            self._rows = Rows(file.name)
        return self._rows
