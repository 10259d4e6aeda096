"""Taking down: the bytes of records, with their requests and metadata, leave the disk, what referred to them is mended,
and a tombstone stays; what a selection takes down with it.

Theory of operation. WARC files are never changed in place. Each file that holds a record to be removed, or a revisit
to be mended, is written anew beside the old one under a new name; a journal then names old and new, and only with the
journal on disk are old files deleted. After a crash the journal is carried out, or what has no journal thrown away.
The tombstones are in one of the new files, so that they come with the removal or not at all. What was made of the
records is cleared before the journal is closed, so that a crash does not leave it either.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import GZIP_MAGIC, WarcRecord
from webkeep.model import CHUNK_BYTES, Finding, Observation, RecordPlace, RecordType
from webkeep.store.archive.archive import Archive
from webkeep.store.archive.selection import Selection
from webkeep.store.archive.writable_archive import WritableArchive
from webkeep.store.folder.derived_files import clear_derived
from webkeep.store.folder.layout import WARC_ENDINGS
from webkeep.store.folder.replacement_journal import (
    UNFINISHED_SUFFIX,
    FilePairs,
    apply_journal,
    close_journal,
    write_journal,
)
from webkeep.store.index.archive_log import Tombstone
from webkeep.store.index.bookkeeping import is_bookkeeping_urn, tombstones_record
from webkeep.store.log.log_checkpoints import list_log_entries
from webkeep.store.log.takedown_entries import TakedownEntries
from webkeep.store.maintenance.revisit_repair import RecordStart, RevisitRepairs, plan_repairs, record_start_of
from webkeep.store.opening.startup_repair import drop_file, index_new_files
from webkeep.store.reading.record_scan import ScannedRecord, open_records
from webkeep.store.reading.salvage import is_usable_record
from webkeep.store.reading.stored_response import read_stored_response
from webkeep.store.views.state_notes import select_renditions, select_states
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.record_copy import RecordSource
from webkeep.store.writing.revisit_rewrite import expand_revisit, read_target, retarget_revisit
from webkeep.url import UrlMatch

_REWRITE_SUFFIX = re.compile(r"-r\d+$")
_MAX_NOTE_BYTES = 256 * 1024
"""Tombstones that are put into one record, so that it is read in one piece."""
_REFERENCE_FIELDS = ("WARC-Concurrent-To", "WARC-Refers-To", "WARC-Segment-Origin-ID")
_DEPENDENT_TYPES = frozenset({RecordType.REQUEST, RecordType.METADATA, RecordType.CONVERSION, RecordType.CONTINUATION})


@dataclass(frozen=True, slots=True)
class TakedownResult:
    """What a removal did."""

    records: int = 0
    mended: int = 0
    """Revisits that were given the payload or turned to another record."""
    files: int = 0


@dataclass(frozen=True, slots=True)
class _TakedownPlan:
    """What becomes of which records."""

    dropped: frozenset[RecordStart]
    ids: frozenset[str]
    """The identifiers of the records removed; what is about them goes with them."""
    repairs: RevisitRepairs
    entries: TakedownEntries

    def changed_files(self) -> list[str]:
        return sorted({file for file, _ in (*self.dropped, *self.repairs.expanded, *self.repairs.retargeted)})


def select_for_takedown(archive: Archive, selection: Selection) -> list[Observation]:
    """What a selection would take down; of URLs with one key, only the one that is spelled so, if it is there."""
    found = list(selection.observations(archive))
    exact = [each for each in found if each.url == selection.url] if selection.match is UrlMatch.EXACT else []
    kept = exact or found
    pages = {each.url for each in kept} if selection.url or selection.pattern else set()
    return kept + [each for each in select_renditions(archive, selection) if each.via in pages]


def take_down(
    archive: WritableArchive,
    selection: Selection,
    reason: str,
    tell: Callable[[Finding], None],
    count_bytes: Callable[[int], None] = lambda _size: None,
) -> TakedownResult:
    """Take down what a selection holds; the archive is closed for writing afterwards.

    Told is what could not be read in a file that had to be written anew, and is not in the new one. As long as bytes
    of such files are counted nothing has changed yet, and an exception leaves the archive as it was.
    """
    archive.writer.flush()
    observations = select_for_takedown(archive, selection)
    if observations and archive.log is not None:
        list_log_entries(archive)  # what goes can be listed by nobody later
    archive.stop_writing()
    if not observations:
        return TakedownResult()
    plan, tombstones = _build_plan(archive, selection, observations, reason)
    names = plan.changed_files()
    notes = _note_pieces(archive, plan.entries, tombstones)  # for the last file: made when all that changes was written
    tasks = [_RewriteTask(notes if name == names[-1] else (), tell, count_bytes) for name in names]
    pairs = [(name, _rewrite_file(archive, name, plan, task)) for name, task in zip(names, tasks, strict=True)]
    write_journal(archive.layout, pairs)
    apply_journal(archive.layout)
    _update_caches(archive, pairs)
    plan.entries.apply({old: (new, (archive.layout.warcs / new).stat().st_size) for old, new in pairs})
    clear_derived(archive.layout)
    close_journal(archive.layout)
    return TakedownResult(len(observations), len(plan.repairs.expanded) + len(plan.repairs.retargeted), len(pairs))


def _build_plan(
    archive: Archive, selection: Selection, observations: list[Observation], reason: str
) -> tuple[_TakedownPlan, list[Tombstone]]:
    now = archive.clock.now()
    dropped = set(_metadata_starts(archive, selection, {each.url for each in observations}))
    tombstones = []
    for each in observations:
        dropped.add(record_start_of(each.place))
        if each.request is not None:
            dropped.add(record_start_of(each.request))
        record, digest = read_target(archive.files, each).record, str(each.payload_digest or "")
        tombstones.append(Tombstone(record, each.url, each.moment, digest, now, reason))
    ids = frozenset(tombstone.record for tombstone in tombstones)
    entries = TakedownEntries(archive.log, archive.files)
    return _TakedownPlan(frozenset(dropped), ids, plan_repairs(archive, observations), entries), tombstones


def _metadata_starts(archive: Archive, selection: Selection, urls: set[str]) -> Iterator[RecordStart]:
    """Notes of states, and metadata records of the URLs; the catalog does not know which capture these are of."""
    for entry, note in select_states(archive, selection):
        if note.page in urls:
            yield record_start_of(entry.place)
    if selection.capture:
        return
    for url in urls:
        for entry in archive.entries(url, UrlMatch.EXACT, selection.since, selection.until):
            if entry.record_type == RecordType.METADATA and entry.url == url and not is_bookkeeping_urn(url):
                yield record_start_of(entry.place)


def _note_pieces(archive: WritableArchive, entries: TakedownEntries, tombstones: list[Tombstone]) -> Iterator[bytes]:
    known, now = DedupIndex(archive.index, archive.catalog), archive.clock.now()
    yield from entries.note_pieces(map(tombstones_record, _tombstone_batches(tombstones)), known, now)
    yield from entries.note_pieces(entries.bookkeeping(), known, now)


def _tombstone_batches(tombstones: list[Tombstone]) -> Iterator[list[Tombstone]]:
    """As many as make a note that is read in one piece."""
    batch: list[Tombstone] = []
    size = 0
    for tombstone in tombstones:
        batch.append(tombstone)
        size += 2 * len(tombstone.url) + len(tombstone.reason) + 256
        if size > _MAX_NOTE_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _RewriteTask:
    """What goes behind the records of a file that is written anew, and who is told what of it."""

    notes: Iterable[bytes]
    tell: Callable[[Finding], None]
    count_bytes: Callable[[int], None]


def _rewrite_file(archive: WritableArchive, name: str, plan: _TakedownPlan, task: _RewriteTask) -> str:
    """Write a file anew under a name of its own, not yet in place; gives that name."""
    new = _new_name(archive.layout.warcs, name)
    source = RecordSource(name, lambda: archive.files.open(name))
    with source.open() as stream, (archive.layout.warcs / (new + UNFINISHED_SUFFIX)).open("xb") as target:
        if stream.read(3) == GZIP_MAGIC and not source.is_arc:
            pieces = _splice_members(archive, stream, source, plan)
        else:
            pieces = _convert_records(archive, stream, source, plan, task.tell)
        for piece in pieces:
            task.count_bytes(target.write(piece))
        for piece in task.notes:
            target.write(piece)
        target.flush()
        os.fsync(target.fileno())
    return new


def _splice_members(
    archive: WritableArchive, stream: BinaryIO, source: RecordSource, plan: _TakedownPlan
) -> Iterator[bytes]:
    """A file of gzip members: all of its bytes, damaged ones too, but for the members that go or change."""
    done = 0
    with source.open() as kept:
        for record in open_records(stream, source.name, Flaws(Strictness.IGNORE)):
            changed = _replace_record(archive, record, plan)
            if changed is not None:
                yield from _read_stretch(kept, done, record.offset)
                yield from changed
                done = record.offset + record.length
        yield from _read_stretch(kept, done, stream.seek(0, os.SEEK_END))


def _convert_records(
    archive: WritableArchive,
    stream: BinaryIO,
    source: RecordSource,
    plan: _TakedownPlan,
    tell: Callable[[Finding], None],
) -> Iterator[bytes]:
    """Any other file: its records as gzip members; what is damaged cannot be, and is told."""
    for record in open_records(stream, source.name, Flaws(listener=tell)):
        changed = _replace_record(archive, record, plan)
        if changed is not None:
            yield from changed
            continue
        record.finish()
        if is_usable_record(record):
            held = None if record.intact else record.held
            place = RecordPlace(record.source, record.offset, record.length)
            copied = source.copy_record(ScannedRecord(place, record.type, held=held))
            is_same = held is None and not source.is_arc
            yield from copied if is_same else plan.entries.replace(place, copied)


def _replace_record(archive: WritableArchive, record: WarcRecord, plan: _TakedownPlan) -> Iterable[bytes] | None:
    """What takes the place of a record; None where it stays."""
    here = (record.source, record.offset)
    changed: Iterable[bytes] | None = None
    if here in plan.repairs.retargeted:
        changed = retarget_revisit(record, record.read(), plan.repairs.retargeted[here])
    elif here in plan.repairs.expanded:
        own, _ = read_stored_response(archive.files, RecordPlace(*here, 0))
        where = plan.repairs.expanded[here]
        original, _ = read_stored_response(archive.files, where)
        changed = expand_revisit(record, own, archive.revisits.head_response(record, where, original), original)
    record.finish()
    if not is_usable_record(record):
        return None
    if here in plan.dropped or _is_about_removed(record, plan.ids):
        changed = ()
    return None if changed is None else plan.entries.replace(RecordPlace(*here, record.length), changed)


def _is_about_removed(record: WarcRecord, ids: frozenset[str]) -> bool:
    if record.type not in _DEPENDENT_TYPES:
        return False
    return any(value.strip("<>") in ids for field in _REFERENCE_FIELDS for value in record.headers.all(field))


def _read_stretch(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    stream.seek(start)
    left = end - start
    while left > 0 and (chunk := stream.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk


def _update_caches(archive: WritableArchive, pairs: FilePairs) -> None:
    """Bring index and catalog up to the new files; what they held of the old ones leaves the disk as well."""
    for database in (archive.index.database, archive.catalog.database):
        database.connection.execute("PRAGMA secure_delete = ON")
    for old, _ in pairs:
        drop_file(old, archive.index, archive.catalog)
    index_new_files([archive.layout.warcs / new for _, new in pairs], archive.index, archive.catalog)
    for database in (archive.index.database, archive.catalog.database):
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _new_name(folder: Path, name: str) -> str:
    ending = next((each for each in sorted(WARC_ENDINGS, key=len, reverse=True) if name.endswith(each)), "")
    stem = _REWRITE_SUFFIX.sub("", name.removesuffix(ending))
    number = 1
    while any((folder / f"{stem}-r{number}.warc.gz{end}").exists() for end in ("", UNFINISHED_SUFFIX)):
        number += 1
    return f"{stem}-r{number}.warc.gz"
