"""Signatures of blocks: each vault has a key of its own (Ed25519), whose public half is its name in every block.

A block that somebody else made may have right digests; it is of another vault then, or its signature is wrong.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from webkeep.vault.blocks.block_header import BlockHeader

KEY_FILE, COMMENT_FOLDER = "signing-key", "comments"
"""What a vault's own folder is known by: the secret that blocks are signed by, and the blocks that are out."""


class BlockSigner:
    """Signs the blocks of a vault."""

    def __init__(self, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.vault = base64.b64encode(self._key.public_key().public_bytes_raw()).decode()
        """The public key in base64, which is the vault's name."""

    @staticmethod
    def new_secret() -> bytes:
        """A key for a new vault, to be kept where the site's files are not."""
        return Ed25519PrivateKey.generate().private_bytes_raw()

    def sign(self, header: BlockHeader) -> bytes:
        """The signature of a block."""
        return self._key.sign(header.signed_text())


def is_signed(header: BlockHeader, signature: bytes) -> bool:
    """Whether whoever holds the vault's key made this block."""
    try:
        _public_key(header.segment.vault).verify(signature, header.signed_text())
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=64)
def _public_key(vault: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(vault))
