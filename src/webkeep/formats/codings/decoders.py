"""Decompression of single content codings: gzip of several members, deflate with zlib's frame or raw, brotli and zstd,
in pieces of a bounded size, and in which ways each is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import brotli
import zstandard
from isal import isal_zlib

from webkeep.formats.codings.chunked import FlawCallback
from webkeep.formats.warc.segments import IsalError
from webkeep.model import CHUNK_BYTES

CodingDecoder = Callable[[Iterator[bytes], FlawCallback], Iterator[bytes]]
"""Decompresses an iterator of bytes; raises `CodingError` where it cannot go on."""

_CAREFUL_PIECE_BYTES = 16
"""A call that fails throws its output away: so little is lost before an error."""
_ZSTD_FEED_BYTES = 128
"""Given to the decompressor at a time: it stands for at most 4 MB, as four bytes can stand for 128 KB."""
_MAX_ZSTD_WINDOW_BYTES = 8 << 20  # RFC 9659: content coded with zstd needs no larger window
_GZIP_WBITS, _ZLIB_WBITS, _RAW_WBITS = 31, 15, -15
"""As zlib wants them: a window of 32 KiB, with gzip's frame, zlib's, or none."""


class CodingError(Exception):
    """The bytes are not, or no longer, of the coding; the stage above decides what becomes of them."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _corrupt_error(error: Exception) -> CodingError:
    return CodingError("coding-corrupt", f"is corrupt ({error})")


def _truncated_error() -> CodingError:
    return CodingError("coding-truncated", "ends before its coding does")


def _inflate(wbits: int, piece: int, chunks: Iterator[bytes], tell: FlawCallback) -> Iterator[bytes]:
    """Inflate gzip with any number of members, zlib, or raw deflate."""
    inflater = isal_zlib.decompressobj(wbits=wbits)
    pending = begun = False
    for chunk in chunks:
        data = chunk
        while data or pending:
            if inflater.eof:
                if wbits != _GZIP_WBITS or not _is_gzip_member(data):
                    _report_trailing(data, tell)
                    return
                inflater = isal_zlib.decompressobj(wbits=wbits)
            begun = True
            try:
                out = inflater.decompress(data, piece)
            except IsalError as error:
                raise _corrupt_error(error) from error
            if out:
                yield out
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            pending = not inflater.eof and len(out) >= piece
    if begun and not inflater.eof:
        raise _truncated_error()


def _is_gzip_member(data: bytes) -> bool:
    # A member's first byte may be the last of its chunk, so one byte has to do.
    return data[:2] in (b"\x1f\x8b", b"\x1f")


def _report_trailing(data: bytes, tell: FlawCallback) -> None:
    if data.strip(b"\0"):
        tell("bytes-after-body", "bytes follow the compressed body; left out")


def _decode_brotli(chunks: Iterator[bytes], _tell: FlawCallback) -> Iterator[bytes]:
    decompressor = brotli.Decompressor()
    begun = False
    for chunk in chunks:
        begun = begun or bool(chunk)
        data, out = chunk, b""
        while data or out or not decompressor.can_accept_more_data():
            try:
                out = decompressor.process(data, output_buffer_limit=CHUNK_BYTES)
            except brotli.error as error:
                raise _corrupt_error(error) from error
            data = b""
            if out:
                yield out
    if begun and not decompressor.is_finished():
        raise _truncated_error()


def _decode_zstd(chunks: Iterator[bytes], tell: FlawCallback) -> Iterator[bytes]:
    """Zstandard with any number of frames."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW_BYTES)
    frame = decompressor.decompressobj()
    begun = False
    for data in _slices(chunks):
        while data:
            if frame.eof:
                if not _is_zstd_frame(data):
                    _report_trailing(data, tell)
                    return
                frame = decompressor.decompressobj()
            begun = True
            try:
                out = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise _corrupt_error(error) from error
            if out:
                yield out
            data = frame.unused_data
    if begun and not frame.eof:
        raise _truncated_error()


def _slices(chunks: Iterator[bytes]) -> Iterator[bytes]:
    # zstandard bounds no output: four bytes can stand for 128 KB, so little is fed to it at a time.
    for chunk in chunks:
        for at in range(0, len(chunk), _ZSTD_FEED_BYTES):
            yield chunk[at : at + _ZSTD_FEED_BYTES]


def _is_zstd_frame(data: bytes) -> bool:
    return data[0] == 0x28 or 0x50 <= data[0] <= 0x5F


# The decompressors throw away the output of a call that fails: the second, careful way saves what comes before the
# error. Only codings that begin with a signature have one, lest plain text be inflated into noise.
_GZIP_DECODERS: tuple[CodingDecoder, ...] = (
    partial(_inflate, _GZIP_WBITS, CHUNK_BYTES),
    partial(_inflate, _GZIP_WBITS, _CAREFUL_PIECE_BYTES),
)
_DEFLATE_DECODERS: tuple[CodingDecoder, ...] = (
    partial(_inflate, _ZLIB_WBITS, CHUNK_BYTES),
    partial(_inflate, _ZLIB_WBITS, _CAREFUL_PIECE_BYTES),
    partial(_inflate, _RAW_WBITS, CHUNK_BYTES),
)
DECODERS: Mapping[str, tuple[CodingDecoder, ...]] = {
    "gzip": _GZIP_DECODERS,
    "x-gzip": _GZIP_DECODERS,
    "deflate": _DEFLATE_DECODERS,
    "br": (_decode_brotli,),
    "zstd": (_decode_zstd,),
}
"""For each coding the ways to undo it, tried in turn until one gives output."""
