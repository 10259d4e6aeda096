"""Making records reachable one by one: in WACZ files, where they lie or inflated, and in files that were compressed in
one piece, which are unpacked into temporary ones.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from webkeep.errors import FormatError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.codings import PACKED_FILE_LIMIT
from webkeep.formats.wacz import StreamSlice, Wacz, ZipMember
from webkeep.model import CHUNK_BYTES
from webkeep.store.reading.record_scan import open_reader
from webkeep.store.writing.record_copy import RecordSource


@contextmanager
def unpack_source(source: RecordSource, folder: Path) -> Iterator[RecordSource]:
    """A source, not compressed, in a temporary file; FormatError where that is too much."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="import-") as file, source.open() as stream:
        most = PACKED_FILE_LIMIT.max_output(measure_stream(stream))
        for piece in open_reader(stream, source.name, Flaws(Strictness.IGNORE)).unpack():
            if file.tell() + len(piece) > most:
                raise FormatError(f"unpacks to more than {most:,} bytes; left out", source.name, 0)
            file.write(piece)
        file.flush()
        plain = source.name.removesuffix(".gz").removesuffix(".zst")
        yield _temporary_source(plain, file.name)


@contextmanager
def wacz_member_source(path: Path, wacz: Wacz, member: ZipMember, folder: Path, flaws: Flaws) -> Iterator[RecordSource]:
    """A WARC file inside a WACZ file: a stretch of that file where it is stored, else inflated to a temporary one."""
    name = f"{path.name}!{member.path}"
    if member.is_stored:
        start = wacz.data_offset(member)
        yield RecordSource(
            name, lambda: cast("BinaryIO", io.BufferedReader(_FileSlice(path, start, member.size), CHUNK_BYTES))
        )
        return
    with tempfile.NamedTemporaryFile(dir=folder, prefix="import-") as file:
        try:
            with wacz.open(member) as stream:
                while chunk := stream.read(CHUNK_BYTES):
                    file.write(chunk)
        except FormatError as error:
            flaws.report("wacz-unreadable", path.name, error.offset, f"{member.path!r} is damaged in the ZIP file")
        file.flush()
        yield _temporary_source(name, file.name)


class _FileSlice(StreamSlice):
    """A stretch of a file, opened for it alone: records are copied by more than one thread."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._file = path.open("rb")
        super().__init__(self._file, start, size)

    def close(self) -> None:
        """Close the file as well."""
        self._file.close()
        super().close()


def measure_stream(stream: BinaryIO) -> int:
    """How many bytes a stream has, from its beginning, where it is left."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return size


def _temporary_source(name: str, path: str) -> RecordSource:
    return RecordSource(name, lambda: Path(path).open("rb"))
