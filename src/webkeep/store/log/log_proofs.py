"""Proofs that records are in an archive's log, for those who are shown a few records without the archive."""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.errors import UsageError
from webkeep.formats.transparency import HASH_BYTES, Checkpoint, ProofSet, prove_inclusion
from webkeep.store.log.record_log import RecordLog

_ENTRIES_PER_READ = 1 << 16
"""Entries that are looked through at a time: 2 MB."""


def prove_records(log: RecordLog, entries: Iterable[bytes], checkpoint: Checkpoint) -> ProofSet:
    """Proofs that records of these hashes are in the log at a checkpoint; of those that are not there is none."""
    if checkpoint.origin != log.origin or checkpoint.size > log.size:
        raise UsageError(f"the checkpoint of {checkpoint.origin} at {checkpoint.size} is not one of {log.origin}")
    found = find_entries(log, set(entries), checkpoint.size)
    proofs = {entry: prove_inclusion(log.tree, index, checkpoint.size) for entry, index in found.items()}
    return ProofSet(log.origin, checkpoint.size, proofs)


def find_entries(log: RecordLog, wanted: set[bytes], size: int) -> dict[bytes, int]:
    """The numbers of entries among the first so many, the latest first: what is asked for mostly came lately."""
    found: dict[bytes, int] = {}
    missing = set(wanted)
    end = size
    while end and missing:
        start = max(0, end - _ENTRIES_PER_READ)
        data = log.read_entries(start, end - start)
        here = {data[at : at + HASH_BYTES]: start + at // HASH_BYTES for at in range(0, len(data), HASH_BYTES)}
        for entry in missing & here.keys():
            found[entry] = here[entry]
        missing -= found.keys()
        end = start
    return found
