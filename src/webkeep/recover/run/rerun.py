"""A recovery run again: what came back before stays, and gives way only to what is better."""

from __future__ import annotations

from webkeep.recover.judging.version_ranking import rank_versions
from webkeep.recover.run.version_search import VersionFinder
from webkeep.recover.state.recovery_store import RecoveredResource, RecoveryState, RecoveryStore, VersionState

_BEFORE_FACT = "held before"


def prepare_rerun(recovery_store: RecoveryStore) -> None:
    """Make the store of an earlier recovery ready for another run: lists and what was missed are asked for anew."""
    recovery_store.reset_for_rerun()
    recovery_store.set_fact(_BEFORE_FACT, str(recovery_store.newest_version_number()))


def request_better_versions(recovery_store: RecoveryStore, finder: VersionFinder) -> int:
    """Queue recovered resources of which a better version is held by now; the answer is how many they are."""
    before = recovery_store.get_fact(_BEFORE_FACT)
    if not before:
        return 0
    count = 0
    for resource in recovery_store.resources_with_new_versions(int(before)):
        better = _better_version(recovery_store, finder, resource)
        if better is not None:
            recovery_store.request_versions(resource.id, [better])
            count += 1
    recovery_store.set_fact(_BEFORE_FACT, str(recovery_store.newest_version_number()))
    return count


def _better_version(recovery_store: RecoveryStore, finder: VersionFinder, resource: RecoveredResource) -> int | None:
    if resource.state is not RecoveryState.RECOVERED or resource.chosen is None:
        return None
    versions = {each.id: each for each in recovery_store.held_versions(resource.id)}
    order = rank_versions(finder.rate_versions(versions.values()), finder.preference_for(resource))
    if not order or order[0].number == resource.chosen:
        return None
    best, chosen = versions[order[0].number], versions.get(resource.chosen)
    is_same = chosen is not None and best.listed.digest is not None and best.listed.digest == chosen.listed.digest
    return None if is_same or best.state is not VersionState.NOT_YET else best.id
