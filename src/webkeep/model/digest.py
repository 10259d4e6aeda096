"""Digests: the name of an algorithm and the bytes it gave, in the spelling WARC and CDX files use (sha1:BASE32,
sha256:hex).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_DIGEST_BYTES = {
    "md5": 16,
    "sha1": 20,
    "sha224": 28,
    "sha256": 32,
    "sha384": 48,
    "sha512": 64,
    "blake2b": 64,
    "blake2s": 32,
}

_HASHERS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_BASE32_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_PAIRS = [first + second for first in _BASE32_LETTERS for second in _BASE32_LETTERS]
_LOW_80_BITS = (1 << 80) - 1
"""The lower half of a SHA-1."""


class Hasher(Protocol):
    """What hashlib gives: bytes in by `update`, the digest out."""

    def update(self, data: bytes, /) -> None:
        """Take more bytes."""

    def digest(self) -> bytes:
        """The digest of all bytes taken."""


@dataclass(frozen=True, slots=True, order=True)
class Digest:
    """A digest value, equal however it was spelled."""

    algorithm: str
    value: bytes

    @classmethod
    def parse(cls, text: str) -> Digest | None:
        """Read `sha1:BASE32` or `sha256:hex`; None when the text is no digest of a known algorithm."""
        name, colon, spelled = text.strip().partition(":")
        algorithm = name.lower().replace("-", "")
        size = _DIGEST_BYTES.get(algorithm)
        if not colon or size is None:
            return None
        value = _decode_value(spelled.strip(), size)
        return None if value is None else cls(algorithm, value)

    @classmethod
    def from_chunks(cls, algorithm: str, chunks: Iterable[bytes]) -> Digest:
        """Digest the chunks in order."""
        hasher = new_hasher(algorithm)
        for chunk in chunks:
            hasher.update(chunk)
        return cls(algorithm, hasher.digest())

    @property
    def base32(self) -> str:
        """The value as CDX indexes write it.

        SHA-1, which every record has, in 1.7 µs where the library takes 2.4 (`bench.quick_paths`);
        `test_digests_are_spelled_as_the_library_spells_them` holds both to the same.
        """
        if len(self.value) == 20:
            return "".join([_BASE32_PAIRS[pair & 1023] for pair in _ten_bit_groups(int.from_bytes(self.value, "big"))])
        return base64.b32encode(self.value).decode()

    @property
    def hex(self) -> str:
        """The value in hexadecimal."""
        return self.value.hex()

    def __str__(self) -> str:
        """SHA-1 and MD5 in base32, as CDX indexes spell them; longer digests in hexadecimal."""
        return f"{self.algorithm}:{self.base32 if len(self.value) <= 20 else self.value.hex()}"


def _ten_bit_groups(value: int) -> Iterable[int]:
    high, low = value >> 80, value & _LOW_80_BITS
    return (
        high >> 70, high >> 60, high >> 50, high >> 40, high >> 30, high >> 20, high >> 10, high,
        low >> 70, low >> 60, low >> 50, low >> 40, low >> 30, low >> 20, low >> 10, low,
    )  # fmt: skip


def new_hasher(algorithm: str) -> Hasher:
    """A fresh hasher of the named algorithm."""
    if algorithm in _HASHERS:
        return _HASHERS[algorithm](usedforsecurity=False)
    return hashlib.new(algorithm, usedforsecurity=False)


def _decode_value(spelled: str, size: int) -> bytes | None:
    """The bytes spelled in hexadecimal or base32; MD5 has as many digits in one as in the other with its padding."""
    padded = spelled.upper() + "=" * (-len(spelled) % 8)
    for decode, text in ((bytes.fromhex, spelled), (base64.b32decode, padded)):
        try:
            value = decode(text)
        except (ValueError, binascii.Error):
            continue
        if len(value) == size:
            return value
    return None
