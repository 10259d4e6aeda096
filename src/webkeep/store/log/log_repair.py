"""The log brought up to the WARC files when an archive is opened, and made anew from them alone.

Mostly there is nothing to do, or the records behind the last ones that are in the log: what a killed writer left, or
files that were dropped in. Where files became shorter, went or were replaced by a takedown that was cut short, or where
the log itself is damaged, all of it is made anew: first what notes in the WARC files list, in its order, then all other
records, file by file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import hash_record
from webkeep.model import RecordPlace
from webkeep.store.folder.layout import ArchiveLayout
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.entry_matching import EntryMatcher
from webkeep.store.log.log_notes import LogNote, listed_entries, read_log_notes
from webkeep.store.log.record_log import RecordLog
from webkeep.store.reading.record_scan import open_records
from webkeep.store.reading.salvage import is_usable_record
from webkeep.store.reading.stored_response import WarcFiles

_ENTRIES_PER_WRITE = 4096
"""Written with one call where many records are read again."""


def repair_log(
    log: RecordLog, layout: ArchiveLayout, index: UrlIndex, sizes: dict[str, int], is_replaced: bool = False
) -> None:
    """Bring a log up to WARC files of these sizes; the index knows all of them."""
    shrunk = any(sizes.get(name, 0) < size for name, size in log.covered_files.items())
    if is_replaced or shrunk or not log.is_sound:
        rebuild_log(log, layout, index, sizes)
    elif log.covered_files != sizes:
        for name, size in sizes.items():
            _append_records(log, layout.warcs / name, size)
        log.settle(covered=sizes)


def rebuild_log(log: RecordLog, layout: ArchiveLayout, index: UrlIndex, sizes: dict[str, int]) -> None:
    """Make the log anew from the WARC files alone."""
    notes = [note for note in read_log_notes(index, WarcFiles(layout.warcs)) if note.origin == log.origin]
    listed = listed_entries(notes)
    checkpoint = latest_checkpoint(notes)
    log.restart()
    log.append(listed)
    matcher, mended = EntryMatcher(listed), mended_entries(notes)
    for name, size in sizes.items():
        for record_hash in hash_records(layout.warcs / name, 0, size):
            if match_record(matcher, mended, record_hash) is None:
                log.append(record_hash)
            if log.pending >= _ENTRIES_PER_WRITE:
                log.write_pending()
    log.write_pending()
    log.settle(covered=sizes, listed=matcher.count)
    if checkpoint:
        log.keep_checkpoint(checkpoint)


def mended_entries(notes: list[LogNote]) -> dict[bytes, bytes]:
    """What records are now that were mended for takedowns, each with the entry it was before."""
    return {new: old for note in notes for old, new in note.mended}


def match_record(matcher: EntryMatcher, mended: dict[bytes, bytes], record_hash: bytes) -> int | None:
    """The entry of a record, also of one that was mended, once or several times."""
    found = matcher.match(record_hash)
    steps = 0
    while found is None and record_hash in mended and steps <= len(mended):
        record_hash = mended[record_hash]
        found = matcher.match(record_hash)
        steps += 1
    return found


def latest_checkpoint(notes: list[LogNote]) -> bytes:
    """The checkpoint over most entries, as a note; nothing where there is none."""
    made = [(signed[0].size, note.checkpoint) for note in notes if (signed := note.signed_checkpoint)]
    return max(made)[1] if made else b""


def hash_records(path: Path, start: int, end: int) -> Iterator[bytes]:
    """The hashes of the records of a WARC file, from an offset on to another."""
    with path.open("rb") as stream:
        for record in open_records(stream, path.name, Flaws(Strictness.IGNORE), start):
            if record.offset >= end:
                return
            record_hash = hash_record(record)
            record.finish()
            if is_usable_record(record):
                yield record_hash


def hash_record_at(files: WarcFiles, place: RecordPlace) -> bytes:
    """The hash of the record at a place."""
    with files.open(place.file) as stream:
        for record in open_records(stream, place.file, Flaws(Strictness.IGNORE), place.offset):
            return hash_record(record)
    return b""


def _append_records(log: RecordLog, path: Path, size: int) -> None:
    if size > (start := log.covered_bytes(path.name)):
        for record_hash in hash_records(path, start, size):
            log.append(record_hash)
            if log.pending >= _ENTRIES_PER_WRITE:
                log.write_pending()
        log.write_pending()
    log.cover(path.name, size)
