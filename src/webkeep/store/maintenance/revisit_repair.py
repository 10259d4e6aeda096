"""Which revisits outlive the records they refer to when those are taken down, and who holds their payloads from now on.

Where the last whole copy of a payload goes, one revisit that survives is given the payload and the others are turned
to it; where another whole copy stays, all are turned to that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webkeep.errors import StorageError
from webkeep.model import PAYLOAD_TYPES, Observation, RecordPlace
from webkeep.store.archive.archive import Archive
from webkeep.store.reading.revisit_resolution import is_not_modified_revisit, refers_to_capture
from webkeep.store.reading.stored_response import read_stored_response
from webkeep.store.writing.revisit_rewrite import RevisitTarget, read_target

RecordStart = tuple[str, int]
"""A file and an offset in it."""


@dataclass(frozen=True, slots=True)
class RevisitRepairs:
    """What becomes of revisits."""

    expanded: dict[RecordStart, RecordPlace] = field(default_factory=dict)
    """Those to be given the payload that lies at a place."""
    retargeted: dict[RecordStart, RevisitTarget] = field(default_factory=dict)
    """Those to be turned to another record."""


@dataclass(frozen=True, slots=True)
class _Survivor:
    """A revisit that stays."""

    observation: Observation
    target: RecordPlace
    not_modified: bool
    answer: RecordPlace
    """Where the head is that it stands for, if it has none of its own."""


def record_start_of(place: RecordPlace) -> RecordStart:
    """Where a record begins."""
    return place.file, place.offset


def plan_repairs(archive: Archive, removed: Sequence[Observation]) -> RevisitRepairs:
    """What must become of the revisits that stay when these observations go."""
    going = {record_start_of(each.place) for each in removed}
    orphans: dict[RecordPlace, list[_Survivor]] = {}
    repairs = RevisitRepairs()
    headless: dict[str, _Survivor] = {}
    for survivor in _survivors(archive, removed, going):
        if record_start_of(survivor.target) in going:
            orphans.setdefault(survivor.target, []).append(survivor)
        elif record_start_of(survivor.answer) in going:
            # The first of a URL is given head and payload; those behind it are about that one from now on.
            first = headless.setdefault(survivor.observation.url, survivor)
            if survivor.observation.moment < first.observation.moment:
                headless[survivor.observation.url] = survivor
        else:
            repairs.retargeted[record_start_of(survivor.observation.place)] = _read_target_at(archive, survivor.target)
    repairs.expanded.update({record_start_of(each.observation.place): each.target for each in headless.values()})
    holders = _holders(archive, {_payload_digest(each[0].observation) for each in orphans.values()}, going)
    for place, survivors in orphans.items():
        _assign_holder(archive, repairs, place, survivors, holders.get(_payload_digest(survivors[0].observation)))
    return repairs


def _assign_holder(
    archive: Archive,
    repairs: RevisitRepairs,
    place: RecordPlace,
    survivors: list[_Survivor],
    holder: Observation | None,
) -> None:
    """Find a new holder of the payload at a place that goes."""
    if holder is None:
        # What a server said was not modified came without a body: another one is better fit to hold it.
        heir = next((each for each in survivors if not each.not_modified), survivors[0])
        holder = heir.observation
        repairs.expanded[record_start_of(holder.place)] = place
    target = read_target(archive.files, holder)
    for survivor in survivors:
        if survivor.observation is not holder:
            repairs.retargeted[record_start_of(survivor.observation.place)] = target


def _survivors(archive: Archive, removed: Sequence[Observation], going: set[RecordStart]) -> Iterator[_Survivor]:
    """The revisits that stay and refer, by digest or by name, to something that goes."""
    digests = {_payload_digest(each) for each in removed}
    names = {(each.url, each.moment) for each in removed}
    for observation in archive.catalog.observations.revisits():
        digest = _payload_digest(observation)
        if record_start_of(observation.place) in going or not _may_refer(archive, digest, digests):
            continue
        _, revisit = read_stored_response(archive.files, observation.place)
        try:
            target = archive.original_place(revisit, observation.place)
        except StorageError:  # it referred to nothing before
            continue
        not_modified = is_not_modified_revisit(revisit)
        answer = archive.revisits.head_place(revisit, target) if not_modified else target
        if record_start_of(target) in going or record_start_of(answer) in going or refers_to_capture(revisit) in names:
            yield _Survivor(observation, target, not_modified, answer)


def _may_refer(archive: Archive, digest: str, digests: set[str]) -> bool:
    """Whether a revisit of that digest is worth reading: the digest is among those that go, or leads nowhere."""
    return digest in digests or not digest or archive.catalog.payloads.get(digest) is None


def _holders(archive: Archive, digests: set[str], going: set[RecordStart]) -> dict[str, Observation]:
    """Records that stay and hold payloads of these digests."""
    found: dict[str, Observation] = {}
    wanted = digests - {""}
    for observation in archive.observations(resolve=False) if wanted else ():
        digest = _payload_digest(observation)
        holds = observation.record_type in PAYLOAD_TYPES and observation.size > 0
        if holds and digest in wanted and record_start_of(observation.place) not in going:
            found.setdefault(digest, observation)
    return found


def _read_target_at(archive: Archive, place: RecordPlace) -> RevisitTarget:
    observation = archive.catalog.observations.find_at(place.file, place.offset)
    if observation is None:
        raise StorageError(f"{place.file}, byte {place.offset} is not in the catalog; run webkeep rebuild")
    return read_target(archive.files, observation)


def _payload_digest(observation: Observation) -> str:
    return str(observation.payload_digest or "")
