"""Comparing two sightings of a URL: whether it was the same, what says so (bytes, content, the server's word), how far
that excludes a change in between, and how far clocks may differ.

Equal bytes at both ends do not exclude that the resource changed and changed back in between. An equal strong entity
tag does, as far as a tag is not made of the content alone; so does an equal date of last change that can be true and
is older than clocks are apart. A weak tag does not, and neither does a digest.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.coherence.sightings.sighting import Sighting
from webkeep.formats.http import is_strong_etag, is_weak_etag
from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import Digest

MAX_CLOCK_SKEW_SECONDS = 60.0
"""Seconds by which a server's clock and ours may differ; a date of last change that is fresher proves nothing."""


class Sameness(enum.StrEnum):
    """What became of a resource from one sighting to the next."""

    SAME = "same"
    CHANGED = "changed"
    VANISHED = "vanished"
    APPEARED = "appeared"
    UNKNOWN = "unknown"


class SamenessWitness(enum.StrEnum):
    """What says that it was the same; the weaker first."""

    SERVER = "server"
    """The server answered that it was not modified, or gave the same strong tag for bodies that cannot be compared."""
    ANSWER = "answer"
    """The answers have no content to compare: both times missing, or both times a redirect to the same place."""
    CONTENT = "content"
    """The content is the same, if packed otherwise."""
    PAYLOAD = "payload"
    """Every byte is the same."""


class SamenessStrength(enum.StrEnum):
    """How far it is excluded that it changed in between; the weaker first."""

    NONE = "none"
    WEAK_ETAG = "weak-etag"
    LAST_MODIFIED = "last-modified"
    STRONG_ETAG = "strong-etag"

    @property
    def is_firm(self) -> bool:
        """Whether it speaks against a change that was taken back."""
        return self in (SamenessStrength.LAST_MODIFIED, SamenessStrength.STRONG_ETAG)


class Caveat(enum.StrEnum):
    """What has to be known of a verdict."""

    REVERT_UNSEEN = "revert-unseen"
    SERVERS_WORD = "servers-word"
    WEAK_ETAG = "weak-etag"
    ETAG_UNSTEADY = "etag-unsteady"
    ETAG_LIES = "etag-lies"
    DATE_FUTURE = "date-future"
    DATE_LIES = "date-lies"
    DATE_MOVED = "date-moved"
    DATE_FRESH = "date-fresh"
    CUT_OFF = "cut-off"
    UNANSWERED = "unanswered"
    CLOCK = "clock"


WITNESSES_WEAKEST_FIRST = tuple(SamenessWitness)
STRENGTHS_WEAKEST_FIRST = tuple(SamenessStrength)


@dataclass(frozen=True, slots=True)
class SightingComparison:
    """What two sightings of a URL come to."""

    sameness: Sameness
    witness: SamenessWitness | None = None
    """Given where it was the same."""
    strength: SamenessStrength | None = None
    caveats: frozenset[Caveat] = frozenset()


def compare_sightings(before: Sighting, after: Sighting) -> SightingComparison:
    """What became of a resource between two answers, the earlier one first."""
    if not (before.is_present and after.is_present):
        return _compare_presence(before, after)
    if before.is_redirect or after.is_redirect:
        return _compare_redirects(before, after)
    witness = _find_witness(before, after)
    if witness is not None:
        return SightingComparison(Sameness.SAME, witness, *_judge_strength(before, after, witness))
    if _are_comparable(before, after) and _are_equal_digests(before.digest, after.digest) is False:
        return _build_changed(before, after)
    return SightingComparison(Sameness.UNKNOWN, caveats=_truncation_caveats(before, after))


def _compare_presence(before: Sighting, after: Sighting) -> SightingComparison:
    if before.is_present:
        return SightingComparison(Sameness.VANISHED)
    if after.is_present:
        return SightingComparison(Sameness.APPEARED)
    return SightingComparison(
        Sameness.SAME, SamenessWitness.ANSWER, SamenessStrength.NONE, frozenset({Caveat.REVERT_UNSEEN})
    )


def _compare_redirects(before: Sighting, after: Sighting) -> SightingComparison:
    if before.status != after.status:
        return _build_changed(before, after)
    if before.target is None or after.target is None:
        return SightingComparison(Sameness.UNKNOWN)
    if before.target != after.target or (not after.target and _are_equal_digests(before.digest, after.digest) is False):
        return _build_changed(before, after)
    return SightingComparison(Sameness.SAME, SamenessWitness.ANSWER, *_judge_strength(before, after))


