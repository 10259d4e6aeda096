"""Merkle trees and proofs by the reference tree of Certificate Transparency."""

import json
from pathlib import Path

import pytest

from webkeep.formats.transparency import (
    ConsistencyProof,
    GrowingTree,
    InclusionProof,
    hash_leaf,
    is_consistent,
    is_included,
    prove_consistency,
    prove_inclusion,
    tree_root,
)

VECTORS = json.loads(Path("tests/data/transparency/rfc6962.json").read_text("utf-8"))
LEAVES = [hash_leaf(bytes.fromhex(each)) for each in VECTORS["leaves"]]
ROOTS = [bytes.fromhex(each) for each in VECTORS["roots"]]


def reference_tree() -> GrowingTree:
    tree = GrowingTree()
    tree.add_leaves(b"".join(LEAVES))
    return tree


def hashes(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, texts))


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_the_roots_are_the_published_ones(size: int) -> None:
    assert tree_root(reference_tree(), size) == ROOTS[size]


@pytest.mark.parametrize("vector", VECTORS["inclusion"])
def test_proofs_of_inclusion_are_the_published_ones(vector: dict[str, object]) -> None:
    index, size = int(str(vector["index"])), int(str(vector["size"]))
    proof = prove_inclusion(reference_tree(), index, size)
    assert proof == InclusionProof(index, size, hashes(vector["path"]))  # type: ignore[arg-type]
    assert is_included(LEAVES[index], proof, ROOTS[size])


@pytest.mark.parametrize("vector", VECTORS["consistency"])
def test_proofs_of_consistency_are_the_published_ones(vector: dict[str, object]) -> None:
    first, second = int(str(vector["first"])), int(str(vector["second"]))
    proof = prove_consistency(reference_tree(), first, second)
    assert proof == ConsistencyProof(first, second, hashes(vector["path"]))  # type: ignore[arg-type]
    assert is_consistent(proof, ROOTS[first], ROOTS[second])
