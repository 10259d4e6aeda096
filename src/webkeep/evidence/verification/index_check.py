"""The index and the list of pages by which viewers find their way in a package: both lead to the records that they
name, and to all of them, so that no viewer shows one page as another.

Theory of operation. The index is held against one that is made of the records here. Both may have millions of lines in
different order, so that of each only a sum of keyed hashes is kept; the key is drawn anew each time, and nobody can
make lines for it.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.formats import Flaws, read_json
from webkeep.formats.cdx import CdxLine, parse_cdx_line
from webkeep.formats.wacz import Wacz, WaczPage
from webkeep.store.archive import Archive
from webkeep.store.index import cdx_line

INDEX_PATH, _PLACES_PATH = "indexes/index.cdx.gz", "indexes/index.idx"
_INDEX_NAME = INDEX_PATH.rpartition("/")[2]
_CODE = "evidence-index"
_REVISIT_TYPE = "warc/revisit"
_HASH_BYTES = 16
"""Of the key, and of each hash: enough that nobody guesses the key, which lives for one check."""
_MAX_BLOCK_BYTES, _MAX_PLACES_BYTES = 64 << 20, 64 << 20
"""Of a thousand lines, and of where each thousand begins."""


@dataclass(slots=True)
class IndexSum:
    """What many lines of an index come to, in whatever order they are."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(_HASH_BYTES))
    value: int = 0

    def add(self, line: CdxLine, filename: str) -> None:
        """Take one more line in, with all by which viewers find a record and read it."""
        is_revisit = line.mime == _REVISIT_TYPE
        told = (line.key, line.timestamp, line.url, line.status, line.digest, line.length, line.offset, is_revisit)
        data = repr((*told, filename)).encode("utf-8", "replace")
        digest = hashlib.blake2b(data, key=self.key, digest_size=_HASH_BYTES).digest()
        self.value = (self.value + int.from_bytes(digest, "big")) % (1 << 8 * _HASH_BYTES)


def sum_records(archive: Archive, package: Path, key: bytes) -> int:
    """What the index of an archive comes to that was made of a package."""
    found, before = IndexSum(key), len(f"00000-{package.name.removesuffix('.wacz')}-00000-")
    for entry in archive.entries():
        found.add(cdx_line(entry), entry.place.file[before:])
    return found.value


def find_unknown_pages(archive: Archive, pages: Iterable[WaczPage]) -> Iterator[str]:
    """The addresses of listed pages that no record of that moment has; fragments are parts of a page that has one."""
    for page in pages:
        url = page.url.partition("#")[0]
        held = archive.history(url)
        if not any(each.url == url and ("#" in page.url or each.moment == page.moment) for each in held):
            yield page.url


def check_index(wacz: Wacz, key: bytes, expected: int, source: str, flaws: Flaws) -> None:
    """Report an index that does not lead to the records of its package, or not to all of them."""
    found = IndexSum(key)
    try:
        for line in _read_lines(wacz):
            found.add(line, line.filename or "")
    except (FormatError, KeyError, TypeError, ValueError, zlib.error) as error:
        flaws.report(_CODE, source, 0, f"its index cannot be read by viewers: {error.args[0] if error.args else error}")
        return
    if found.value != expected:
        message = "its index does not lead to its records, or not to all: viewers would show something else"
        flaws.report(_CODE, source, 0, message)


def _read_lines(wacz: Wacz) -> Iterator[CdxLine]:
    last = b""
    for block in _read_blocks(wacz):
        for data in block.splitlines():
            if data < last:
                raise FormatError("its lines are not in order")
            last = data
            yield parse_cdx_line(data)


def _read_blocks(wacz: Wacz) -> Iterator[bytes]:
    """The lines of an index, by the places at which viewers read them: one behind the other, and nothing between."""
    index = wacz.find(INDEX_PATH)
    if index is None:
        raise FormatError(f"{INDEX_PATH} is missing")
    at = 0
    with wacz.open(index) as stream:
        for prefix, offset, length, digest in _read_places(wacz):
            if not 0 < length <= _MAX_BLOCK_BYTES:
                raise FormatError(f"{_PLACES_PATH} has a part that is none")
            data = stream.read(length)
            if offset != at or digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
                raise FormatError(f"{_PLACES_PATH} does not say where its parts are")
            unpacker = zlib.decompressobj(31)
            block = unpacker.decompress(data, _MAX_BLOCK_BYTES)
            if not unpacker.eof or unpacker.unused_data or block.partition(b"{")[0].rstrip() != prefix:
                raise FormatError(f"{INDEX_PATH} has other parts than {_PLACES_PATH} says")
            at += length
            yield block
    if at != index.size:
        raise FormatError(f"{_PLACES_PATH} does not say where all of its parts are")


def _read_places(wacz: Wacz) -> Iterator[tuple[bytes, int, int, str]]:
    """Of each part of an index how its first line begins, where it is, how long, and its digest."""
    member = wacz.find(_PLACES_PATH)
    if member is None or member.size > _MAX_PLACES_BYTES:
        raise FormatError(f"{_PLACES_PATH} is missing, or larger than any")
    for line in b"".join(wacz.chunks(member)).splitlines():
        prefix, _, place = line.partition(b"{")
        value = read_json(b"{" + place)
        if line.startswith(b"!"):
            if value["filename"] != _INDEX_NAME:
                raise FormatError(f"{_PLACES_PATH} is of another index")
        else:
            yield prefix.rstrip(), int(value["offset"]), int(value["length"]), str(value["digest"])
