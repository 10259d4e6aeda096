"""Transfer and content codings (Transfer-Encoding, Content-Encoding) undone for reading, as streams of bounded memory,
however much a body lies: what becomes of those mislabelled, cut off, unknown or too many.

Theory of operation. Each coding a message names is one stage of a chain of generators. A compressed stage tries one
or more ways to decode and keeps the raw bytes it was handed until the first output appears, so that a body that is
not what its header says can still be passed on as it came. Once output has appeared, a failure ends the stage: what
could be decoded is kept. Nothing raises; flaws go to a callback.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from webkeep.formats.codings.chunked import FlawCallback, decode_chunked
from webkeep.formats.codings.decoders import DECODERS, CodingDecoder, CodingError
from webkeep.formats.codings.expansion_limit import ExpansionError, ExpansionMeter
from webkeep.model import CHUNK_BYTES, Headers

MAX_CODINGS = 6
"""More stacked codings than this are a prank; the rest are left on."""

CODING_BOMB = "coding-bomb"
"""The code of the flaw of a body that unpacks to far more than any would in earnest."""
_MAX_UNDECODED_BYTES = 256 * 1024
"""So many bytes without any output are not of the coding, and are passed on as they came."""


def decode_body(
    headers: Headers, raw_chunks: Iterable[bytes], limit: int | None = None, on_flaw: FlawCallback | None = None
) -> Iterator[bytes]:
    """A body without its transfer and content codings, in pieces of at most `CHUNK_BYTES` bytes.

    At most `limit` bytes come out, and never more than is in order for so many packed ones. `on_flaw` is told
    the code and message of every flaw met on the way.
    """
    tell = on_flaw or _ignore_flaw
    meter = ExpansionMeter()
    pieces: Iterable[bytes] = meter.count_input(raw_chunks) if has_codings(headers) else raw_chunks
    for name in _codings_to_undo(headers, tell):
        if name == "chunked":
            pieces = decode_chunked(pieces, tell)
        elif name in DECODERS:
            pieces = _bound_expansion(meter, _undo_coding(name, pieces, tell), tell)
        else:
            tell("coding-unknown", f"body is coded as {name!r}, which cannot be undone; taken as it is")
            break
    return _limit_pieces(pieces, limit, tell)


def has_codings(headers: Headers) -> bool:
    """Whether the body differs from its content by any coding."""
    return next(_list_codings(headers), "") != ""


def _codings_to_undo(headers: Headers, tell: FlawCallback) -> Iterator[str]:
    """The names of the codings in the order in which they are undone."""
    names = list(itertools.islice(_list_codings(headers), MAX_CODINGS + 1))
    if len(names) > MAX_CODINGS:
        tell("codings-too-many", f"body names more than {MAX_CODINGS} codings; the rest are left on")
    return iter(names[:MAX_CODINGS])


def _list_codings(headers: Headers) -> Iterator[str]:
    if "content-encoding" not in headers and "transfer-encoding" not in headers:
        return
    chunked_once = False
    for field in ("transfer-encoding", "content-encoding"):
        listed = ",".join(headers.all(field)).lower().split(",")
        for name in map(str.strip, reversed(listed)):
            repeated = name == "chunked" and chunked_once
            if name and name != "identity" and not repeated:
                chunked_once = chunked_once or name == "chunked"
                yield name


def _bound_expansion(meter: ExpansionMeter, pieces: Iterable[bytes], tell: FlawCallback) -> Iterator[bytes]:
    """What comes out of one coding, up to the bound on all of them."""
    try:
        yield from meter.bound_output(pieces)
    except ExpansionError as error:
        tell(CODING_BOMB, f"body {error}; the rest is left out")


def _undo_coding(name: str, chunks: Iterable[bytes], tell: FlawCallback) -> Iterator[bytes]:
    feed = iter(chunks)
    for way in DECODERS[name]:
        tape = _ReplayBuffer(feed)
        try:
            yield from _run_decoder(way, tape, tell)
            return
        except CodingError as error:
            if not tape.has_copy:
                tell(error.code, f"{name} body {error}; what came before is kept")
                return
            feed = itertools.chain(tape.copied, feed)
    first = next(feed, None)
    if first is not None:
        tell("coding-mislabelled", f"body is not {name} though its header says so; taken as it is")
        yield from itertools.chain((first,), feed)


def _run_decoder(way: CodingDecoder, tape: _ReplayBuffer, tell: FlawCallback) -> Iterator[bytes]:
    for piece in way(tape, tell):
        if piece:
            tape.drop_copy()
            yield piece


class _ReplayBuffer:
    """Hands on bytes and keeps a copy until it is told to forget; so many without any output are no coding."""

    def __init__(self, feed: Iterator[bytes]) -> None:
        self._feed = feed
        self._size = 0
        self.copied: list[bytes] = []
        self.has_copy = True

    def drop_copy(self) -> None:
        """Keep nothing from now on."""
        self.has_copy = False
        self.copied.clear()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._feed)
        if self.has_copy:
            self.copied.append(chunk)
            self._size += len(chunk)
            if self._size > _MAX_UNDECODED_BYTES + len(self.copied[0]):
                raise CodingError("coding-corrupt", "gives no content")
        return chunk


def _limit_pieces(pieces: Iterable[bytes], limit: int | None, tell: FlawCallback) -> Iterator[bytes]:
    """Small pieces joined, large ones cut, and all of them cut off at the limit."""
    left = limit
    for piece in _even_pieces(pieces):
        if left is not None and len(piece) > left:
            tell("body-cut", f"body is longer than {limit} bytes; the rest is left out")
            if left:
                yield piece[:left]
            return
        yield piece
        left = None if left is None else left - len(piece)


def _even_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        if size + len(piece) > CHUNK_BYTES and held:
            yield b"".join(held)
            held, size = [], 0
        if len(piece) >= CHUNK_BYTES:
            yield from (piece[at : at + CHUNK_BYTES] for at in range(0, len(piece), CHUNK_BYTES))
        elif piece:
            held.append(piece)
            size += len(piece)
    if held:
        yield b"".join(held)


def _ignore_flaw(_code: str, _message: str) -> None:
    """Flaws the caller did not ask about."""
