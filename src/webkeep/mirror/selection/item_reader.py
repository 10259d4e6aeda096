"""Records read one after the other, as a copy needs them: most are one small gzip member, and need no more than a look.

Whatever is not exactly so is left to the archive's careful way.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from isal import isal_zlib

from webkeep.formats.http import split_response
from webkeep.formats.warc import IsalError
from webkeep.mirror.selection.copy_contents import CopyItem
from webkeep.model import BytesBody, RecordType, parse_plain_head
from webkeep.store.archive import Archive
from webkeep.store.reading import StoredResponse

_RESPONSE = RecordType.RESPONSE

_MAX_FAST_BYTES = 1 << 20
_MAX_INFLATED_BYTES = 8 << 20
_MAX_OPEN_FILES = 8
_HEAD_END = b"\r\n\r\n"


class ItemReader:
    """Reads what an archive holds of items; the archive itself is opened only when it is needed."""

    def __init__(self, opened: Callable[[], Archive]) -> None:
        self._open_archive = opened
        self._archive: Archive | None = None
        self._files: dict[str, int] = {}

    @property
    def archive(self) -> Archive:
        """The archive that is read from."""
        if self._archive is None:
            self._archive = self._open_archive()
        return self._archive

    def read(self, item: CopyItem) -> StoredResponse:
        """What is held of an item; a revisit is followed to its payload."""
        return self._read_fast(item) or self.archive.read_place(item.place)

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()

    def _read_fast(self, item: CopyItem) -> StoredResponse | None:
        if not 0 < item.length <= _MAX_FAST_BYTES or not item.file.endswith(".warc.gz"):
            return None
        try:
            data = os.pread(self._descriptor(item.file), item.length, item.offset)
            inflater = isal_zlib.decompressobj(wbits=31)
            whole = inflater.decompress(data, _MAX_INFLATED_BYTES)
        except (OSError, IsalError):
            return None  # the careful way will say what is wrong
        return _parse_member(whole, item.url) if inflater.eof and not inflater.unused_data else None

    def _descriptor(self, name: str) -> int:
        descriptor = self._files.get(name)
        if descriptor is None:
            if len(self._files) >= _MAX_OPEN_FILES:
                self.close()
            descriptor = self._files[name] = os.open(self.archive.layout.warcs / name, os.O_RDONLY)
        return descriptor


def _parse_member(whole: bytes, url: str) -> StoredResponse | None:
    """What a member holds, if it is a response in order."""
    start = whole.find(_HEAD_END, 0, -4) + 4
    if start < 4 or not whole.endswith(_HEAD_END):
        return None
    try:
        head = parse_plain_head(whole[:start].decode("utf-8"))
    except UnicodeDecodeError:
        return None
    fields = head[1].first if head is not None else {}
    size = len(whole) - start - 4
    if (
        fields.get("warc-type") != _RESPONSE
        or fields.get("warc-target-uri", "").strip("<>") != url
        or fields.get("content-length") != str(size)
        or not fields.get("content-type", "").lower().startswith("application/http")
    ):
        return None
    block = whole[start:-4]
    response, body = split_response(block)
    return StoredResponse(url, response, block[:body], BytesBody(block[body:]), fields["content-type"])
