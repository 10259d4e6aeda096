"""Candidates as rows: a URL known by a short hash, the small facts of a candidate packed into one number, outcomes by
number.
"""

from __future__ import annotations

from typing import Final

import xxhash

from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import UrlOutcome

OUTCOMES_BY_CODE: Final = (
    UrlOutcome.QUEUED,
    UrlOutcome.STORED,
    UrlOutcome.DUPLICATE,
    UrlOutcome.REFUSED,
    UrlOutcome.OUT_OF_SCOPE,
    UrlOutcome.FAILED,
    UrlOutcome.CUT,
    UrlOutcome.TRAPPED,
    UrlOutcome.TAKEN_DOWN,
)
"""Outcomes by their numbers in the file."""

CODES_BY_OUTCOME: Final = {outcome: code for code, outcome in enumerate(OUTCOMES_BY_CODE)}

_ROLES = tuple(UrlRole)
_ROLE_SHIFT, _GUESS_SHIFT, _TRIES_SHIFT, _REDIRECTS_SHIFT, _REQUISITE_SHIFT, _OUTSIDE_SHIFT, _DEPTH_SHIFT = (
    0,
    3,
    4,
    12,
    20,
    28,
    40,
)
"""Where each fact stands in the one number that a row keeps of them."""
_MAX_8_BITS, _MAX_12_BITS, _MAX_DEPTH = 0xFF, 0xFFF, (1 << 22) - 1
"""What fits into a fact's bits; larger values are kept as this."""
WAY_BITS: Final = _MAX_12_BITS << _OUTSIDE_SHIFT | _MAX_DEPTH << _DEPTH_SHIFT
"""The bits of packed facts that say how few links lead to a URL."""


def hash_url(url: str) -> bytes:
    """The key by which a URL is known."""
    digest: bytes = xxhash.xxh3_128_digest(url.encode("utf-8", "surrogatepass"))
    return digest


def pack_candidate(candidate: Candidate) -> int:
    """The small facts of a candidate in one number."""
    return (
        candidate.role << _ROLE_SHIFT
        | candidate.guess << _GUESS_SHIFT
        | min(candidate.tries, _MAX_8_BITS) << _TRIES_SHIFT
        | min(candidate.redirects, _MAX_8_BITS) << _REDIRECTS_SHIFT
        | min(candidate.nesting if candidate.role is UrlRole.SITEMAP else candidate.requisite, _MAX_8_BITS)
        << _REQUISITE_SHIFT
        | min(candidate.outside, _MAX_12_BITS) << _OUTSIDE_SHIFT
        | min(candidate.depth, _MAX_DEPTH) << _DEPTH_SHIFT
    )


def shorter_way_sql(way: str, known: str) -> str:
    """`is_shorter_way` in SQL, of two columns of packed facts."""
    outside = f">> {_OUTSIDE_SHIFT} & {_MAX_12_BITS}"
    return (
        f"({way} >> {_DEPTH_SHIFT} <= {known} >> {_DEPTH_SHIFT} AND ({way} {outside}) <= ({known} {outside}) "
        f"AND {way} & {WAY_BITS} <> {known} & {WAY_BITS})"
    )


def unpack_role(facts: int) -> UrlRole:
    """The role among packed facts."""
    return _ROLES[facts & 7]


def unpack_tries(facts: int) -> int:
    """The number of tries among packed facts."""
    return facts >> _TRIES_SHIFT & _MAX_8_BITS


def unpack_candidate(number: int, url: str, host: str, rank: int, via: int, facts: int) -> Candidate:
    """The candidate out of its row; a sitemap is never embedded, and its nesting has the place of that."""
    role = unpack_role(facts)
    levels = facts >> _REQUISITE_SHIFT & _MAX_8_BITS
    return Candidate(
        number,
        url,
        host,
        role,
        via,
        facts >> _DEPTH_SHIFT & _MAX_DEPTH,
        facts >> _OUTSIDE_SHIFT & _MAX_12_BITS,
        0 if role is UrlRole.SITEMAP else levels,
        bool(facts >> _GUESS_SHIFT & 1),
        unpack_tries(facts),
        facts >> _REDIRECTS_SHIFT & _MAX_8_BITS,
        nesting=levels if role is UrlRole.SITEMAP else 0,
        rank=rank,
    )
