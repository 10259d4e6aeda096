"""Proofs that go along with exported records: what the log of an archive says of a selection that leaves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.formats.transparency import ProofSet, parse_checkpoint
from webkeep.store.archive.archive import Archive
from webkeep.store.log.log_notes import LogNote, read_log_notes
from webkeep.store.log.log_proofs import prove_records
from webkeep.store.log.record_log import RecordLog

_PROOFS_PER_NOTE = 4096
"""So many make a record of at most 5 MB, which is still read in one piece."""


def build_proof_notes(archive: Archive, log: RecordLog, entries: Sequence[bytes]) -> Iterator[LogNote]:
    """Notes with the last checkpoint and the proofs that records are in the log; of those that came since, none."""
    checkpoint, _ = parse_checkpoint(log.checkpoint)
    proofs = list(prove_records(log, entries, checkpoint).proofs.items())
    key = _key_of(archive, log)
    for at in range(0, len(proofs), _PROOFS_PER_NOTE):
        some = ProofSet(log.origin, checkpoint.size, dict(proofs[at : at + _PROOFS_PER_NOTE]))
        yield LogNote(log.origin, checkpoint=log.checkpoint, key=key, proofs=some)


def _key_of(archive: Archive, log: RecordLog) -> str:
    """The key that is named as having signed the last checkpoint."""
    notes = read_log_notes(archive.index, archive.files)
    return next((note.key for note in notes if note.origin == log.origin and note.checkpoint == log.checkpoint), "")
