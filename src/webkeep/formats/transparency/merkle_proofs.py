"""Proofs about a Merkle tree (RFC 9162, 2.1.3 and 2.1.4): that a leaf is in it, and that a larger tree begins with the
leaves of a smaller one; made from the hashes of a tree, checked without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.formats.transparency.merkle_tree import TreeHashes, hash_node, range_hash, split_point

MAX_TREE_SIZE = (1 << 63) - 1
"""The most leaves that the published forms let a tree have."""


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """That one leaf is the one with this number in a tree of this size."""

    index: int
    size: int
    path: tuple[bytes, ...]
    """The hashes beside the way from the leaf up to the root."""


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """That a tree of the first size is the beginning of one of the second."""

    first: int
    second: int
    path: tuple[bytes, ...]


def prove_inclusion(tree: TreeHashes, index: int, size: int) -> InclusionProof:
    """The proof that a leaf is in the tree of the first `size` leaves."""
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + split_point(end - start)
        if index < middle:
            path.append(range_hash(tree, middle, end))
            end = middle
        else:
            path.append(range_hash(tree, start, middle))
            start = middle
    return InclusionProof(index, size, tuple(reversed(path)))


def prove_consistency(tree: TreeHashes, first: int, second: int) -> ConsistencyProof:
    """The proof that the tree of the first `second` leaves begins with that of the first `first`."""
    path: list[bytes] = []
    start, end, is_whole = 0, second, True
    while 0 < first < second and end != first:
        middle = start + split_point(end - start)
        if first <= middle:
            path.append(range_hash(tree, middle, end))
            end = middle
        else:
            path.append(range_hash(tree, start, middle))
            start, is_whole = middle, False
    if not is_whole:
        path.append(range_hash(tree, start, end))
    return ConsistencyProof(first, second, tuple(reversed(path)))


def is_included(leaf: bytes, proof: InclusionProof, root: bytes) -> bool:
    """Whether a proof shows that a leaf of this hash is in the tree of this root (RFC 9162, 2.1.3.2)."""
    if not 0 <= proof.index < proof.size <= MAX_TREE_SIZE:
        return False
    node, last, found = proof.index, proof.size - 1, leaf
    for beside in proof.path:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = hash_node(beside, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = hash_node(found, beside)
        node, last = node >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(proof: ConsistencyProof, first_root: bytes, second_root: bytes) -> bool:
    """Whether a proof shows that the tree of the first root is the beginning of the other (RFC 9162, 2.1.4.2)."""
    first, second = proof.first, proof.second
    if not 0 < first <= second <= MAX_TREE_SIZE:
        return False
    if first == second:
        return not proof.path and first_root == second_root
    path: Sequence[bytes] = proof.path if first & (first - 1) else (first_root, *proof.path)
    if not path:
        return False
    node, last = first - 1, second - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = path[0]
    for beside in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            before, after = hash_node(beside, before), hash_node(beside, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = hash_node(after, beside)
        node, last = node >> 1, last >> 1
    return last == 0 and before == first_root and after == second_root
