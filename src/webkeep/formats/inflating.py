"""Decompression of single content codings: gzip, deflate, brotli and zstd, in pieces of a bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import brotli
import zstandard
from isal import isal_zlib

from webkeep.formats.chunked import Note
from webkeep.formats.segments import IsalError
from webkeep.model import CHUNK

Way = Callable[[Iterator[bytes], Note], Iterator[bytes]]
"""Decompresses an iterator of bytes; raises UndecodableError where it cannot go on."""

_CAREFUL = 16
_SLICE = 128
_WINDOW = 8 << 20  # RFC 9659: content coded with zstd needs no larger window
_GZIP, _ZLIB, _RAW = 31, 15, -15


class UndecodableError(Exception):
    """The bytes are not, or no longer, of the coding; the stage above decides what becomes of them."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _broken(error: Exception) -> UndecodableError:
    return UndecodableError("coding-corrupt", f"is corrupt ({error})")


def _cut_off() -> UndecodableError:
    return UndecodableError("coding-truncated", "ends before its coding does")


def _inflated(wbits: int, piece: int, chunks: Iterator[bytes], tell: Note) -> Iterator[bytes]:
    """Inflate gzip with any number of members, zlib, or raw deflate."""
    inflater = isal_zlib.decompressobj(wbits=wbits)
    pending = begun = False
    for chunk in chunks:
        data = chunk
        while data or pending:
            if inflater.eof:
                if wbits != _GZIP or not _is_member(data):
                    _tell_trailing(data, tell)
                    return
                inflater = isal_zlib.decompressobj(wbits=wbits)
            begun = True
            try:
                out = inflater.decompress(data, piece)
            except IsalError as error:
                raise _broken(error) from error
            if out:
                yield out
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            pending = not inflater.eof and len(out) >= piece
    if begun and not inflater.eof:
        raise _cut_off()


def _is_member(data: bytes) -> bool:
    # A member's first byte may be the last of its chunk, so one byte has to do.
    return data[:2] in (b"\x1f\x8b", b"\x1f")


def _tell_trailing(data: bytes, tell: Note) -> None:
    if data.strip(b"\0"):
        tell("bytes-after-body", "bytes follow the compressed body; left out")


def _unbrotlied(chunks: Iterator[bytes], _tell: Note) -> Iterator[bytes]:
    decompressor = brotli.Decompressor()
    begun = False
    for chunk in chunks:
        begun = begun or bool(chunk)
        data, out = chunk, b""
        while data or out or not decompressor.can_accept_more_data():
            try:
                out = decompressor.process(data, output_buffer_limit=CHUNK)
            except brotli.error as error:
                raise _broken(error) from error
            data = b""
            if out:
                yield out
    if begun and not decompressor.is_finished():
        raise _cut_off()


def _unzstd(chunks: Iterator[bytes], tell: Note) -> Iterator[bytes]:
    """Zstandard with any number of frames."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    frame = decompressor.decompressobj()
    begun = False
    for data in _slices(chunks):
        while data:
            if frame.eof:
                if not _is_frame(data):
                    _tell_trailing(data, tell)
                    return
                frame = decompressor.decompressobj()
            begun = True
            try:
                out = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise _broken(error) from error
            if out:
                yield out
            data = frame.unused_data
    if begun and not frame.eof:
        raise _cut_off()


def _slices(chunks: Iterator[bytes]) -> Iterator[bytes]:
    # zstandard bounds no output: four bytes can stand for 128 KB, so little is fed to it at a time.
    for chunk in chunks:
        for at in range(0, len(chunk), _SLICE):
            yield chunk[at : at + _SLICE]


def _is_frame(data: bytes) -> bool:
    return data[0] == 0x28 or 0x50 <= data[0] <= 0x5F


# The decompressors throw away the output of a call that fails: the second, careful way saves what comes before the
# error. Only codings that begin with a signature have one, lest plain text be inflated into noise.
_GUNZIP: tuple[Way, ...] = (partial(_inflated, _GZIP, CHUNK), partial(_inflated, _GZIP, _CAREFUL))
_DEFLATE: tuple[Way, ...] = (
    partial(_inflated, _ZLIB, CHUNK),
    partial(_inflated, _ZLIB, _CAREFUL),
    partial(_inflated, _RAW, CHUNK),
)
WAYS: Mapping[str, tuple[Way, ...]] = {
    "gzip": _GUNZIP,
    "x-gzip": _GUNZIP,
    "deflate": _DEFLATE,
    "br": (_unbrotlied,),
    "zstd": (_unzstd,),
}
"""For each coding the ways to undo it, tried in turn until one gives output."""
