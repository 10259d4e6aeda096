"""Checkpoints of an archive's log: made when a capture ends and whenever they are asked for, kept in the WARC files and
beside the log.

A checkpoint is only made over entries that records in the WARC files list, so that a log which is rebuilt from them has
the same root.
"""

from __future__ import annotations

from webkeep.errors import FormatError, UsageError
from webkeep.formats.transparency import Checkpoint, NoteKey, NoteSigner, parse_checkpoint, tree_root
from webkeep.store.archive.writable_archive import WritableArchive
from webkeep.store.log.log_notes import list_notes
from webkeep.store.log.record_log import RecordLog
from webkeep.store.writing.write_tasks import MetadataTask

_ENTRIES_PER_ROUND = 1 << 20
"""Entries that are read to be listed at a time: 32 MB."""


def make_checkpoint(archive: WritableArchive, signer: NoteSigner | None = None) -> bytes:
    """A checkpoint over everything in the log, as a note that is signed where there is a signer.

    Where nothing has come since the last one, that is given again.
    """
    log = require_log(archive)
    archive.writer.flush()
    if log.size == log.state.closing_size and _is_signed_by(log, signer):
        return log.checkpoint
    size = log.size
    note = Checkpoint(log.origin, size, tree_root(log.tree, size)).sign(signer).render()
    key = NoteKey(log.origin, signer.public.raw).text if signer else ""
    list_log_entries(archive, note, key)
    log.settle(closing_size=log.size)
    log.keep_checkpoint(note)
    return note


def list_log_entries(archive: WritableArchive, checkpoint: bytes = b"", key: str = "") -> None:
    """Have the WARC files list all entries of the log, with a checkpoint over them and the key that signed it."""
    log = require_log(archive)
    archive.writer.flush()
    end, start = log.size, log.state.listed
    while start < end or checkpoint:
        count = min(end - start, _ENTRIES_PER_ROUND)
        is_last = start + count == end
        now = archive.clock.now()
        entries = log.read_entries(start, count)
        signed = (checkpoint, key) if is_last else (b"", "")
        for note in list_notes(log.origin, start, entries, *signed):
            archive.submit(MetadataTask(note.to_record(), "", now), len(note.entries))
        start += count
        if is_last:
            break
    archive.writer.flush()
    log.settle(listed=end)


def require_log(archive: WritableArchive) -> RecordLog:
    """The log of an archive; UsageError where it keeps none."""
    if archive.log is None:
        raise UsageError(f"{archive.path} keeps no log; webkeep log begin {archive.path} has it keep one")
    return archive.log


def _is_signed_by(log: RecordLog, signer: NoteSigner | None) -> bool:
    """Whether the last checkpoint is one by this signer, if one is given."""
    try:
        _, note = parse_checkpoint(log.checkpoint)
        return signer is None or bool(note.signers_among([NoteKey(log.origin, signer.public.raw)]))
    except FormatError:
        return False
