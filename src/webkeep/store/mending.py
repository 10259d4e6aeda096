"""Which revisits outlive the records they refer to, and who holds their payloads from now on.

Where the last whole copy of a payload goes, one revisit that survives is given the payload and the others are turned
to it; where another whole copy stays, all are turned to that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webkeep.errors import StorageError
from webkeep.model import Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.reading import read_holding
from webkeep.store.resolving import is_not_modified, named_by
from webkeep.store.retargeting import Target, target_at

Spot = tuple[str, int]
"""A file and an offset in it."""


@dataclass(frozen=True, slots=True)
class Mending:
    """What becomes of revisits."""

    wholes: dict[Spot, Place] = field(default_factory=dict)
    """Those to be given the payload that lies at a place."""
    turned: dict[Spot, Target] = field(default_factory=dict)
    """Those to be turned to another record."""


@dataclass(frozen=True, slots=True)
class _Survivor:
    """A revisit that stays."""

    observation: Observation
    target: Place
    not_modified: bool
    answer: Place
    """Where the head is that it stands for, if it has none of its own."""


def spot(place: Place) -> Spot:
    """Where a record begins."""
    return place.file, place.offset


def mended(archive: Archive, removed: Sequence[Observation]) -> Mending:
    """What must become of the revisits that stay when these observations go."""
    going = {spot(each.place) for each in removed}
    orphans: dict[Place, list[_Survivor]] = {}
    mending = Mending()
    headless: dict[str, _Survivor] = {}
    for survivor in _survivors(archive, removed, going):
        if spot(survivor.target) in going:
            orphans.setdefault(survivor.target, []).append(survivor)
        elif spot(survivor.answer) in going:
            # The first of a URL is given head and payload; those behind it are about that one from now on.
            first = headless.setdefault(survivor.observation.url, survivor)
            if survivor.observation.moment < first.observation.moment:
                headless[survivor.observation.url] = survivor
        else:
            mending.turned[spot(survivor.observation.place)] = _target(archive, survivor.target)
    mending.wholes.update({spot(each.observation.place): each.target for each in headless.values()})
    holders = _holders(archive, {_digest(each[0].observation) for each in orphans.values()}, going)
    for place, survivors in orphans.items():
        _provide(archive, mending, place, survivors, holders.get(_digest(survivors[0].observation)))
    return mending


def _provide(
    archive: Archive, mending: Mending, place: Place, survivors: list[_Survivor], holder: Observation | None
) -> None:
    """Find a new holder of the payload at a place that goes."""
    if holder is None:
        # What a server said was not modified came without a body: another one is better fit to hold it.
        heir = next((each for each in survivors if not each.not_modified), survivors[0])
        holder = heir.observation
        mending.wholes[spot(holder.place)] = place
    target = target_at(archive.files, holder)
    for survivor in survivors:
        if survivor.observation is not holder:
            mending.turned[spot(survivor.observation.place)] = target


def _survivors(archive: Archive, removed: Sequence[Observation], going: set[Spot]) -> Iterator[_Survivor]:
    """The revisits that stay and refer, by digest or by name, to something that goes."""
    digests = {_digest(each) for each in removed}
    names = {(each.url, each.moment) for each in removed}
    for observation in archive.catalog.observations.revisits():
        digest = _digest(observation)
        if spot(observation.place) in going or not _may_refer(archive, digest, digests):
            continue
        _, revisit = read_holding(archive.files, observation.place)
        try:
            target = archive.original(revisit, observation.place)
        except StorageError:  # it referred to nothing before
            continue
        not_modified = is_not_modified(revisit)
        answer = archive.revisits.answer_place(revisit, target) if not_modified else target
        if spot(target) in going or spot(answer) in going or named_by(revisit) in names:
            yield _Survivor(observation, target, not_modified, answer)


def _may_refer(archive: Archive, digest: str, digests: set[str]) -> bool:
    """Whether a revisit of that digest is worth reading: the digest is among those that go, or leads nowhere."""
    return digest in digests or not digest or archive.catalog.payloads.get(digest) is None


def _holders(archive: Archive, digests: set[str], going: set[Spot]) -> dict[str, Observation]:
    """Records that stay and hold payloads of these digests."""
    found: dict[str, Observation] = {}
    wanted = digests - {""}
    for observation in archive.observations(resolve=False) if wanted else ():
        digest = _digest(observation)
        holds = observation.record_type in ("response", "resource") and observation.size > 0
        if holds and digest in wanted and spot(observation.place) not in going:
            found.setdefault(digest, observation)
    return found


def _target(archive: Archive, place: Place) -> Target:
    observation = archive.catalog.observations.at(place.file, place.offset)
    if observation is None:
        raise StorageError(f"{place.file}, byte {place.offset} is not in the catalog; run webkeep rebuild")
    return target_at(archive.files, observation)


def _digest(observation: Observation) -> str:
    return str(observation.payload_digest or "")
