"""More than 255 blocks: the fountain code RaptorQ (RFC 6330), in stripes of one source block without sub-blocks.

Block i is the encoding symbol i of every stripe, so that the same blocks suffice for all stripes or for none. With r
blocks about one set in a hundred does not suffice, with r + 2 less than one in a million.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webkeep.errors import FormatError, UsageError

SYMBOL_ALIGNMENT_BYTES = 8
"""Symbols are a multiple of this long, and blocks with them."""
_MAX_SYMBOL_BYTES = 1024
"""Nothing is gained by longer ones, and stripes take more memory."""
_SOURCE_BLOCK_BYTES = 10 << 20
"""What the library takes as one source block without dividing it."""
_PAYLOAD_ID_BYTES = 4
"""The number of source block and symbol before each packet."""


def symbol_bytes(needed: int) -> int:
    """How long the symbols of a stripe are where there are so many of them."""
    # A source block is filled up to the next size that the standard lists; those are less than 2 % apart beyond 500.
    most = _SOURCE_BLOCK_BYTES // (needed + needed // 20 + 100)
    return min(_MAX_SYMBOL_BYTES, most // SYMBOL_ALIGNMENT_BYTES * SYMBOL_ALIGNMENT_BYTES)


def encode_symbols(data: Sequence[bytes], total: int) -> list[bytes]:
    """All symbols of a stripe, those of the data first; pieces of data have one length."""
    width = len(data[0])
    packets = _library().Encoder.with_defaults(b"".join(data), width).get_encoded_packets(total - len(data))
    return [packet[_PAYLOAD_ID_BYTES:] for packet in packets]


def decode_symbols(symbols: Mapping[int, bytes], needed: int) -> bytes | None:
    """The data of a stripe, or None where these symbols do not suffice."""
    if all(index in symbols for index in range(needed)):
        return b"".join(symbols[index] for index in range(needed))
    width = len(next(iter(symbols.values())))
    decoder = _library().Decoder.with_defaults(needed * width, width)
    try:
        for index, symbol in symbols.items():
            data: bytes | None = decoder.decode(index.to_bytes(_PAYLOAD_ID_BYTES, "big") + symbol)
            if data is not None:
                return data
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise FormatError(f"blocks cannot be decoded ({error})") from error
    return None


def _library() -> Any:
    try:
        import raptorq
    except ImportError as error:
        raise UsageError(
            "the vault needs pyeclib and raptorq; install webkeep with its extra: webkeep[vault]"
        ) from error
    return raptorq
