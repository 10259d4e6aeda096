"""One response of a page that carries blocks, on its way out: which responses get them, and how.

Theory of operation. What is streamed is passed on as it comes, and the blocks are appended. What says its length or is
compressed is held back, up to a bound, as its head must say another length. What turns out to be no whole HTML document
passes as it is, and so does whatever is partial, has no body, or forbids it. What the application answered before, to
the byte, is sent as it was then, before any of that is asked.
"""

from __future__ import annotations

import enum
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import brotli
import zstandard

from webkeep.formats.codings import decode_body
from webkeep.formats.status import NOT_MODIFIED, OK
from webkeep.model import Headers
from webkeep.vault.blocks.page_injection import encode_like, inject_blocks
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.known_pages import MAX_CARRIER_BYTES, KnownPages
from webkeep.vault.middleware.served_pages import ServedPage
from webkeep.vault.middleware.validators import HeaderField, response_fields

_VARYING = (b"vary", b"User-Agent")
_PAGE_TYPES = (b"text/html", b"application/xhtml+xml")
_BROTLI_QUALITY, _ZSTD_LEVEL, _DEFLATE_LEVEL = 4, 3, 6
"""As servers compress while they serve."""


class _Way(enum.Enum):
    UNDECIDED = "undecided"
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

    __slots__ = ("_blocks", "_coding", "_held", "_is_head_request", "_known", "_options", "_status", "_way", "fields")

    def __init__(
        self, blocks: CarriedBlocks, options: CarrierOptions, known: KnownPages, is_head_request: bool = False
    ) -> None:
        self._blocks, self._options, self._known = blocks, options, known
        self._is_head_request = is_head_request
        self._way = _Way.PASS
        self.fields: Sequence[HeaderField] = ()
        """Of the response; final once anything of its body was handed out."""

    def on_head(self, status: int, fields: Sequence[HeaderField]) -> None:
        """The head came; it is sent on with the first of the body."""
        self._way, self._status, self.fields = _Way.UNDECIDED, status, fields

    def feed(self, data: bytes, more: bool) -> bytes | None:
        """What is to be sent for a piece of the body; None where nothing is sent yet."""
        way = self._way
        if way is _Way.UNDECIDED:
            if not more and (body := self._repeat(data)) is not None:  # as nearly all pages come
                return body
            way = self._decide()
        if way is _Way.HOLD:
            return self._hold(data, more)
        return self._stream(data, more) if way is _Way.STREAM else data

    def _repeat(self, page: bytes) -> bytes | None:
        """What is sent where the application answers as it did before; None where that is not known."""
        if self._is_head_request:
            return None
        answer = self._known.answer(self._blocks, self._status, self.fields, page)
        if answer is None:
            return None
        self._way, (self.fields, body) = _Way.PASS, answer
        return body

    def _decide(self) -> _Way:
        self._coding, self._held = "", bytearray()
        self._way = way = self._choose_way(self._status, self.fields)
        if way is _Way.NO_BODY or way is _Way.STREAM:
            self.fields = self._with_blocks(self.fields, None)
        return way

    def _choose_way(self, status: int, fields: Iterable[HeaderField]) -> _Way:
        said = {name.lower(): value for name, value in fields}
        if status == NOT_MODIFIED:
            return _Way.NO_BODY
        if status != OK or not _is_page_type(said.get(b"content-type", b"")) or b"content-range" in said:
            return _Way.PASS
        if b"cache-control" in said and b"no-transform" in said[b"cache-control"].lower():
            return _Way.PASS
        if self._is_head_request:
            return _Way.NO_BODY
        if b"content-encoding" in said:
            coding = said[b"content-encoding"].decode("latin-1").strip().lower()
            self._coding = "" if coding == "identity" else coding
            if self._coding and self._coding not in _ENCODERS:
                return _Way.PASS
        must_hold = b"content-length" in said or self._coding or self._options.visible
        return _Way.HOLD if must_hold else _Way.STREAM

    def _hold(self, data: bytes, more: bool) -> bytes | None:
        if not more and not self._held and len(data) <= MAX_CARRIER_BYTES:
            return self._finish(data)
        self._held += data
        if len(self._held) > MAX_CARRIER_BYTES:
            self._way = _Way.PASS
            held, self._held = bytes(self._held), bytearray()
            return held
        if more:
            return None
        page = bytes(self._held)
        body = self._repeat(page)
        return body if body is not None else self._finish(page)

    def _finish(self, page: bytes) -> bytes:
        whole = self._inject(page)
        if whole is not page:
            said, self.fields = self.fields, self._with_blocks(self.fields, len(whole))
            if self._known.was_same(self._blocks.mark):
                apart = b"" if whole.startswith(page) else page
                served = ServedPage(self._status, said, apart, len(page), self.fields, whole)
                self._known.served.keep(self._blocks.mark, served)
            elif not self._coding and not self._options.visible:
                self._known.heads.keep(self._status, said, self.fields)
        return whole

    def _inject(self, page: bytes) -> bytes:
        """The page with its blocks; the very same where it cannot have any."""
        if not self._coding and not self._options.visible:  # as nearly all pages come
            can_carry = self._known.can_carry(self._blocks.mark, page)
            return page + encode_like(page, self._blocks.comments) if can_carry else page
        try:
            plain = _decode(page, self._coding)
            if plain is None or not self._known.can_carry(self._blocks.mark, plain):
                return page
            modified = self._blocks.moved.iso() if self._options.visible else ""
            whole = inject_blocks(plain, [self._blocks.comments], modified)
            return _ENCODERS[self._coding](whole) if self._coding else whole
        except (ValueError, zlib.error, zstandard.ZstdError, brotli.error):
            return page

    def _stream(self, data: bytes, more: bool) -> bytes:
        """Pass a piece on, and the blocks behind the last; what was sent is kept, to tell whether it can carry them."""
        if not more and not self._held:
            page = data
        else:
            self._held += data
            if len(self._held) > MAX_CARRIER_BYTES:
                self._way, self._held = _Way.PASS, bytearray()
                return data
            page = b"" if more else bytes(self._held)
        if more or not self._known.can_carry(self._blocks.mark, page):
            return data
        return data + encode_like(page, self._blocks.comments)

    def _with_blocks(self, fields: Iterable[HeaderField], length: int | None) -> list[HeaderField]:
        changed = response_fields(fields, self._blocks.mark, self._blocks.moved)
        if self._options.crawlers_only:
            changed.append(_VARYING)
        if length is not None:
            changed.append((b"content-length", b"%d" % length))
        return changed


class PlainResponse:
    """The response of a page that carries blocks, to a client that gets none; caches are told on whom that hangs."""

    __slots__ = ("fields",)

    def __init__(self) -> None:
        self.fields: Sequence[HeaderField] = ()

    def on_head(self, status: int, fields: Sequence[HeaderField]) -> None:  # noqa: ARG002
        """The head came."""
        self.fields = [*fields, _VARYING]

    def feed(self, data: bytes, more: bool) -> bytes:  # noqa: ARG002
        """What is sent for a piece of the body."""
        return data


@lru_cache(maxsize=64)
def _is_page_type(content_type: bytes) -> bool:
    return content_type.partition(b";")[0].strip().lower() in _PAGE_TYPES


def _decode(page: bytes, coding: str) -> bytes | None:
    """A page without its coding; None where it cannot be read or is too large."""
    if not coding:
        return page
    flaws: list[str] = []
    headers = Headers((("Content-Encoding", coding),))
    plain = b"".join(decode_body(headers, [page], MAX_CARRIER_BYTES, lambda code, _: flaws.append(code)))
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
