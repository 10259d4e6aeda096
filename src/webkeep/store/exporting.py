"""Exporting to one WARC file: all of an archive, or a selection that is complete in itself.

A selection is its observations with their requests, the metadata records of its URLs, and the descriptions and ends
of the captures they belong to; what became of other URLs goes along unless the selection is narrowed to some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from webkeep.errors import StorageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.record import Record
from webkeep.model import Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.bookkeeping import end_urn, fates_urn, is_bookkeeping, note_urns
from webkeep.store.copying import RecordSource
from webkeep.store.preparing import prepare_capture
from webkeep.store.reading import Holding, read_holding
from webkeep.store.resolving import is_not_modified, named_by
from webkeep.store.retargeting import Target, made_whole, target_at, turned_to
from webkeep.store.scanning import Seen, scan
from webkeep.store.selecting import Selection
from webkeep.store.states import selected_renditions, selected_states

Pieces = Iterable[bytes]
"""One record as a gzip member, piece by piece."""

_REMEMBERED = 100_000


class Export:
    """The records of a selection, in order, none referring to what is not in it."""

    def __init__(self, archive: Archive, selection: Selection) -> None:
        self._archive = archive
        self._selection = selection
        self._described = ""
        self._described_before: dict[str, None] = {}
        self._made_whole: dict[str, Target] = {}
        self._added: set[Place] = set()

    def records(self) -> Iterator[Pieces]:
        """The records, one gzip member each."""
        if self._selection.is_everything:
            for name in sorted(self._archive.layout.warc_names(), key=self._is_described):
                yield from self._whole_file(name)
            return
        for observation in self._observations():
            yield from self._describe(observation.capture)
            yield from self._exported(observation)
            if observation.request is not None:
                yield self._copied(observation.request)
        yield from self._metadata()
        yield from self._endings()

    def _whole_file(self, name: str) -> Iterator[Pieces]:
        source = self._source(name)
        with source.open() as stream:
            for seen in scan(stream, name, Flaws(Strictness.IGNORE)):
                yield source.pieces(seen)

    def _is_described(self, name: str) -> bool:
        """Whether a file begins with a capture; what belongs to none must not stand behind one that does."""
        with self._archive.files.open(name) as stream:
            first = next(scan(stream, name, Flaws(Strictness.IGNORE)), None)
        return first is not None and first.news is not None

    def _observations(self) -> Iterator[Observation]:
        """The observations of the selection, those that belong to no capture first."""
        for has_capture in (False, True):
            for observation in chain(self._selection.observations(self._archive), self._renditions()):
                if bool(observation.capture) is has_capture:
                    yield observation

    def _renditions(self) -> Iterator[Observation]:
        """Pictures, texts and documents of the views of pages, which have names of their own."""
        return selected_renditions(self._archive, self._selection) if self._selection.url else iter(())

    def _describe(self, capture_id: str) -> Iterator[Pieces]:
        """Say which capture the next records belong to, wherever that changes."""
        if capture_id == self._described or not capture_id:
            return
        capture = self._archive.capture(capture_id)
        first = capture_id not in self._described_before
        self._described = capture_id
        self._described_before[capture_id] = None
        yield prepare_capture(capture, "", self._archive.clock.now(), first).pieces

    def _exported(self, observation: Observation) -> Iterator[Pieces]:
        place = observation.place
        if observation.record_type != "revisit":
            yield from self._bring_empty(observation)
            yield self._copied(place)
            return
        own, revisit = read_holding(self._archive.files, place)
        try:
            target = self._archive.original(revisit, place)
        except StorageError:  # it refers to nothing here either; what it says is kept
            yield self._copied(place)
            return
        answer = self._at(self._archive.revisits.answer_place(revisit, target)) if is_not_modified(revisit) else None
        original = self._at(target)
        if answer is not None and answer.url == observation.url:
            yield from self._bring_along(answer, observation.capture)
            yield self._referring(observation, revisit, own, answer)
        elif original is not None and self._selection.holds(original):
            yield self._referring(observation, revisit, own, original)
        else:
            yield self._without_target(observation, revisit, own, target)

    def _at(self, place: Place) -> Observation | None:
        return self._archive.catalog.observations.at(place.file, place.offset)

    def _referring(self, observation: Observation, revisit: Record, own: Holding, original: Observation) -> Pieces:
        """A revisit of what is exported too, by the name that has there."""
        if named_by(revisit) == (original.url, original.moment):
            return self._copied(observation.place)
        return turned_to(revisit, _block(own), target_at(self._archive.files, original))

    def _bring_empty(self, observation: Observation) -> Iterator[Pieces]:
        """What an answer stands for that is no revisit, as there is nothing in what it did not send again."""
        original = observation.original if observation.not_modified else None
        if original is None:
            return
        _, said = read_holding(self._archive.files, observation.place)
        for place in (original, self._archive.revisits.answer_place(said, original)):
            if (needed := self._at(place)) is not None:
                yield from self._bring_along(needed, observation.capture)

    def _bring_along(self, answer: Observation, capture: str) -> Iterator[Pieces]:
        """What a server said was not modified, where it is outside the selection."""
        if self._selection.holds(answer) or answer.place in self._added:
            return
        self._added.add(answer.place)
        yield from self._describe(answer.capture)
        yield from self._exported(answer)
        yield from self._describe(capture)

    def _without_target(self, observation: Observation, revisit: Record, own: Holding, target: Place) -> Pieces:
        """A revisit of what is not exported: the first of a payload is given it, the others refer to that one."""
        digest = str(observation.payload_digest or target)
        known = self._made_whole.get(digest)
        if known is not None:
            return turned_to(revisit, _block(own), known)
        if len(self._made_whole) < _REMEMBERED:
            self._made_whole[digest] = Target(revisit.id, observation.url, observation.moment)
        original, _ = read_holding(self._archive.files, target)
        answer = self._archive.revisits.answer(revisit, target, original)
        return made_whole(revisit, own, answer, original)

    def _metadata(self) -> Iterator[Pieces]:
        """Notes of states, and metadata of other makers; the catalog does not know which capture these are of."""
        wanted = self._selection
        for entry, _ in selected_states(self._archive, wanted):
            yield self._copied(entry.place)
        if wanted.capture:
            return
        for entry in self._archive.entries(wanted.url, wanted.match, wanted.since, wanted.until):
            if entry.record_type == "metadata" and not is_bookkeeping(entry.url):
                yield self._copied(entry.place)

    def _endings(self) -> Iterator[Pieces]:
        """What was noted at the end of the captures that were described."""
        for capture in self._described_before:
            whole = [] if self._selection.url or self._selection.shape else [fates_urn(capture), *note_urns(capture)]
            names = [*whole, end_urn(capture)]
            for name in names:
                for entry in self._archive.entries(name):
                    yield self._copied(entry.place)

    def _copied(self, place: Place) -> Pieces:
        return self._source(place.file).pieces(Seen(place, ""))

    def _source(self, name: str) -> RecordSource:
        return RecordSource(name, lambda: self._archive.files.open(name))


def write_warc(export: Export, write: Callable[[bytes], object]) -> int:
    """Write the records of an export; says how many there were."""
    count = 0
    for count, pieces in enumerate(export.records(), 1):  # noqa: B007 - the count outlives the loop
        for piece in pieces:
            write(piece)
    return count


def _block(revisit: Holding) -> bytes:
    return b"".join((revisit.raw_head, *revisit.body.chunks()))
