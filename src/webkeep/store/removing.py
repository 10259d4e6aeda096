"""Taking down: the bytes of records leave the disk, what referred to them is mended, and a tombstone stays.

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

from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.record import Record
from webkeep.formats.segments import GZIP_MAGIC
from webkeep.model import CHUNK, Finding, Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.bookkeeping import is_bookkeeping, tombstones_note
from webkeep.store.copying import RecordSource
from webkeep.store.derived import clear_derived
from webkeep.store.journal import UNFINISHED, Pairs, carry_out, conclude, decide
from webkeep.store.layout import WARC_ENDINGS
from webkeep.store.ledger import Tombstone
from webkeep.store.mending import Mending, Spot, mended, spot
from webkeep.store.preparing import NoteWork
from webkeep.store.reading import read_holding
from webkeep.store.recollection import Recollection
from webkeep.store.retargeting import made_whole, target_at, turned_to
from webkeep.store.salvaging import is_usable
from webkeep.store.scanning import Seen, open_records
from webkeep.store.selecting import Selection
from webkeep.store.settling import catch_up, forget_file
from webkeep.store.states import selected_renditions, selected_states
from webkeep.store.writable import WritableArchive
from webkeep.url import Match

_REWRITTEN = re.compile(r"-r\d+$")
_NOTE_SIZE = 256 * 1024
_ABOUT = ("WARC-Concurrent-To", "WARC-Refers-To", "WARC-Segment-Origin-ID")
_LEAVES_WITH_OTHERS = frozenset({"request", "metadata", "conversion", "continuation"})


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal did."""

    records: int = 0
    mended: int = 0
    """Revisits that were given the payload or turned to another record."""
    files: int = 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """What becomes of which records."""

    dropped: frozenset[Spot]
    ids: frozenset[str]
    """The identifiers of the records removed; what is about them goes with them."""
    mending: Mending

    def files(self) -> list[str]:
        return sorted({file for file, _ in (*self.dropped, *self.mending.wholes, *self.mending.turned)})


def doomed(archive: Archive, selection: Selection) -> list[Observation]:
    """What a selection would take down; of URLs with one key, only the one that is spelled so, if it is there."""
    found = list(selection.observations(archive))
    exact = [each for each in found if each.url == selection.url] if selection.match is Match.EXACT else []
    kept = exact or found
    pages = {each.url for each in kept} if selection.url or selection.shape else set()
    return kept + [each for each in selected_renditions(archive, selection) if each.via in pages]


def remove(archive: WritableArchive, selection: Selection, reason: str, tell: Callable[[Finding], None]) -> Removed:
    """Take down what a selection holds; the archive is closed for writing afterwards.

    Told is what could not be read in a file that had to be written anew, and is not in the new one.
    """
    archive.stop_writing()
    observations = doomed(archive, selection)
    if not observations:
        return Removed()
    plan, tombstones = _planned(archive, selection, observations, reason)
    notes = list(_note_pieces(archive, tombstones))
    pairs = []
    for name in plan.files():
        pairs.append((name, _rewritten(archive, name, plan, notes, tell)))
        notes = []
    decide(archive.layout, pairs)
    carry_out(archive.layout)
    _tell_caches(archive, pairs)
    clear_derived(archive.layout)
    conclude(archive.layout)
    return Removed(len(observations), len(plan.mending.wholes) + len(plan.mending.turned), len(pairs))


def _planned(
    archive: Archive, selection: Selection, observations: list[Observation], reason: str
) -> tuple[_Plan, list[Tombstone]]:
    now = archive.clock.now()
    dropped = set(_metadata_of(archive, selection, {each.url for each in observations}))
    tombstones = []
    for each in observations:
        dropped.add(spot(each.place))
        if each.request is not None:
            dropped.add(spot(each.request))
        record, digest = target_at(archive.files, each).record, str(each.payload_digest or "")
        tombstones.append(Tombstone(record, each.url, each.moment, digest, now, reason))
    ids = frozenset(tombstone.record for tombstone in tombstones)
    return _Plan(frozenset(dropped), ids, mended(archive, observations)), tombstones


def _metadata_of(archive: Archive, selection: Selection, urls: set[str]) -> Iterator[Spot]:
    """Notes of states, and metadata records of the URLs; the catalog does not know which capture these are of."""
    for entry, note in selected_states(archive, selection):
        if note.page in urls:
            yield spot(entry.place)
    if selection.capture:
        return
    for url in urls:
        for entry in archive.entries(url, Match.EXACT, selection.since, selection.until):
            if entry.record_type == "metadata" and entry.url == url and not is_bookkeeping(url):
                yield spot(entry.place)


