"""The readers of transparency logs under the fuzzer: notes, checkpoints, keys, tiles, proofs, and what archives note of
their own log.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

from bench.measuring import ROOT
from webkeep.errors import FormatError
from webkeep.formats.transparency import (
    Checkpoint,
    GrowingTree,
    ProofSet,
    build_entry_bundle,
    hash_leaf,
    is_included,
    parse_checkpoint,
    parse_entry_bundle,
    parse_note_key,
    parse_proof_set,
    parse_tile_path,
    prove_inclusion,
)
from webkeep.store.log.log_notes import LogNote, list_notes, listed_entries, parse_log_note, takedown_notes

Read = TypeVar("Read")

_NOTE = json.loads(Path(ROOT, "tests/data/transparency/signed_note.json").read_text("utf-8"))
_ENTRIES = [bytes([number]) * 32 for number in range(9)]


def _reference_tree() -> GrowingTree:
    tree = GrowingTree()
    tree.add_leaves(b"".join(map(hash_leaf, _ENTRIES)))
    return tree


_TREE = _reference_tree()
_CHECKPOINT = Checkpoint("example.org/log", 9, _TREE.root)
_PROOFS = ProofSet("example.org/log", 9, {_ENTRIES[4]: prove_inclusion(_TREE, 4, 9)})


def _note_block(note: LogNote) -> bytes:
    return note.to_record().block


LOG_SEEDS = [
    _NOTE["note"].encode(),
    _NOTE["key"].encode(),
    _CHECKPOINT.sign(None).render(),
    _CHECKPOINT.text.encode() + b"\n" + _NOTE["note"].encode().splitlines(keepends=True)[-1],
    b"tile/0/x001/x234/067.p/12",
    build_entry_bundle(b"".join(_ENTRIES[:3])),
    _PROOFS.to_json(),
    *map(_note_block, list_notes("example.org/log", 3, b"".join(_ENTRIES), _CHECKPOINT.text.encode() + b"\n")),
    *map(_note_block, takedown_notes("example.org/log", _ENTRIES[:2], [(_ENTRIES[2], _ENTRIES[3])])),
    _note_block(LogNote("example.org/log", checkpoint=_CHECKPOINT.text.encode() + b"\n", proofs=_PROOFS)),
]
LOG_WORDS = [
    b"\n", b"\n\n", "— ".encode(), b"tile/", b"/x000", b".p/", b"entries", b'"proofs"', b'"path"', b'"index"', b"[]",
    b"null", b"1e400", b"-1", b"9" * 30, b"\xff", b"\x00", b"=", b"+", b'"entries"', b'"removed"', b'"mended"', b"{",
    b"[" * 200,
]  # fmt: skip


def put_log(chance: Random, data: bytes) -> None:
    """Put an input to every reader; a proof that is read shows nothing that is not so."""
    text = data.decode("utf-8", "replace")
    _read_or_refuse(lambda: parse_checkpoint(data))
    _read_or_refuse(lambda: parse_entry_bundle(data))
    _read_or_refuse(lambda: parse_note_key(text))
    _read_or_refuse(lambda: parse_tile_path(text))
    note = parse_log_note(data)
    if note is not None:
        listed_entries([note, note])
        _ = note.signed_checkpoint, note.note_key
        parse_log_note(_note_block(note))
    proofs = _read_or_refuse(lambda: parse_proof_set(data))
    if proofs is not None:
        proven = set(proofs.proofs) - set(proofs.list_unproven(proofs.proofs, _CHECKPOINT))
        if not proven <= set(_ENTRIES):
            raise AssertionError("a proof shows what is not in the log")
        for entry, proof in proofs.proofs.items():
            is_included(hash_leaf(entry), proof, chance.randbytes(32))


def _read_or_refuse(read: Callable[[], Read]) -> Read | None:
    try:
        return read()
    except FormatError:
        return None
