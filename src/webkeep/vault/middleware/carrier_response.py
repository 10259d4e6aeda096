"""One response of a page that carries blocks, on its way out: which responses get them, and how.

Theory of operation. What is streamed is passed on as it comes, and the blocks are appended. What says its length or is
compressed is held back, up to a bound, as its head must say another length. What turns out to be no whole HTML document
passes as it is, and so does whatever is partial, has no body, or forbids it.
"""

from __future__ import annotations

import enum
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import brotli
import zstandard
from xxhash import xxh3_128_digest

from webkeep.formats.codings import decode_body
from webkeep.formats.status import NOT_MODIFIED, OK
from webkeep.model import Headers
from webkeep.vault.blocks.page_injection import can_carry, encode_like, inject_blocks, is_closed, is_document
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.validators import HeaderField, response_fields

_MAX_HELD_BYTES = 4 << 20
"""Of a page that is held back; a larger one is no carrier."""
_START_BYTES = 1024
"""Of a streamed page that tell whether it is a document."""
_PAGE_TYPES = (b"text/html", b"application/xhtml+xml")
_BROTLI_QUALITY, _ZSTD_LEVEL, _DEFLATE_LEVEL = 4, 3, 6
"""As servers compress while they serve."""


class _Way(enum.Enum):
    PASS = "pass"
    HOLD = "hold"
    STREAM = "stream"
    NO_BODY = "no body"


@dataclass(frozen=True, slots=True)
class CarrierOptions:
    """How blocks are put into what is served."""

    visible: bool = False
    """Whether a line "This page was modified on …" is put into pages too."""
    crawlers_only: str = ""
    """An expression that the User-Agent of crawlers matches; "" gives all clients the same page. Search engines call it
    cloaking when crawlers are given other pages than people, and may punish it."""


class CarrierResponse:
    """Follows one response from its head to its end."""

    def __init__(self, blocks: CarriedBlocks, options: CarrierOptions, is_head_request: bool = False) -> None:
        self._blocks, self._options = blocks, options
        self._is_head_request = is_head_request
        self._way = _Way.PASS
        self._status = 0
        self._held = bytearray()
        self._start = b""
        self._tail = bytearray()
        self._coding = ""
        self.fields: list[HeaderField] = []
        """Of the response; final once anything of its body was handed out."""

    def on_head(self, status: int, fields: list[HeaderField]) -> None:
        """The head came; it is sent on with the first of the body."""
        self._status, self.fields = status, fields
        self._way = self._choose_way(status, fields)
        if self._way in (_Way.NO_BODY, _Way.STREAM):
            self.fields = self._with_blocks(fields, None)

    def _choose_way(self, status: int, fields: list[HeaderField]) -> _Way:
        said = {name.lower(): value for name, value in fields}
        if status == NOT_MODIFIED:
            return _Way.NO_BODY
        media_type = said.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if status != OK or media_type not in _PAGE_TYPES or b"content-range" in said:
            return _Way.PASS
        if b"no-transform" in said.get(b"cache-control", b"").lower():
            return _Way.PASS
        if self._is_head_request:
            return _Way.NO_BODY
        self._coding = said.get(b"content-encoding", b"").decode("latin-1").strip().lower()
        if self._coding in ("", "identity"):
            self._coding = ""
        elif self._coding not in _ENCODERS:
            return _Way.PASS
        must_hold = self._coding or self._options.visible or b"content-length" in said
        return _Way.HOLD if must_hold else _Way.STREAM

    def feed(self, data: bytes, more: bool) -> bytes | None:
        """What is to be sent for a piece of the body; None where nothing is sent yet."""
        way = self._way
        if way is _Way.HOLD:
            return self._hold(data, more)
        return self._stream(data, more) if way is _Way.STREAM else data

    def _hold(self, data: bytes, more: bool) -> bytes | None:
        if not more and not self._held and len(data) <= _MAX_HELD_BYTES:
            return self._finish(data)
        self._held += data
        if len(self._held) > _MAX_HELD_BYTES:
            self._way = _Way.PASS
            held, self._held = bytes(self._held), bytearray()
            return held
        return None if more else self._finish(bytes(self._held))

    def _finish(self, page: bytes) -> bytes:
        whole = self._inject(page)
        if whole is not page:
            self.fields = self._with_blocks(self.fields, len(whole))
        return whole

    def _inject(self, page: bytes) -> bytes:
        """The page with its blocks; the very same where it cannot have any."""
        try:
            plain = _decode(page, self._coding)
            if plain is None or not _can_carry_again(plain):
                return page
            modified = self._blocks.moved.iso() if self._options.visible else ""
            whole = inject_blocks(plain, [self._blocks.comments], modified)
            return _ENCODERS[self._coding](whole) if self._coding else whole
        except (ValueError, zlib.error, zstandard.ZstdError, brotli.error):
            return page

    def _stream(self, data: bytes, more: bool) -> bytes | None:
        if len(self._start) < _START_BYTES:
            self._start += data[: _START_BYTES - len(self._start)]
        self._tail += data
        if len(self._tail) > 2 * _MAX_TAIL_BYTES:  # now and then, as pieces may be small
            del self._tail[:-_MAX_TAIL_BYTES]
        if more:
            return data
        end = bytes(self._tail[-_MAX_TAIL_BYTES:])
        if not is_document(self._start, end) or not is_closed(end.replace(b"\0", b"")):
            return data
        return data + encode_like(self._start, self._blocks.comments)

    def _with_blocks(self, fields: list[HeaderField], length: int | None) -> list[HeaderField]:
        changed = response_fields(fields, self._blocks.mark, self._blocks.moved)
        if self._options.crawlers_only:
            changed.append((b"Vary", b"User-Agent"))
        if length is not None:
            changed.append((b"Content-Length", b"%d" % length))
        return changed


_MAX_TAIL_BYTES = 64 << 10
"""Of the end of a streamed page, by which it is told whether anything in it is left open."""


_MAX_VERDICTS = 20_000
"""Pages of which it is remembered whether they can carry blocks, by their digests: less than 3 MB."""
_verdicts: dict[bytes, bool] = {}


def _can_carry_again(page: bytes) -> bool:
    """Whether a page can carry blocks; one that was served before is known by its digest, a tenth of the work."""
    digest = xxh3_128_digest(page)
    known = _verdicts.get(digest)
    if known is None:
        if len(_verdicts) >= _MAX_VERDICTS:
            _verdicts.clear()
        known = _verdicts[digest] = can_carry(page)
    return known


def _decode(page: bytes, coding: str) -> bytes | None:
    """A page without its coding; None where it cannot be read or is too large."""
    if not coding:
        return page
    flaws: list[str] = []
    headers = Headers((("Content-Encoding", coding),))
    plain = b"".join(decode_body(headers, [page], _MAX_HELD_BYTES, lambda code, _: flaws.append(code)))
    return None if flaws else plain


def _gzip(data: bytes) -> bytes:
    compressor = zlib.compressobj(_DEFLATE_LEVEL, wbits=31)
    return compressor.compress(data) + compressor.flush()


_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": lambda data: zlib.compress(data, _DEFLATE_LEVEL),
    "br": lambda data: bytes(brotli.compress(data, quality=_BROTLI_QUALITY)),
    "zstd": lambda data: zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(data),
}
