"""All entries of a log at one checkpoint, as they go along with all of its records: shorter than a proof for each, and
checked with nothing but the checkpoint.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.formats.json_value import read_json
from webkeep.formats.transparency.checkpoint import Checkpoint
from webkeep.formats.transparency.merkle_tree import HASH_BYTES, GrowingTree, hash_leaves
from webkeep.formats.transparency.proof_set import ProofSet, parse_proof_set

_ENTRY_FORMAT, _ENTRY_VERSION = "webkeep-log-entries", 1


@dataclass(frozen=True, slots=True)
class EntryList:
    """The entries of a log, one behind the other."""

    origin: str
    entries: bytes

    def to_json(self) -> bytes:
        """The entries as a file."""
        values = {
            "format": _ENTRY_FORMAT,
            "version": _ENTRY_VERSION,
            "origin": self.origin,
            "entries": base64.b64encode(self.entries).decode(),
        }
        return json.dumps(values, indent=1).encode()

    def list_unproven(self, entries: Iterable[bytes], checkpoint: Checkpoint) -> list[bytes]:
        """Those of some entries that are not in the log of a checkpoint, or all, where this is not its list."""
        tree = GrowingTree()
        tree.add_leaves(hash_leaves(self.entries))
        if (self.origin, tree.size, tree.root) != (checkpoint.origin, checkpoint.size, checkpoint.root):
            return list(entries)
        known = {self.entries[at : at + HASH_BYTES] for at in range(0, len(self.entries), HASH_BYTES)}
        return [entry for entry in entries if entry not in known]


def parse_log_proofs(data: bytes) -> ProofSet | EntryList:
    """What shows that records are in a log: a proof for each, or all entries; FormatError where it is neither."""
    values = read_json(data)
    if not isinstance(values, dict) or values.get("format") != _ENTRY_FORMAT:
        return parse_proof_set(data)
    if values.get("version") != _ENTRY_VERSION:
        raise FormatError("these are entries of a log by a later version of webkeep", "proofs", 0)
    try:
        read = EntryList(str(values["origin"]), base64.b64decode(values["entries"], validate=True))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError("these are no entries of a log; get the file again", "proofs", 0) from error
    if len(read.entries) % HASH_BYTES:
        raise FormatError("these are entries of a log that were cut off; get the file again", "proofs", 0)
    return read
