"""Transfer and content codings undone for reading, as streams of bounded memory, however much a body lies.

Theory of operation. Each coding a message names is one stage of a chain of generators. A compressed stage tries one
or more ways to decode and keeps the raw bytes it was handed until the first output appears, so that a body that is
not what its header says can still be passed on as it came. Once output has appeared, a failure ends the stage: what
could be decoded is kept. Nothing raises; flaws go to a callback.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from webkeep.formats.chunked import Note, dechunked
from webkeep.formats.expansion import ExpansionError, ExpansionMeter
from webkeep.formats.inflating import WAYS, UndecodableError, Way
from webkeep.model import CHUNK, Headers

MOST_CODINGS = 6
"""More stacked codings than this are a prank; the rest are left on."""

BOMB = "coding-bomb"
"""The code of the flaw of a body that unpacks to far more than any would in earnest."""
_HELD = 256 * 1024


def decoded(
    headers: Headers, raw_chunks: Iterable[bytes], limit: int | None = None, note: Note | None = None
) -> Iterator[bytes]:
    """A body without its transfer and content codings, in pieces of at most `CHUNK` bytes.

    At most `limit` bytes come out, and never more than is in order for so many packed ones. `note` is told
    the code and message of every flaw met on the way.
    """
    tell = note or _tell_nobody
    meter = ExpansionMeter()
    pieces: Iterable[bytes] = meter.counted(raw_chunks) if has_codings(headers) else raw_chunks
    for name in _codings(headers, tell):
        if name == "chunked":
            pieces = dechunked(pieces, tell)
        elif name in WAYS:
            pieces = _bounded(meter, _undone(name, pieces, tell), tell)
        else:
            tell("coding-unknown", f"body is coded as {name!r}, which cannot be undone; taken as it is")
            break
    return _measured(pieces, limit, tell)


def has_codings(headers: Headers) -> bool:
    """Whether the body differs from its content by any coding."""
    return next(_names(headers), "") != ""


def _codings(headers: Headers, tell: Note) -> Iterator[str]:
    """The names of the codings in the order in which they are undone."""
    names = list(itertools.islice(_names(headers), MOST_CODINGS + 1))
    if len(names) > MOST_CODINGS:
        tell("codings-too-many", f"body names more than {MOST_CODINGS} codings; the rest are left on")
    return iter(names[:MOST_CODINGS])


def _names(headers: Headers) -> Iterator[str]:
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


def _bounded(meter: ExpansionMeter, pieces: Iterable[bytes], tell: Note) -> Iterator[bytes]:
    """What comes out of one coding, up to the bound on all of them."""
    try:
        yield from meter.bounded(pieces)
    except ExpansionError as error:
        tell(BOMB, f"body {error}; the rest is left out")


def _undone(name: str, chunks: Iterable[bytes], tell: Note) -> Iterator[bytes]:
    feed = iter(chunks)
    for way in WAYS[name]:
        tape = _Tape(feed)
        try:
            yield from _played(way, tape, tell)
            return
        except UndecodableError as error:
            if not tape.whole:
                tell(error.code, f"{name} body {error}; what came before is kept")
                return
            feed = itertools.chain(tape.kept, feed)
    first = next(feed, None)
    if first is not None:
        tell("coding-mislabelled", f"body is not {name} though its header says so; taken as it is")
        yield from itertools.chain((first,), feed)


def _played(way: Way, tape: _Tape, tell: Note) -> Iterator[bytes]:
    for piece in way(tape, tell):
        if piece:
            tape.forget()
            yield piece


class _Tape:
    """Hands on bytes and keeps a copy until it is told to forget; so many without any output are no coding."""

    def __init__(self, feed: Iterator[bytes]) -> None:
        self._feed = feed
        self._size = 0
        self.kept: list[bytes] = []
        self.whole = True

    def forget(self) -> None:
        """Keep nothing from now on."""
        self.whole = False
        self.kept.clear()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._feed)
        if self.whole:
            self.kept.append(chunk)
            self._size += len(chunk)
            if self._size > _HELD + len(self.kept[0]):
                raise UndecodableError("coding-corrupt", "gives no content")
        return chunk


def _measured(pieces: Iterable[bytes], limit: int | None, tell: Note) -> Iterator[bytes]:
    """Small pieces joined, large ones cut, and all of them cut off at the limit."""
    left = limit
    for piece in _evened(pieces):
        if left is not None and len(piece) > left:
            tell("body-cut", f"body is longer than {limit} bytes; the rest is left out")
            if left:
                yield piece[:left]
            return
        yield piece
        left = None if left is None else left - len(piece)


def _evened(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        if size + len(piece) > CHUNK and held:
            yield b"".join(held)
            held, size = [], 0
        if len(piece) >= CHUNK:
            yield from (piece[at : at + CHUNK] for at in range(0, len(piece), CHUNK))
        elif piece:
            held.append(piece)
            size += len(piece)
    if held:
        yield b"".join(held)


def _tell_nobody(_code: str, _message: str) -> None:
    """Flaws the caller did not ask about."""
