"""Taking down: the bytes of records leave the disk, what referred to them is mended, and a tombstone stays.

Theory of operation. WARC files are never changed in place. Each file that holds a record to be removed, or a revisit
to be mended, is written anew beside the old one under a new name; a journal then names old and new, and only with the
journal on disk are old files deleted. After a crash the journal is carried out, or what has no journal thrown away.
Where the last whole copy of a payload goes, the first revisit that survives is given the payload and the others are
turned to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.record import Record
from webkeep.model import Moment, Observation, Place
from webkeep.store.bookkeeping import tombstones_note
from webkeep.store.copying import RecordSource
from webkeep.store.journal import UNFINISHED, replace_files
from webkeep.store.ledger import Tombstone
from webkeep.store.payload import Payload
from webkeep.store.preparing import NoteWork
from webkeep.store.reading import read_holding
from webkeep.store.retargeting import made_whole, turned_to
from webkeep.store.scanning import Seen, open_records
from webkeep.store.selecting import Selection
from webkeep.store.settling import catch_up, forget_file
from webkeep.store.writable import WritableArchive


@dataclass(slots=True)
class _Plan:
    """What becomes of which records."""

    doomed: list[Observation] = field(default_factory=list)
    dropped: set[tuple[str, int]] = field(default_factory=set)
    wholes: dict[tuple[str, int], Place] = field(default_factory=dict)
    """Revisits to be given the payload that lies at a place."""
    turned: dict[tuple[str, int], Payload] = field(default_factory=dict)
    """Revisits to be turned to another record."""

    def files(self) -> list[str]:
        return sorted({file for file, _ in (*self.dropped, *self.wholes, *self.turned)})


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal did."""

    records: int
    mended: int
    """Revisits that were given the payload or turned to another record."""
    files: int


def remove(archive: WritableArchive, selection: Selection, reason: str) -> Removed:
    """Take down what a selection holds; the archive is closed for writing afterwards."""
    plan = _planned(archive, list(selection.observations(archive)))
    if not plan.doomed:
        return Removed(0, 0, 0)
    now = archive.clock.now()
    note = tombstones_note([_tombstone(archive, each, now, reason) for each in plan.doomed])
    archive.submit(NoteWork(note, "", now)).result()
    archive.stop_writing()
    pairs = [(name, _rewritten(archive, name, plan)) for name in plan.files()]
    replace_files(archive.layout, pairs)
    for old, _ in pairs:
        forget_file(old, archive.index, archive.catalog)
    catch_up([archive.layout.warcs / new for _, new in pairs], archive.index, archive.catalog)
    return Removed(len(plan.doomed), len(plan.wholes) + len(plan.turned), len(pairs))


def _planned(archive: WritableArchive, doomed: list[Observation]) -> _Plan:
    plan = _Plan(doomed)
    digests: dict[str, Place] = {}
    for observation in doomed:
        plan.dropped.add((observation.place.file, observation.place.offset))
        if observation.request is not None:
            plan.dropped.add((observation.request.file, observation.request.offset))
        if observation.record_type != "revisit" and observation.size:
            digests.setdefault(str(observation.payload_digest), observation.place)
    if digests:
        _mend(archive, plan, digests)
    return plan


def _mend(archive: WritableArchive, plan: _Plan, digests: dict[str, Place]) -> None:
    """Find the revisits that outlive their target, and who holds the payload from now on."""
    survivors: dict[str, list[Observation]] = {}
    holders: dict[str, Observation] = {}
    for observation in archive.observations():
        digest = str(observation.payload_digest)
        if digest not in digests or (observation.place.file, observation.place.offset) in plan.dropped:
            continue
        if observation.record_type == "revisit":
            survivors.setdefault(digest, []).append(observation)
        elif observation.size:
            holders.setdefault(digest, observation)
    for digest, revisits in survivors.items():
        holder = holders.get(digest)
        if holder is None:
            holder, *revisits = revisits
            plan.wholes[holder.place.file, holder.place.offset] = digests[digest]
        target = Payload(digest, b"", None, holder.place, _record_id(archive, holder), holder.url, holder.moment)
        for revisit in revisits:
            plan.turned[revisit.place.file, revisit.place.offset] = target


def _rewritten(archive: WritableArchive, name: str, plan: _Plan) -> str:
    """Write a file anew under a name of its own, not yet in place; gives that name."""
    new = _new_name(archive.layout.warcs, name)
    source = RecordSource(name, lambda: archive.files.open(name))
    with source.open() as stream, (archive.layout.warcs / (new + UNFINISHED)).open("wb") as target:
        for record in open_records(stream, name, Flaws(Strictness.IGNORE)):
            for piece in _pieces(archive, record, source, plan):
                target.write(piece)
        target.flush()
        os.fsync(target.fileno())
    return new


def _pieces(archive: WritableArchive, record: Record, source: RecordSource, plan: _Plan) -> Iterable[bytes]:
    spot = (record.source, record.offset)
    if spot in plan.dropped:
        return ()
    if spot in plan.turned:
        return turned_to(record, plan.turned[spot])
    if spot in plan.wholes:
        payload, _ = read_holding(archive.files, plan.wholes[spot])
        return made_whole(record, record.read(), payload.body)
    record.finish()
    if not record.length:  # damaged, or one of several in a member: its readable part is all there is
        return ()
    return source.pieces(Seen(Place(record.source, record.offset, record.length), record.type))


def _new_name(folder: Path, name: str) -> str:
    stem = name.partition(".")[0].partition("-r")[0] if "-r" in name else name.partition(".")[0]
    numbers: Iterator[int] = iter(range(1, 1_000_000))
    return next(each for number in numbers if not (folder / (each := f"{stem}-r{number}.warc.gz")).exists())


def _tombstone(archive: WritableArchive, observation: Observation, now: Moment, reason: str) -> Tombstone:
    digest = str(observation.payload_digest or "")
    return Tombstone(_record_id(archive, observation), observation.url, observation.moment, digest, now, reason)


def _record_id(archive: WritableArchive, observation: Observation) -> str:
    with archive.files.open(observation.place.file) as stream:
        return archive.files.record(observation.place, stream).id
