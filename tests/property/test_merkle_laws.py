"""Laws of Merkle trees: held against plain code by the recursive definitions of RFC 6962; nothing false is shown."""

import hashlib
from dataclasses import replace

from hypothesis import given, settings, strategies as st

from webkeep.errors import FormatError
from webkeep.formats.transparency import (
    Checkpoint,
    GrowingTree,
    ProofSet,
    hash_leaf,
    hash_leaves,
    is_consistent,
    is_included,
    parse_proof_set,
    prove_consistency,
    prove_inclusion,
    tree_root,
)
from webkeep.formats.transparency.merkle_tree import TreeHashes

sizes = st.integers(1, 700)


def split(count: int) -> int:
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def plain_root(entries: list[bytes]) -> bytes:
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    at = split(len(entries))
    return hashlib.sha256(b"\x01" + plain_root(entries[:at]) + plain_root(entries[at:])).digest()


def plain_path(index: int, entries: list[bytes]) -> list[bytes]:
    if len(entries) == 1:
        return []
    at = split(len(entries))
    if index < at:
        return [*plain_path(index, entries[:at]), plain_root(entries[at:])]
    return [*plain_path(index - at, entries[at:]), plain_root(entries[:at])]


def plain_subproof(first: int, entries: list[bytes], whole: bool) -> list[bytes]:
    if first == len(entries):
        return [] if whole else [plain_root(entries)]
    at = split(len(entries))
    if first <= at:
        return [*plain_subproof(first, entries[:at], whole), plain_root(entries[at:])]
    return [*plain_subproof(first - at, entries[at:], False), plain_root(entries[:at])]


class WholeTree(TreeHashes):
    """All rows in memory, by a growing tree for those above the leaves."""

    def __init__(self, entries: list[bytes]) -> None:
        self._leaves = hash_leaves(b"".join(entries))
        self._rows = GrowingTree()
        self._rows.add_leaves(self._leaves)

    def read_hashes(self, row: int, start: int, count: int) -> bytes:
        if row:
            return self._rows.read_hashes(row, start, count)
        return self._leaves[start * 32 : (start + count) * 32]


def entries_of(size: int) -> list[bytes]:
    return [hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(size)]


@given(sizes, st.data())
@settings(max_examples=60)
def test_roots_and_proofs_are_those_of_the_definition(size: int, data: st.DataObject) -> None:
    entries = entries_of(size)
    tree = WholeTree(entries)
    index, first = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    assert tree_root(tree, size) == plain_root(entries)
    proof = prove_inclusion(tree, index, size)
    assert list(proof.path) == plain_path(index, entries)
    assert is_included(hash_leaf(entries[index]), proof, plain_root(entries))
    grown = prove_consistency(tree, first, size)
    assert list(grown.path) == (plain_subproof(first, entries, True) if first < size else [])
    assert is_consistent(grown, plain_root(entries[:first]), plain_root(entries))


@given(sizes, st.data())
@settings(max_examples=60)
def test_nothing_false_is_shown_by_a_proof(size: int, data: st.DataObject) -> None:
    entries = entries_of(size)
    tree = WholeTree(entries)
    root = plain_root(entries)
    index = data.draw(st.integers(0, size - 1))
    proof, leaf = prove_inclusion(tree, index, size), hash_leaf(entries[index])
    other = data.draw(st.integers(0, size))
    assert not is_included(hash_leaf(b"another"), proof, root)
    assert other == index or not is_included(leaf, replace(proof, index=other), root)
    assert not is_included(leaf, replace(proof, path=(*proof.path, root)), root)
    assert not proof.path or not is_included(leaf, replace(proof, path=proof.path[:-1]), root)
    first = data.draw(st.integers(1, size))
    grown, before = prove_consistency(tree, first, size), plain_root(entries[:first])
    assert first == size or not is_consistent(grown, plain_root([*entries[: first - 1], b"another"]), root)
    assert not is_consistent(grown, before, plain_root([*entries[:-1], b"another"]))
    assert not is_consistent(replace(grown, path=(*grown.path, root)), before, root)
    assert other == first or not is_consistent(replace(grown, first=other), before, root)


@given(sizes, st.integers(0, 699))
@settings(max_examples=30)
def test_proofs_written_are_read_again_and_show_what_they_did(size: int, index: int) -> None:
    entries = entries_of(size)
    entry = entries[index % size]
    tree = WholeTree(entries)
    proofs = ProofSet("log", size, {entry: prove_inclusion(tree, index % size, size)})
    checkpoint = Checkpoint("log", size, plain_root(entries))
    assert parse_proof_set(proofs.to_json()) == proofs
    assert proofs.list_unproven([entry, b"another"], checkpoint) == [b"another"]
    for wrong in (replace(checkpoint, origin="other"), replace(checkpoint, size=size + 1)):
        assert proofs.list_unproven([entry], wrong) == [entry]


@given(st.integers(0, 200), st.binary(max_size=3), st.binary(max_size=3))
@settings(max_examples=100)
def test_whatever_becomes_of_a_proof_file_is_refused_or_shows_nothing_else(at: int, old: bytes, new: bytes) -> None:
    entries = entries_of(9)
    tree = WholeTree(entries)
    checkpoint = Checkpoint("log", 9, plain_root(entries))
    data = ProofSet("log", 9, {entries[4]: prove_inclusion(tree, 4, 9)}).to_json()
    changed = data[:at] + new + data[at + len(old) :]
    try:
        read = parse_proof_set(changed)
    except FormatError:
        return
    wrong = [entry for entry in read.proofs if entry not in entries]
    assert read.list_unproven(wrong, checkpoint) == wrong
