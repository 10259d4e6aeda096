"""The recovery store made anew from the archive alone: it is a cache, and the provenance records are the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator

from webkeep.model import Observation, RecordType
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import ListedVersion
from webkeep.recover.run.site_listing import orphan_priority
from webkeep.recover.state.provenance import (
    MAX_NOTE_BYTES,
    MEDIA_TYPE,
    RecoveryProvenance,
    UntakenVersion,
    parse_provenance,
)
from webkeep.recover.state.recovery_store import DiscoveredUrl, RecoveryState, RecoveryStore, VersionState
from webkeep.store.archive import Archive
from webkeep.url import normalize_url


def rebuild_store(archive: Archive, recovery_store: RecoveryStore, plan: RecoveryPlan) -> int:
    """Enter what an archive holds of earlier recoveries of the site; the answer is how many versions that were."""
    count = 0
    for told in _all_provenances(archive):
        url = normalize_url(told.url) or told.url
        seen = archive.lookup(told.url, told.moment)
        if seen is None or (seen.url, seen.moment) != (told.url, told.moment) or plan.identity.key(url) != told.key:
            continue
        _enter_version(recovery_store, told, seen)
        count += 1
    return count


def _all_provenances(archive: Archive) -> Iterator[RecoveryProvenance]:
    for entry in archive.entries():
        if entry.record_type == RecordType.METADATA and entry.media_type == MEDIA_TYPE:
            told = parse_provenance(b"".join(archive.read(entry).content(MAX_NOTE_BYTES)))
            if told is not None:
                yield told


def _enter_version(recovery_store: RecoveryStore, told: RecoveryProvenance, seen: Observation) -> None:
    priority = orphan_priority(told.url)
    if told.is_current:
        recovery_store.enqueue([DiscoveredUrl(told.key, told.url, priority)])
    held = ListedVersion(
        told.repository, told.url, told.moment, told.uri, seen.status, seen.media_type, seen.payload_digest
    )
    rows = [(told.key, priority, held), *((told.key, priority, _build_listed(told, other)) for other in told.others)]
    recovery_store.add_versions(rows, RecoveryState.LISTED)
    resource = recovery_store.find_resource(told.key)
    if resource is not None:
        number = recovery_store.version_number(resource.id, held)
        recovery_store.mark_version(number, VersionState.STORED, facts=_version_facts(told, seen))
        recovery_store.finish_resource(resource.id, RecoveryState.RECOVERED, number)


def _build_listed(told: RecoveryProvenance, other: UntakenVersion) -> ListedVersion:
    return ListedVersion(other.repository, told.url, other.moment, other.uri)


def _version_facts(told: RecoveryProvenance, seen: Observation) -> str:
    facts = {
        "fidelity": told.fidelity,
        "truncated": told.truncated,
        "url": told.url,
        "moment": told.moment.micros,
        "retrieved": told.retrieved.micros,
        "bytes": seen.size,
        "status": seen.status,
    }
    return json.dumps(facts, separators=(",", ":"))
