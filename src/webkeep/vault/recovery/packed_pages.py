"""Files that hold pages, as pages: as they are, compressed, or many in one, as copies are in ZIP and tar files.

What is damaged in one of them is read as far as it goes: blocks tell by themselves whether they are whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.codings import PACKED_FILE_LIMIT, ExpansionLimit, decode_body
from webkeep.formats.wacz import read_wacz
from webkeep.model import CHUNK_BYTES, Headers
from webkeep.vault.container.packed_entry import EntryKind
from webkeep.vault.container.tar_reader import StrangeEntry, read_tar

PageChunks = tuple[str, Iterator[bytes]]
"""Where a page is, and its bytes without any coding."""

PAGE_LIMIT = ExpansionLimit(64 << 20, 200, 512 << 20)
"""How much of one page is looked at: more than any page with blocks has."""
_ZIP_MAGIC, _GZIP_MAGIC, _TAR_MAGIC = b"PK\x03\x04", b"\x1f\x8b", b"ustar"
_TAR_MAGIC_OFFSET = 257
"""Where it stands in the first head of a tar file."""
_GZIPPED = Headers((("Content-Encoding", "gzip"),))


def read_file_pages(path: Path, name: str) -> Iterator[PageChunks]:
    """The pages of a file that is called so; it is one page itself where it does not hold others."""
    start, chunks = _look_at_start(_read_file(path))
    if start.startswith(_ZIP_MAGIC):
        yield from _read_zip(path, name)
        return
    if start.startswith(_GZIP_MAGIC):
        most = PACKED_FILE_LIMIT.max_output(path.stat().st_size)
        start, chunks = _look_at_start(decode_body(_GZIPPED, chunks, most))
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


def _read_zip(path: Path, name: str) -> Iterator[PageChunks]:
    with suppress(FormatError), path.open("rb") as stream:
        package = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
        for member in filter(None, map(package.find, package.paths)):
            yield f"{name}!{member.path}", _as_far_as_it_goes(package.chunks(member))


def _read_tar(chunks: Iterator[bytes], name: str) -> Iterator[PageChunks]:
    with suppress(FormatError):
        for entry, content in read_tar(chunks):
            if not isinstance(entry, StrangeEntry) and entry.kind is EntryKind.FILE:
                yield f"{name}!{entry.path}", _as_far_as_it_goes(content)


def _as_far_as_it_goes(chunks: Iterator[bytes]) -> Iterator[bytes]:
    with suppress(FormatError):
        yield from chunks


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
