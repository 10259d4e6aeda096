"""Exporting to one WARC file: all of an archive, or a selection that is complete in itself, with requests and metadata,
and no revisit of what is not in it.

A selection is its observations with their requests, the metadata records of its URLs, and the descriptions and ends
of the captures they belong to; what became of other URLs goes along unless the selection is narrowed to some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from webkeep.errors import StorageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import WarcRecord, tap_record_hash
from webkeep.model import Observation, RecordPlace, RecordType
from webkeep.store.archive.archive import Archive
from webkeep.store.archive.selection import Selection
from webkeep.store.index.bookkeeping import capture_end_urn, capture_metadata_urns, fates_urn, is_bookkeeping_urn
from webkeep.store.log.proof_notes import build_proof_notes
from webkeep.store.reading.record_scan import ScannedRecord, scan_records
from webkeep.store.reading.revisit_resolution import is_not_modified_revisit, refers_to_capture
from webkeep.store.reading.stored_response import StoredResponse, read_stored_response
from webkeep.store.views.state_notes import select_renditions, select_states
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.record_copy import RecordSource
from webkeep.store.writing.revisit_rewrite import RevisitTarget, expand_revisit, read_target, retarget_revisit
from webkeep.store.writing.write_tasks import MetadataTask, prepare_warcinfo

RecordPieces = Iterable[bytes]
"""One record as a gzip member, piece by piece."""

_MAX_EXPANDED_PAYLOADS = 100_000
"""Payloads remembered as given to a revisit; one beyond is given again, which is right and longer."""


class WarcExport:
    """The records of a selection, in order, none referring to what is not in it.

    Databases, which are private, go along only where that is said.
    """

    def __init__(self, archive: Archive, selection: Selection, dumps: bool = False) -> None:
        self._archive = archive
        self._selection = replace(selection, dumps=dumps)
        self._current_capture = ""
        self._described_captures: dict[str, None] = {}
        self._expanded: dict[str, RevisitTarget] = {}
        self._added: set[RecordPlace] = set()

    def records(self) -> Iterator[RecordPieces]:
        """The records, one gzip member each."""
        if self._selection.is_everything:
            for name in sorted(self._archive.layout.warc_names(), key=self._is_described):
                yield from self._copy_file(name)
        else:
            yield from self._add_proofs(self._select_records())

    def _add_proofs(self, records: Iterator[RecordPieces]) -> Iterator[RecordPieces]:
        """The records, and behind them proofs that they are in the archive's log, where one is kept."""
        log, entries = self._archive.log, list[bytes]()
        if log is None or not log.checkpoint:
            yield from records
            return
        for pieces in records:
            yield tap_record_hash(pieces, entries.append)
        known, now = DedupIndex(self._archive.index, self._archive.catalog), self._archive.clock.now()
        for note in build_proof_notes(self._archive, log, entries):
            for prepared in MetadataTask(note.to_record(), "", now).prepare_records(known):
                yield prepared.pieces

    def _select_records(self) -> Iterator[RecordPieces]:
        for observation in self._observations():
            yield from self._describe_capture(observation.capture)
            yield from self._export_observation(observation)
            if observation.request is not None:
                yield self._copy_record(observation.request)
        yield from self._metadata_records()
        yield from self._capture_end_records()

    def _copy_file(self, name: str) -> Iterator[RecordPieces]:
        source = self._record_source(name)
        with source.open() as stream:
            for seen in scan_records(stream, name, Flaws(Strictness.IGNORE), fingerprints=False):
                if seen.facts is None or self._selection.includes_url(seen.facts.url):
                    yield source.copy_record(seen)

    def _is_described(self, name: str) -> bool:
        """Whether a file begins with a capture; what belongs to none must not stand behind one that does."""
        with self._archive.files.open(name) as stream:
            first = next(scan_records(stream, name, Flaws(Strictness.IGNORE), fingerprints=False), None)
        return first is not None and first.update is not None

    def _observations(self) -> Iterator[Observation]:
        """The observations of the selection, those that belong to no capture first."""
        for has_capture in (False, True):
            for observation in chain(self._selection.observations(self._archive), self._renditions()):
                if bool(observation.capture) is has_capture:
                    yield observation

    def _renditions(self) -> Iterator[Observation]:
        """Pictures, texts and documents of the views of pages, which have names of their own."""
        return select_renditions(self._archive, self._selection) if self._selection.url else iter(())

    def _describe_capture(self, capture_id: str) -> Iterator[RecordPieces]:
        """Say which capture the next records belong to, wherever that changes."""
        if capture_id == self._current_capture or not capture_id:
            return
        capture = self._archive.capture(capture_id)
        first = capture_id not in self._described_captures
        self._current_capture = capture_id
        self._described_captures[capture_id] = None
        yield prepare_warcinfo(capture, "", self._archive.clock.now(), first).pieces

    def _export_observation(self, observation: Observation) -> Iterator[RecordPieces]:
        place = observation.place
        if observation.record_type != RecordType.REVISIT:
            yield from self._add_unmodified(observation)
            yield self._copy_record(place)
            return
        own, revisit = read_stored_response(self._archive.files, place)
        try:
            target = self._archive.original_place(revisit, place)
        except StorageError:  # it refers to nothing here either; what it says is kept
            yield self._copy_record(place)
            return
        answer = (
            self._observation_at(self._archive.revisits.head_place(revisit, target))
            if is_not_modified_revisit(revisit)
            else None
        )
        original = self._observation_at(target)
        if answer is not None and answer.url == observation.url:
            yield from self._add_needed(answer, observation.capture)
            yield self._export_reference(observation, revisit, own, answer)
        elif original is not None and self._selection.includes(original):
            yield self._export_reference(observation, revisit, own, original)
        else:
            yield self._export_orphan(observation, revisit, own, target)

    def _observation_at(self, place: RecordPlace) -> Observation | None:
        return self._archive.catalog.observations.find_at(place.file, place.offset)

    def _export_reference(
        self, observation: Observation, revisit: WarcRecord, own: StoredResponse, original: Observation
    ) -> RecordPieces:
        """A revisit of what is exported too, by the name that has there."""
        if refers_to_capture(revisit) == (original.url, original.moment):
            return self._copy_record(observation.place)
        return retarget_revisit(revisit, _revisit_block(own), read_target(self._archive.files, original))

    def _add_unmodified(self, observation: Observation) -> Iterator[RecordPieces]:
        """What an answer stands for that is no revisit, as there is nothing in what it did not send again."""
        original = observation.original if observation.not_modified else None
        if original is None:
            return
        _, said = read_stored_response(self._archive.files, observation.place)
        for place in (original, self._archive.revisits.head_place(said, original)):
            if (needed := self._observation_at(place)) is not None:
                yield from self._add_needed(needed, observation.capture)

    def _add_needed(self, response: Observation, capture: str) -> Iterator[RecordPieces]:
        """What a server said was not modified, where it is outside the selection."""
        if self._selection.includes(response) or response.place in self._added:
            return
        self._added.add(response.place)
        yield from self._describe_capture(response.capture)
        yield from self._export_observation(response)
        yield from self._describe_capture(capture)

    def _export_orphan(
        self, observation: Observation, revisit: WarcRecord, own: StoredResponse, target: RecordPlace
    ) -> RecordPieces:
        """A revisit of what is not exported: the first of a payload is given it, the others refer to that one."""
        digest = str(observation.payload_digest or target)
        known = self._expanded.get(digest)
        if known is not None:
            return retarget_revisit(revisit, _revisit_block(own), known)
        if len(self._expanded) < _MAX_EXPANDED_PAYLOADS:
            self._expanded[digest] = RevisitTarget(revisit.id, observation.url, observation.moment)
        original, _ = read_stored_response(self._archive.files, target)
        stored = self._archive.revisits.head_response(revisit, target, original)
        return expand_revisit(revisit, own, stored, original)

    def _metadata_records(self) -> Iterator[RecordPieces]:
        """Notes of states, and metadata of other makers; the catalog does not know which capture these are of."""
        wanted = self._selection
        for entry, _ in select_states(self._archive, wanted):
            yield self._copy_record(entry.place)
        if wanted.capture:
            return
        for entry in self._archive.entries(wanted.url, wanted.match, wanted.since, wanted.until):
            if entry.record_type == RecordType.METADATA and not is_bookkeeping_urn(entry.url):
                yield self._copy_record(entry.place)

    def _capture_end_records(self) -> Iterator[RecordPieces]:
        """What was noted at the end of the captures that were described."""
        for capture in self._described_captures:
            whole = (
                []
                if self._selection.url or self._selection.pattern
                else [fates_urn(capture), *capture_metadata_urns(capture)]
            )
            names = [*whole, capture_end_urn(capture)]
            for name in names:
                for entry in self._archive.entries(name):
                    yield self._copy_record(entry.place)

    def _copy_record(self, place: RecordPlace) -> RecordPieces:
        return self._record_source(place.file).copy_record(ScannedRecord(place, ""))

    def _record_source(self, name: str) -> RecordSource:
        return RecordSource(name, lambda: self._archive.files.open(name))


def write_warc(export: WarcExport, write: Callable[[bytes], object]) -> int:
    """Write the records of an export; says how many there were."""
    count = 0
    for count, pieces in enumerate(export.records(), 1):  # noqa: B007 - the count outlives the loop
        for piece in pieces:
            write(piece)
    return count


def _revisit_block(revisit: StoredResponse) -> bytes:
    return b"".join((revisit.raw_head, *revisit.body.chunks()))