def _note_pieces(archive: WritableArchive, tombstones: list[Tombstone]) -> Iterator[bytes]:
    known = Recollection(archive.index, archive.catalog)
    for some in _batches(tombstones):
        for prepared in NoteWork(tombstones_note(some), "", archive.clock.now()).prepare(known):
            yield from prepared.pieces


def _batches(tombstones: list[Tombstone]) -> Iterator[list[Tombstone]]:
    """As many as make a note that is read in one piece."""
    batch: list[Tombstone] = []
    size = 0
    for tombstone in tombstones:
        batch.append(tombstone)
        size += 2 * len(tombstone.url) + len(tombstone.reason) + 256
        if size > _NOTE_SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _rewritten(
    archive: WritableArchive, name: str, plan: _Plan, notes: Iterable[bytes], tell: Callable[[Finding], None]
) -> str:
    """Write a file anew under a name of its own, not yet in place; gives that name."""
    new = _new_name(archive.layout.warcs, name)
    source = RecordSource(name, lambda: archive.files.open(name))
    with source.open() as stream, (archive.layout.warcs / (new + UNFINISHED)).open("xb") as target:
        if stream.read(3) == GZIP_MAGIC and not source.is_arc:
            pieces = _spliced(archive, stream, source, plan)
        else:
            pieces = _converted(archive, stream, source, plan, tell)
        for piece in pieces:
            target.write(piece)
        for piece in notes:
            target.write(piece)
        target.flush()
        os.fsync(target.fileno())
    return new


def _spliced(archive: WritableArchive, stream: BinaryIO, source: RecordSource, plan: _Plan) -> Iterator[bytes]:
    """A file of gzip members: all of its bytes, damaged ones too, but for the members that go or change."""
    done = 0
    with source.open() as kept:
        for record in open_records(stream, source.name, Flaws(Strictness.IGNORE)):
            changed = _changed(archive, record, plan)
            if changed is not None:
                yield from _stretch(kept, done, record.offset)
                yield from changed
                done = record.offset + record.length
        yield from _stretch(kept, done, stream.seek(0, os.SEEK_END))


def _converted(
    archive: WritableArchive, stream: BinaryIO, source: RecordSource, plan: _Plan, tell: Callable[[Finding], None]
) -> Iterator[bytes]:
    """Any other file: its records as gzip members; what is damaged cannot be, and is told."""
    for record in open_records(stream, source.name, Flaws(listener=tell)):
        changed = _changed(archive, record, plan)
        if changed is not None:
            yield from changed
            continue
        record.finish()
        if is_usable(record):
            held = None if record.intact else record.held
            place = Place(record.source, record.offset, record.length)
            yield from source.pieces(Seen(place, record.type, held=held))


def _changed(archive: WritableArchive, record: Record, plan: _Plan) -> Iterable[bytes] | None:
    """What takes the place of a record; None where it stays."""
    here = (record.source, record.offset)
    changed: Iterable[bytes] | None = None
    if here in plan.mending.turned:
        changed = turned_to(record, record.read(), plan.mending.turned[here])
    elif here in plan.mending.wholes:
        own, _ = read_holding(archive.files, Place(*here, 0))
        where = plan.mending.wholes[here]
        original, _ = read_holding(archive.files, where)
        changed = made_whole(record, own, archive.revisits.answer(record, where, original), original)
    record.finish()
    if not is_usable(record):
        return None
    return () if here in plan.dropped or _is_about(record, plan.ids) else changed


def _is_about(record: Record, ids: frozenset[str]) -> bool:
    if record.type not in _LEAVES_WITH_OTHERS:
        return False
    return any(value.strip("<>") in ids for field in _ABOUT for value in record.headers.all(field))


def _stretch(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    stream.seek(start)
    left = end - start
    while left > 0 and (chunk := stream.read(min(CHUNK, left))):
        left -= len(chunk)
        yield chunk


def _tell_caches(archive: WritableArchive, pairs: Pairs) -> None:
    """Bring index and catalog up to the new files; what they held of the old ones leaves the disk as well."""
    for database in (archive.index.database, archive.catalog.database):
        database.connection.execute("PRAGMA secure_delete = ON")
    for old, _ in pairs:
        forget_file(old, archive.index, archive.catalog)
    catch_up([archive.layout.warcs / new for _, new in pairs], archive.index, archive.catalog)
    for database in (archive.index.database, archive.catalog.database):
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _new_name(folder: Path, name: str) -> str:
    ending = next((each for each in sorted(WARC_ENDINGS, key=len, reverse=True) if name.endswith(each)), "")
    stem = _REWRITTEN.sub("", name.removesuffix(ending))
    number = 1
    while any((folder / f"{stem}-r{number}.warc.gz{end}").exists() for end in ("", UNFINISHED)):
        number += 1
    return f"{stem}-r{number}.warc.gz"
