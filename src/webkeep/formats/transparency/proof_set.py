"""Proofs that records are in a log at one checkpoint, as they go along with the records: written as JSON, read again,
and checked with nothing but the checkpoint and the records.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.formats.json_value import read_json
from webkeep.formats.transparency.checkpoint import Checkpoint
from webkeep.formats.transparency.merkle_proofs import InclusionProof, is_included
from webkeep.formats.transparency.merkle_tree import HASH_BYTES, hash_leaf

PROOF_FORMAT, _PROOF_VERSION = "webkeep-log-proofs", 1
_MAX_PATH_HASHES = 63
"""No way in a tree is longer."""


@dataclass(frozen=True, slots=True)
class ProofSet:
    """Proofs of inclusion in one log of one size, by the entry that each is of."""

    origin: str
    size: int
    proofs: dict[bytes, InclusionProof]

    def to_json(self) -> bytes:
        """The proofs as a file."""
        rows = [
            {
                "entry": entry.hex(),
                "index": proof.index,
                "path": [base64.b64encode(each).decode() for each in proof.path],
            }
            for entry, proof in self.proofs.items()
        ]
        values = {
            "format": PROOF_FORMAT,
            "version": _PROOF_VERSION,
            "origin": self.origin,
            "size": self.size,
            "proofs": rows,
        }
        return json.dumps(values, indent=1).encode()

    def list_unproven(self, entries: Iterable[bytes], checkpoint: Checkpoint) -> list[bytes]:
        """Those of the entries that these proofs do not show to be in the log of a checkpoint."""
        if (self.origin, self.size) != (checkpoint.origin, checkpoint.size):
            return list(entries)
        return [entry for entry in entries if not self._shows(entry, checkpoint.root)]

    def _shows(self, entry: bytes, root: bytes) -> bool:
        proof = self.proofs.get(entry)
        return proof is not None and proof.size == self.size and is_included(hash_leaf(entry), proof, root)


def parse_proof_set(data: bytes) -> ProofSet:
    """Proofs out of their file; FormatError where it is none."""
    values = read_json(data)
    try:
        if (values["format"], values["version"]) != (PROOF_FORMAT, _PROOF_VERSION):
            raise FormatError("these are no proofs of a log, or of a later version of webkeep", "proofs", 0)
        size = int(values["size"])
        proofs = {
            _read_hash(bytes.fromhex(row["entry"])): InclusionProof(int(row["index"]), size, _read_path(row["path"]))
            for row in values["proofs"]
        }
        return ProofSet(str(values["origin"]), size, proofs)
    except (KeyError, TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise FormatError("these are no proofs of a log; get the file again", "proofs", 0) from error


def _read_path(values: list[str]) -> tuple[bytes, ...]:
    if len(values) > _MAX_PATH_HASHES:
        raise ValueError("no way in a tree is so long")
    return tuple(_read_hash(base64.b64decode(each, validate=True)) for each in values)


def _read_hash(value: bytes) -> bytes:
    if len(value) != HASH_BYTES:
        raise ValueError("this is no SHA-256")
    return value
