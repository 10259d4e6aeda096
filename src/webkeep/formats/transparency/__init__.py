"""Transparency logs: Merkle trees (RFC 6962), proofs about them, tiles, signed notes and checkpoints (C2SP)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.transparency.checkpoint import (
        Checkpoint as Checkpoint,
        parse_checkpoint as parse_checkpoint,
    )
    from webkeep.formats.transparency.entry_list import (
        EntryList as EntryList,
        parse_log_proofs as parse_log_proofs,
    )
    from webkeep.formats.transparency.merkle_proofs import (
        ConsistencyProof as ConsistencyProof,
        InclusionProof as InclusionProof,
        is_consistent as is_consistent,
        is_included as is_included,
        prove_consistency as prove_consistency,
        prove_inclusion as prove_inclusion,
    )
    from webkeep.formats.transparency.merkle_tree import (
        HASH_BYTES as HASH_BYTES,
        TILE_WIDTH as TILE_WIDTH,
        GrowingTree as GrowingTree,
        TreeHashes as TreeHashes,
        hash_leaf as hash_leaf,
        hash_leaves as hash_leaves,
        tree_root as tree_root,
    )
    from webkeep.formats.transparency.proof_set import ProofSet as ProofSet, parse_proof_set as parse_proof_set
    from webkeep.formats.transparency.signed_note import (
        MAX_NOTE_BYTES as MAX_NOTE_BYTES,
        NoteKey as NoteKey,
        NoteSigner as NoteSigner,
        SignedNote as SignedNote,
        is_key_name as is_key_name,
        parse_note_key as parse_note_key,
    )
    from webkeep.formats.transparency.tiles import (
        ENTRIES_LEVEL as ENTRIES_LEVEL,
        Tile as Tile,
        build_entry_bundle as build_entry_bundle,
        list_tiles as list_tiles,
        parse_entry_bundle as parse_entry_bundle,
        parse_tile_path as parse_tile_path,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "checkpoint": ("Checkpoint", "parse_checkpoint"),
            "merkle_proofs": (
                "ConsistencyProof",
                "InclusionProof",
                "is_consistent",
                "is_included",
                "prove_consistency",
                "prove_inclusion",
            ),
            "merkle_tree": (
                "GrowingTree",
                "HASH_BYTES",
                "TILE_WIDTH",
                "TreeHashes",
                "hash_leaf",
                "hash_leaves",
                "tree_root",
            ),
            "entry_list": ("EntryList", "parse_log_proofs"),
            "proof_set": ("ProofSet", "parse_proof_set"),
            "signed_note": ("MAX_NOTE_BYTES", "NoteKey", "NoteSigner", "SignedNote", "is_key_name", "parse_note_key"),
            "tiles": (
                "ENTRIES_LEVEL",
                "Tile",
                "build_entry_bundle",
                "list_tiles",
                "parse_entry_bundle",
                "parse_tile_path",
            ),
        },
    )
