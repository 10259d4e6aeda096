"""Exporting to one WARC file: all of an archive, or a selection that is complete in itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from webkeep.errors import StorageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.record import NOT_MODIFIED
from webkeep.model import Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.copying import RecordSource
from webkeep.store.payload import Payload
from webkeep.store.preparing import prepare_capture
from webkeep.store.reading import Holding, read_holding
from webkeep.store.retargeting import made_whole, turned_to
from webkeep.store.scanning import Seen, scan
from webkeep.store.selecting import Selection

_REMEMBERED = 100_000
_COPY = 1 << 20


@dataclass(frozen=True, slots=True)
class Exported:
    """One record on its way out: its bytes, and the observation it holds, if it is one."""

    pieces: Iterable[bytes]
    observation: Observation | None = None


class Export:
    """The records of a selection, in order, none referring to what is not in it."""

    def __init__(self, archive: Archive, selection: Selection) -> None:
        self._archive = archive
        self._selection = selection
        self._described = ""
        self._described_before: set[str] = set()
        self._made_whole: dict[str, Payload] = {}
        self._added: set[Place] = set()

    def records(self) -> Iterator[Exported]:
        """The records, one gzip member each."""
        if self._selection.is_everything:
            for name in self._archive.layout.warc_names():
                yield from self._whole_file(name)
            return
        for observation in self._selection.observations(self._archive):
            yield from self._describe(observation.capture)
            yield from self._exported(observation)
            if observation.request is not None:
                yield Exported(self._source(observation).pieces(_bare(observation.request, "request")))

    def _whole_file(self, name: str) -> Iterator[Exported]:
        source = RecordSource(name, lambda: self._archive.files.open(name))
        with source.open() as stream:
            for seen in scan(stream, name, Flaws(Strictness.IGNORE)):
                observed = seen.sight.observation(seen.place, "", None) if seen.sight else None
                yield Exported(source.pieces(seen), observed)

    def _describe(self, capture_id: str) -> Iterator[Exported]:
        """Say which capture the next records belong to, wherever that changes."""
        if capture_id == self._described or not capture_id:
            return
        capture = self._archive.capture(capture_id)
        first = capture_id not in self._described_before
        self._described = capture_id
        self._described_before.add(capture_id)
        yield Exported(prepare_capture(capture, "", self._archive.clock.now(), first).pieces)

    def _exported(self, observation: Observation) -> Iterator[Exported]:
        if observation.record_type != "revisit":
            yield Exported(self._source(observation).pieces(_bare(observation.place)), observation)
            return
        archive, place = self._archive, observation.place
        holding, record = read_holding(archive.files, place)
        try:
            target = archive.original(record, place)
        except StorageError:  # it refers to nothing here either; what it says is kept
            yield Exported(self._source(observation).pieces(_bare(place)), observation)
            return
        target_seen = archive.catalog.observations.at(target.file, target.offset)
        if target_seen is not None and self._selection.holds(target_seen):
            yield Exported(self._source(observation).pieces(_bare(place)), observation)
        elif record.get("WARC-Profile") == NOT_MODIFIED and target_seen is not None:
            if target not in self._added:
                self._added.add(target)
                yield Exported(self._source(target_seen).pieces(_bare(target)), target_seen)
            yield Exported(self._source(observation).pieces(_bare(place)), observation)
        else:
            yield self._without_target(observation, record.id, holding, target)

    def _without_target(self, observation: Observation, record_id: str, holding: Holding, target: Place) -> Exported:
        archive = self._archive
        digest = str(observation.payload_digest)
        known = self._made_whole.get(digest)
        with archive.files.open(observation.place.file) as stream:
            record = archive.files.record(observation.place, stream)
            if known is not None:
                return Exported(list(turned_to(record, known)), observation)
        payload, _ = read_holding(archive.files, target)
        if len(self._made_whole) < _REMEMBERED:
            self._made_whole[digest] = Payload(
                digest, None, observation.place, record_id, observation.url, observation.moment
            )
        kind = "response" if holding.head is not None else "resource"
        whole = replace(observation, record_type=kind, size=payload.body.size)
        return Exported(made_whole(record, holding.raw_head, payload.body), whole)

    def _source(self, observation: Observation) -> RecordSource:
        name = observation.place.file
        return RecordSource(name, lambda: self._archive.files.open(name))


def write_warc(export: Export, write: Callable[[bytes], object]) -> Iterator[tuple[Exported, int, int]]:
    """Write the records of an export; gives each with the place it got."""
    offset = 0
    for exported in export.records():
        length = 0
        for piece in exported.pieces:
            write(piece)
            length += len(piece)
        yield exported, offset, length
        offset += length


def _bare(place: Place, kind: str = "") -> Seen:
    return Seen(place, kind)
