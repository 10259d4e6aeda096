"""MinHash: texts as samples of a few hashes of their pieces, by which it is estimated how much two of them share;
how many hashes are kept, how long a piece is, and how texts are cut into pieces.

Theory of operation. The sketch of a text is the set of the least hashes of its pieces (a bottom-k sketch). Of the least
hashes of two texts together, the share that both have estimates what the texts share (Jaccard), without bias, with the
standard error of `standard_error`. The sketch of a text with few pieces holds the hashes of all of them; between two
such sketches it is exact. One hash for each piece is all that it takes.

A piece is a line: the text between two tags of a page. So a page is cut where its author cut it, and nothing has to be
done for every word, which is what keeps it at hundreds of megabytes a second. Lines of a word or two
(labels, menus) say little and are left out where there is more to go by. A line that is long is cut further where its
own bytes say so (content-defined chunking), so that what is put in at one end leaves the pieces at the other as they
were, in any script and without any spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise

import xxhash

SKETCH_HASHES = 64
"""Hashes in a sketch: with 64 the standard error is 0.0625 at most, and 0.0375 where texts share nine tenths."""
_WHOLE_HASHES = 128
"""A text of so many pieces or fewer is kept whole: to keep them as they come takes a third of the time of sorting out
the least ones, which is most of what a sketch costs a page of usual size."""
HASH_BYTES = 4
"""Of one hash: 32 bits."""
_MIN_PIECE_BYTES = 24
"""Shorter lines are labels; left out where a text has others."""
_MAX_PIECE_BYTES = 1000
"""A longer line is cut: few paragraphs are as long."""
_MEAN_CUT_BYTES = 128
"""About so far apart are the places where long lines are cut."""


def _mark_bytes() -> bytes:
    """A letter for each byte: of two bytes that a cut comes behind it may be the first (a), the second (b) or both (c).

    Either may be a tenth of all bytes, spread over every script.
    """
    share = round(256 / _MEAN_CUT_BYTES**0.5)
    marks = [(value * 167 % 256 < share) + 2 * (value * 91 % 256 < share) for value in range(256)]
    return bytes(b" abc"[mark] for mark in marks)


_MARKS = _mark_bytes()
_find_cuts = re.compile(b"ab").finditer
_find_any_cuts = re.compile(b"[ac](?=[bc])").finditer
"""The same where a byte is both, as few are; by the letters alone it takes a third of the time."""


def sketch_lines(lines: Sequence[str]) -> bytes:
    """The sketch of a text in lines: the hashes of its pieces, or the least of them; empty where it has none."""
    # Halves of longer hashes: xxh3, which has no shorter ones, takes half the time of xxh32.
    hashes = b"".join(map(xxhash.xxh3_64_digest, pieces := split_pieces(lines)))
    if len(pieces) <= _WHOLE_HASHES:  # as of most pages; they stay in the order of the text
        return memoryview(hashes).cast("I")[::2].tobytes() if hashes else b""
    # As bytes, whose order is that of the numbers: they are sorted and joined in half the time.
    distinct = {hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), 2 * HASH_BYTES)}
    return b"".join(sorted(distinct)[:SKETCH_HASHES])


def split_pieces(lines: Sequence[str]) -> list[bytes]:
    """The pieces of a text in lines."""
    # Most lines are labels in ASCII, or long enough: the others alone are encoded to be counted.
    long = [line for line in lines if len(line) >= _MIN_PIECE_BYTES or not (line.isascii() or _is_short(line))]
    pieces = _encode_lines(long or list(filter(None, lines)))
    # Nearly no page has a line that is cut.
    if max(map(len, pieces), default=0) > _MAX_PIECE_BYTES:
        return list(chain.from_iterable(map(_cut_line, pieces)))
    return pieces


def _encode_lines(lines: Sequence[str]) -> list[bytes]:
    try:
        return list(map(str.encode, lines))
    except UnicodeEncodeError:  # half a pair, as scripts and broken pages have them
        return [line.encode("utf-8", "surrogatepass") for line in lines]


def _is_short(line: str) -> bool:
    return len(line.encode("utf-8", "surrogatepass")) < _MIN_PIECE_BYTES


def _cut_line(line: bytes) -> Iterator[bytes]:
    if len(line) <= _MAX_PIECE_BYTES:
        yield line
        return
    # By their marks: to look for the bytes themselves, as one expression, takes five times as long.
    marks = line.translate(_MARKS)
    cuts = [match.start() + 2 for match in (_find_any_cuts if b"c" in marks else _find_cuts)(marks)]
    for piece in [line[begin:end] for begin, end in pairwise((0, *cuts, len(line)))]:
        if len(piece) > _MAX_PIECE_BYTES:
            for start in range(0, len(piece), _MAX_PIECE_BYTES):
                yield piece[start : start + _MAX_PIECE_BYTES]
        elif piece:
            yield piece


def sample_hashes(sketch: bytes) -> frozenset[bytes]:
    """The least hashes of a sketch, as many as every sketch has of a text that has them."""
    hashes = _sketch_hashes(sketch)
    return hashes if len(hashes) <= SKETCH_HASHES else frozenset(sorted(hashes)[:SKETCH_HASHES])


def _sketch_hashes(sketch: bytes) -> frozenset[bytes]:
    return frozenset([sketch[start : start + HASH_BYTES] for start in range(0, len(sketch), HASH_BYTES)])


def _is_whole(sketch: bytes) -> bool:
    """Whether nothing was left out of a sketch; of so many hashes that cannot be told."""
    return len(sketch) != SKETCH_HASHES * HASH_BYTES


def estimate_resemblance(first: bytes, second: bytes) -> float:
    """What two texts share of what either has, by their sketches; one for two empty ones."""
    if first == second:
        return 1.0
    one, other = _sketch_hashes(first), _sketch_hashes(second)
    union = one | other
    if len(union) <= SKETCH_HASHES or (_is_whole(first) and _is_whole(second)):
        return len(one & other) / len(union)
    # Beyond the last hash of a full sketch nothing is known of what its text has.
    return len((one & other).intersection(sorted(union)[:SKETCH_HASHES])) / SKETCH_HASHES


def standard_error(resemblance: float) -> float:
    """The standard error of an estimate, where texts have more pieces than a sketch has hashes."""
    return float((resemblance * (1 - resemblance) / SKETCH_HASHES) ** 0.5)


# Signatures of many hash functions, by which likely pairs are found among very many texts.


def hash_functions(count: int) -> list[Callable[[int], int]]:
    """So many functions that each put numbers of 32 bits, which are hashes already, in an order of its own."""
    return [xxhash.xxh32_intdigest(b"webkeep", seed).__xor__ for seed in range(count)]


def minhash_signature(rows: Iterable[int], hashes: Sequence[Callable[[int], int]]) -> tuple[int, ...]:
    """The least value of each hash function over the rows; minus one where there are no rows."""
    seen = list(rows)
    return tuple([min(map(function, seen), default=-1) for function in hashes])


def signature_similarity(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of equal components, which estimates the similarity of the sets."""
    equal = sum(one == other for one, other in zip(first, second, strict=True))
    return equal / len(first) if first else 1.0
