"""Up to 255 blocks of which any r suffice: Reed–Solomon over bytes with a Cauchy matrix, by ISA-L.

The library puts a head of its own before each block. Blocks in pages go without it, as it names the library's version;
for decoding it is taken from blocks made of zeros, which have the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from webkeep.errors import FormatError, UsageError

_LIBRARY_HEAD_BYTES = 80
"""What the library puts before each block."""
STRIPE_BYTES = 64 << 10
"""Bytes of each block that are worked on at once: little memory, and nothing is gained by more."""


def encode_stripe(data: Sequence[bytes], total: int) -> list[bytes]:
    """All blocks of a stripe, those of the data first; pieces of data have one length."""
    if len(data) == total:
        return list(data)
    coded = _driver(len(data), total).encode(b"".join(data))
    return [bytes(each[_LIBRARY_HEAD_BYTES:]) for each in coded]


def decode_stripe(blocks: Mapping[int, bytes], needed: int, total: int) -> bytes:
    """The data of a stripe, out of any r of its blocks."""
    if all(index in blocks for index in range(needed)):
        return b"".join(blocks[index] for index in range(needed))
    chosen = sorted(blocks)[:needed]
    heads = _block_heads(needed, total, len(blocks[chosen[0]]))
    try:
        decoded: bytes = _driver(needed, total).decode([heads[index] + blocks[index] for index in chosen])
    except Exception as error:  # the library has a class for each backend's trouble
        raise FormatError(f"blocks cannot be decoded ({error})") from error
    return decoded


@lru_cache(maxsize=4)
def _block_heads(needed: int, total: int, width: int) -> list[bytes]:
    coded = _driver(needed, total).encode(bytes(needed * width))
    return [bytes(each[:_LIBRARY_HEAD_BYTES]) for each in coded]


@lru_cache(maxsize=16)
def _driver(needed: int, total: int) -> Any:
    try:
        from pyeclib.ec_iface import ECDriver
    except ImportError as error:
        raise UsageError(
            "the vault needs pyeclib and raptorq; install webkeep with its extra: webkeep[vault]"
        ) from error
    return ECDriver(k=needed, m=total - needed, ec_type="isa_l_rs_cauchy", chksum_type="none")
