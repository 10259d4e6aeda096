"""Versions: what a resource was, from when to when it was seen so. Sightings are joined into versions here, and what an
answer of "not modified" (304) leaves out is filled in.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from webkeep.coherence.sightings.sighting import Sighting
from webkeep.coherence.sightings.sighting_comparison import (
    MAX_CLOCK_SKEW_SECONDS,
    STRENGTHS_WEAKEST_FIRST,
    WITNESSES_WEAKEST_FIRST,
    Caveat,
    Sameness,
    SamenessStrength,
    SamenessWitness,
    SightingComparison,
    compare_sightings,
)
from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import Digest, Moment


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """A resource as it was seen once or several times on end, always the same."""

    first: Moment
    last: Moment
    observations: int = 1
    status: int | None = 200
    digest: Digest | None = None
    etag: str = ""
    last_modified: str = ""
    witness: SamenessWitness | None = None
    """The weakest thing that says it was the same each time; None where it was seen once."""
    strength: SamenessStrength | None = None
    """The weakest word against a change in between; None where it was seen once."""
    ending: Sameness | None = None
    """What the next sighting found instead; None for the last version."""

    @property
    def believed_since(self) -> Moment:
        """From when on it was so, if the server's date of last change is believed; else from when it was seen."""
        changed = Sighting(self.first, last_modified=self.last_modified).credible_modified_at
        return self.first if changed is None else changed


@dataclass(frozen=True, slots=True)
class ResourceHistory:
    """All versions of a resource in the order of time, and what has to be known of them."""

    versions: tuple[SeenVersion, ...]
    caveats: frozenset[Caveat]


def history_from_sightings(sightings: Iterable[Sighting]) -> ResourceHistory:
    """The versions that sightings show; those that are no answers are left out, and that is a caveat."""
    caveats: set[Caveat] = set()
    versions: list[SeenVersion] = []
    before: Sighting | None = None
    for sighting in _leave_out_parts(sorted(sightings, key=lambda each: each.moment)):
        if not sighting.is_answer or (before is None and _is_unfounded_not_modified(sighting)):
            caveats.add(Caveat.UNANSWERED)
            continue
        if not sighting.is_whole:
            caveats.add(Caveat.CUT_OFF)
        if sighting.modified_at is not None and sighting.modified_at > sighting.moment.plus(MAX_CLOCK_SKEW_SECONDS):
            caveats.add(Caveat.DATE_FUTURE)
        if before is None:
            versions.append(_first_version(sighting))
        else:
            comparison = compare_sightings(before, sighting)
            caveats |= comparison.caveats
            _add_sighting(versions, sighting, comparison)
        before = fill_not_modified(before, sighting)
    return ResourceHistory(tuple(versions), frozenset(caveats))


def _leave_out_parts(sightings: Sequence[Sighting]) -> Iterator[Sighting]:
    """Sightings without parts that were asked for, as players do of films, where the whole was seen twice: a part says
    nothing of the rest. One by whose tag or date it is of another version is kept, and cannot be compared.
    """
    wholes = [each for each in sightings if each.is_whole and each.is_answer and each.is_content]
    is_seen_again = len(wholes) > 1
    return (each for each in sightings if not (is_seen_again and each.is_part and _may_be_part_of(each, wholes)))


def _may_be_part_of(part: Sighting, wholes: Sequence[Sighting]) -> bool:
    """Whether no validator says that a part is of another version than the wholes that were seen."""
    return all(
        not (one and other) or one == other
        for whole in wholes
        for one, other in ((part.etag, whole.etag), (part.last_modified, whole.last_modified))
    )


def _is_unfounded_not_modified(sighting: Sighting) -> bool:
    """Whether it says that something is as it was, and nothing is held of that."""
    return sighting.status == NOT_MODIFIED and sighting.digest is None


class KnownReach(enum.Enum):
    """How much is taken as known of when a version was there."""

    SEEN = "from the first sighting to the last"
    SEEN_TWICE = "the same, where there was more than one"
    DATED = "from its date of last change on, if that is believed, though not before another version was seen"


def version_intervals(versions: Sequence[SeenVersion], reach: KnownReach = KnownReach.SEEN) -> list[tuple[int, int]]:
    """When versions were there, in microseconds; no moment lies in two."""
    found: list[tuple[int, int]] = []
    for place, version in enumerate(versions):
        if reach is KnownReach.SEEN_TWICE and version.observations == 1:
            continue
        start = version.believed_since.micros if reach is KnownReach.DATED else version.first.micros
        if place:
            start = max(start, versions[place - 1].last.micros + 1)
        end = version.last.micros
        if place + 1 < len(versions):
            end = min(end, versions[place + 1].first.micros - 1)
        if start <= end:
            found.append((start, end))
    return found


def fill_not_modified(before: Sighting | None, sighting: Sighting) -> Sighting:
    """A sighting with what an answer of "not modified" leaves out, because it was said before."""
    if before is None or sighting.status != NOT_MODIFIED:
        return sighting
    return replace(
        sighting,
        status=before.status,
        digest=sighting.digest or before.digest,
        content=sighting.content or before.content,
        etag=sighting.etag or before.etag,
        last_modified=sighting.last_modified or before.last_modified,
        is_whole=before.is_whole,
    )


def _first_version(sighting: Sighting) -> SeenVersion:
    return SeenVersion(
        sighting.moment,
        sighting.moment,
        1,
        sighting.status,
        sighting.digest,
        sighting.etag,
        sighting.last_modified,
    )


def _add_sighting(versions: list[SeenVersion], sighting: Sighting, comparison: SightingComparison) -> None:
    version = versions[-1]
    if comparison.sameness is not Sameness.SAME:
        versions[-1] = replace(version, ending=comparison.sameness)
        versions.append(_first_version(sighting))
        return
    versions[-1] = replace(
        version,
        last=sighting.moment,
        observations=version.observations + 1,
        witness=_weaker_witness(version.witness, comparison.witness),
        strength=_weaker_strength(version.strength, comparison.strength),
    )


def _weaker_witness(one: SamenessWitness | None, other: SamenessWitness | None) -> SamenessWitness | None:
    return min(filter(None, (one, other)), key=WITNESSES_WEAKEST_FIRST.index, default=None)


def _weaker_strength(one: SamenessStrength | None, other: SamenessStrength | None) -> SamenessStrength | None:
    return min(filter(None, (one, other)), key=STRENGTHS_WEAKEST_FIRST.index, default=None)
