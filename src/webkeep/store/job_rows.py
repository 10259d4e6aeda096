"""Candidates as rows: identity as a key of 16 bytes, and the small facts of a candidate in one number."""

from __future__ import annotations

from typing import Final

import xxhash

from webkeep.frontier import Candidate, Role
from webkeep.model import Outcome

OUTCOMES: Final = (
    Outcome.QUEUED,
    Outcome.STORED,
    Outcome.DUPLICATE,
    Outcome.REFUSED,
    Outcome.OUT_OF_SCOPE,
    Outcome.FAILED,
    Outcome.CUT,
    Outcome.TRAPPED,
    Outcome.TAKEN_DOWN,
)
"""Outcomes by their numbers in the file."""

CODES: Final = {outcome: code for code, outcome in enumerate(OUTCOMES)}

_ROLES = tuple(Role)
_ROLE, _GUESS, _TRIES, _REDIRECTS, _REQUISITE, _OUTSIDE, _DEPTH = 0, 3, 4, 12, 20, 28, 40
_BYTE, _TWELVE, _MOST_DEPTH = 0xFF, 0xFFF, (1 << 22) - 1


def key_of(url: str) -> bytes:
    """The key by which a URL is known."""
    digest: bytes = xxhash.xxh3_128_digest(url.encode("utf-8", "surrogatepass"))
    return digest


def packed(candidate: Candidate) -> int:
    """The small facts of a candidate in one number."""
    return (
        candidate.role << _ROLE
        | candidate.guess << _GUESS
        | min(candidate.tries, _BYTE) << _TRIES
        | min(candidate.redirects, _BYTE) << _REDIRECTS
        | min(candidate.nesting if candidate.role is Role.SITEMAP else candidate.requisite, _BYTE) << _REQUISITE
        | min(candidate.outside, _TWELVE) << _OUTSIDE
        | min(candidate.depth, _MOST_DEPTH) << _DEPTH
    )


def role_of(facts: int) -> Role:
    """The role among packed facts."""
    return _ROLES[facts & 7]


def tries_of(facts: int) -> int:
    """The number of tries among packed facts."""
    return facts >> _TRIES & _BYTE


def unpacked(number: int, url: str, host: str, rank: int, via: int, facts: int) -> Candidate:
    """The candidate out of its row; a sitemap is never embedded, and its nesting has the place of that."""
    role = role_of(facts)
    levels = facts >> _REQUISITE & _BYTE
    return Candidate(
        number,
        url,
        host,
        role,
        via,
        facts >> _DEPTH & _MOST_DEPTH,
        facts >> _OUTSIDE & _TWELVE,
        0 if role is Role.SITEMAP else levels,
        bool(facts >> _GUESS & 1),
        tries_of(facts),
        facts >> _REDIRECTS & _BYTE,
        nesting=levels if role is Role.SITEMAP else 0,
        rank=rank,
    )
