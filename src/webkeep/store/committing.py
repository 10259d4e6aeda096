"""Committing a group of prepared records: appended, synced once, then put into index and catalog."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.model import Capture, Clock, Place
from webkeep.store.bookkeeping import News
from webkeep.store.catalog import Catalog
from webkeep.store.drafting import Prepared
from webkeep.store.growing import GrowingFile, Rotation
from webkeep.store.index import Index
from webkeep.store.preparing import prepare_capture
from webkeep.store.sight import Sight

Written = tuple[Place, Sight, Place | None]
"""Where a record lies, what it says, and where its request lies."""


class Tally:
    """What was learned from records in files, ready to go into index and catalog in one transaction each."""

    def __init__(self) -> None:
        self.sights: list[Written] = []
        self.news: list[tuple[str, News]] = []
        self.covered: dict[str, int] = {}

    def put_into(self, index: Index, catalog: Catalog) -> None:
        """Put it into index and catalog; what is there already stays as it is."""
        with index.database.transaction():
            index.add((place, sight) for place, sight, _ in self.sights)
            for file, size in self.covered.items():
                index.database.cover(file, size)
        with catalog.database.transaction():
            for file, news in self.news:
                news.tell(catalog, file)
            catalog.observations.add(each for each in self.sights if each[1].record_type != "metadata")
            payloads = (sight.payload(place) for place, sight, _ in self.sights)
            catalog.payloads.add(payload for payload in payloads if payload is not None)
            for file, size in self.covered.items():
                catalog.database.cover(file, size)


class Committer:
    """Appends groups of records to the growing file and tells index and catalog."""

    def __init__(self, index: Index, catalog: Catalog, rotation: Rotation, clock: Clock) -> None:
        self._index = index
        self._catalog = catalog
        self._rotation = rotation
        self._clock = clock
        self._describing: Capture | None = None
        self._tally = Tally()

    def begin(self, capture: Capture) -> None:
        """Append a capture's description; what follows in this file, and in the next ones, belongs to it."""
        self._describing = None
        file = self._file_with_room()
        self._append(prepare_capture(capture, file.path.name, self._clock.now(), first=True), file)
        self._describing = capture

    def append(self, group: Sequence[Prepared]) -> Written | None:
        """Append a record and, after it, its request; says where, if the record is one that can be looked up."""
        file = self._file_with_room()
        places = [self._append(prepared, file) for prepared in group]
        sight = group[0].sight if group else None
        if sight is None:
            return None
        request = places[1] if len(places) > 1 else None
        written = (places[0], sight, request)
        self._tally.sights.append(written)
        return written

    def commit(self) -> None:
        """Put all that was appended on disk, then into index and catalog."""
        file = self._rotation.file_to_sync
        if file is None:
            return
        file.sync()
        self._tally.covered[file.path.name] = file.size
        tally, self._tally = self._tally, Tally()
        tally.put_into(self._index, self._catalog)

    def _file_with_room(self) -> GrowingFile:
        file = self._rotation.file
        if file is None:
            self.commit()
            file = self._rotation.begin()
            if self._describing is not None:
                self._append(prepare_capture(self._describing, file.path.name, self._clock.now(), first=False), file)
        return file

    def _append(self, prepared: Prepared, file: GrowingFile) -> Place:
        offset, length = file.append(prepared.pieces)
        if prepared.news is not None:
            self._tally.news.append((file.path.name, prepared.news))
            self._describing = prepared.news.capture or self._describing
        return Place(file.path.name, offset, length)
