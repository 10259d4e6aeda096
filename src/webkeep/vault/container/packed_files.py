"""Files as what is in them: as they are, compressed, or many in one, as copies and dumps are in ZIP and tar files.

What is damaged in one of them is read as far as it goes: whoever reads pages is told by their blocks whether they are
whole.
"""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.codings import PACKED_FILE_LIMIT, decode_body
from webkeep.formats.wacz import read_wacz
from webkeep.model import CHUNK_BYTES, Headers
from webkeep.vault.container.packed_entry import EntryKind
from webkeep.vault.container.tar_reader import StrangeEntry, read_tar

FileChunks = tuple[str, Iterator[bytes]]
"""Where a file is, and its bytes without any coding."""

_ZIP_MAGIC, _TAR_MAGIC = b"PK\x03\x04", b"ustar"
_TAR_MAGIC_OFFSET = 257
"""Where it stands in the first head of a tar file."""
_GZIP, _ZSTD = (Headers((("Content-Encoding", name),)) for name in ("gzip", "zstd"))
_MAX_XZ_BYTES = 128 << 20
"""Of memory for one file; xz at its strongest level asks for 65 MB."""


def read_packed_files(path: Path, name: str) -> Iterator[FileChunks]:
    """The files in a file that is called so; it is one itself where it does not hold others."""
    start, chunks = _look_at_start(_read_file(path))
    if start.startswith(_ZIP_MAGIC):
        yield from _read_zip(path, name)
        return
    unpack = next((unpack for magic, unpack in _UNPACKERS.items() if start.startswith(magic)), None)
    if unpack is not None:
        start, chunks = _look_at_start(unpack(chunks, PACKED_FILE_LIMIT.max_output(path.stat().st_size)))
    if start[_TAR_MAGIC_OFFSET:].startswith(_TAR_MAGIC):
        yield from _read_tar(chunks, name)
    else:
        yield name, chunks


def holds_records(package: Path) -> bool:
    """Whether a ZIP file has WARC files in it, as WACZ packages have; also where it cannot be read."""
    try:
        with package.open("rb") as stream:
            return bool(read_wacz(stream, package.name, Flaws(Strictness.IGNORE)).warcs)
    except FormatError:
        return True  # what is wrong with it is said when it is read


def _read_zip(path: Path, name: str) -> Iterator[FileChunks]:
    with suppress(FormatError), path.open("rb") as stream:
        package = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
        for member in filter(None, map(package.find, package.paths)):
            yield f"{name}!{member.path}", _as_far_as_it_goes(package.chunks(member))


def _read_tar(chunks: Iterator[bytes], name: str) -> Iterator[FileChunks]:
    with suppress(FormatError):
        for entry, content in read_tar(chunks):
            if not isinstance(entry, StrangeEntry) and entry.kind is EntryKind.FILE:
                yield f"{name}!{entry.path}", _as_far_as_it_goes(content)


def _as_far_as_it_goes(chunks: Iterator[bytes]) -> Iterator[bytes]:
    with suppress(FormatError):
        yield from chunks


def _unpack_gzip(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    return decode_body(_GZIP, chunks, most)


def _unpack_zstd(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    return decode_body(_ZSTD, chunks, most)


def _unpack_bzip2(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    return _decompress(chunks, bz2.BZ2Decompressor, most)


def _unpack_xz(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    return _decompress(chunks, lambda: lzma.LZMADecompressor(memlimit=_MAX_XZ_BYTES), most)


_UNPACKERS = {
    b"\x1f\x8b": _unpack_gzip,
    b"\x28\xb5\x2f\xfd": _unpack_zstd,
    b"BZh": _unpack_bzip2,
    b"\xfd7zXZ\0": _unpack_xz,
}
"""By what a file begins with."""


def _decompress(
    chunks: Iterator[bytes], new: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor], most: int
) -> Iterator[bytes]:
    """What is in one compressed stream after the other, as far as it goes."""
    decompressor = new()
    with suppress(OSError, EOFError, lzma.LZMAError):
        for chunk in chunks:
            packed = chunk
            while (packed or not decompressor.needs_input) and most > 0:
                piece = decompressor.decompress(packed, min(CHUNK_BYTES, most))
                packed, most = b"", most - len(piece)
                if decompressor.eof:
                    packed, decompressor = decompressor.unused_data, new()
                if piece:
                    yield piece


def _look_at_start(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first piece of something, and all of its pieces."""
    start = next(chunks, b"")
    return start, chain((start,), chunks)


def _read_file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