def _build_changed(before: Sighting, after: Sighting) -> SightingComparison:
    caveats = set()
    if is_strong_etag(before.etag) and before.etag == after.etag:
        caveats.add(Caveat.ETAG_LIES)
    if before.modified_at is not None and before.modified_at == after.modified_at:
        # Of two changes within a second the date says nothing, and it lies for nobody.
        is_fresh = abs(before.moment.seconds_since(before.modified_at)) < MAX_CLOCK_SKEW_SECONDS
        caveats.add(Caveat.DATE_FRESH if is_fresh else Caveat.DATE_LIES)
    return SightingComparison(Sameness.CHANGED, caveats=frozenset(caveats))


def _find_witness(before: Sighting, after: Sighting) -> SamenessWitness | None:
    """What says that content was the same; None where nothing does."""
    payload, content = (
        _are_equal_digests(before.digest, after.digest),
        _are_equal_digests(before.content, after.content),
    )
    if after.status == NOT_MODIFIED:
        if is_strong_etag(before.etag) and is_strong_etag(after.etag) and before.etag != after.etag:
            return None  # it is about another version than the one that is held
        # What it refers to is the latest payload held of its URL; if that is another one, the resource changed twice.
        return None if payload is False and content is not True else SamenessWitness.SERVER
    if before.is_whole and after.is_whole:
        if payload:
            return SamenessWitness.PAYLOAD
        if content:
            return SamenessWitness.CONTENT
        if payload is False:
            return None
    return SamenessWitness.SERVER if is_strong_etag(before.etag) and before.etag == after.etag else None


def _are_comparable(before: Sighting, after: Sighting) -> bool:
    """Whether the digests can be held against each other."""
    return before.is_whole and after.is_whole and _are_equal_digests(before.digest, after.digest) is not None


def _are_equal_digests(one: Digest | None, other: Digest | None) -> bool | None:
    """Whether two digests are the same; None where that cannot be said."""
    if one is None or other is None or one.algorithm != other.algorithm:
        return None
    return one == other


def _judge_strength(
    before: Sighting, after: Sighting, witness: SamenessWitness | None = None
) -> tuple[SamenessStrength, frozenset[Caveat]]:
    """How far it is excluded that something that was the same at both ends was another in between."""
    is_word = after.status == NOT_MODIFIED
    tag, date = after.etag or (before.etag if is_word else ""), after.last_modified or ""
    caveats = set(_truncation_caveats(before, after))
    if witness is SamenessWitness.SERVER:
        caveats.add(Caveat.SERVERS_WORD)
    if tag != before.etag and tag and before.etag:
        caveats.add(Caveat.ETAG_UNSTEADY)
    dated, caveat = _judge_dates(before, after, date or (before.last_modified if is_word else ""))
    caveats |= {caveat} if caveat else set()
    if is_strong_etag(before.etag) and tag == before.etag:
        return SamenessStrength.STRONG_ETAG, frozenset(caveats)
    if dated:
        return SamenessStrength.LAST_MODIFIED, frozenset(caveats)
    caveats.add(Caveat.REVERT_UNSEEN)
    if is_weak_etag(before.etag) and tag == before.etag:
        return SamenessStrength.WEAK_ETAG, frozenset({*caveats, Caveat.WEAK_ETAG})
    return SamenessStrength.NONE, frozenset(caveats)


def _judge_dates(before: Sighting, after: Sighting, date: str) -> tuple[bool, Caveat | None]:
    """Whether the dates of last change exclude a change, and what is wrong with them."""
    first = before.modified_at
    if first is None or not date or first > before.moment.plus(MAX_CLOCK_SKEW_SECONDS):
        return False, None
    if date != before.last_modified and after.modified_at != first:
        return False, Caveat.DATE_MOVED
    # Dates count seconds, by the server's clock: a change right after a fresh one would bear the same.
    if before.moment.seconds_since(first) < MAX_CLOCK_SKEW_SECONDS:
        return False, Caveat.DATE_FRESH
    return True, None


def _truncation_caveats(before: Sighting, after: Sighting) -> frozenset[Caveat]:
    return frozenset() if before.is_whole and after.is_whole else frozenset({Caveat.CUT_OFF})
