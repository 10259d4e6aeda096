"""What a recovery came to, URL by URL: recovered, missing or skipped, out of its recovery store, for summaries, reports
and exports; and why nothing came of a URL, in words for people.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from webkeep.formats.status import is_redirection
from webkeep.model import Moment
from webkeep.recover.repositories.repository import ListedVersion, MissReason
from webkeep.recover.state.recovery_store import (
    HeldVersion,
    RecoveredResource,
    RecoveryState,
    RecoveryStore,
    VersionState,
)

# Why nothing came of a URL, in words for people; programs keep the reasons' codes.

_WORDS = {
    MissReason.NOT_HELD: "none of those asked holds it",
    MissReason.ADVERTISED: "it is on a list, and is not there",
    MissReason.BLOCKED: "it is not given to us",
    MissReason.LIMIT: "a limit is used up",
    MissReason.TROUBLE: "trouble with who may hold it",
    MissReason.UNREACHABLE: "nobody answers",
    MissReason.UNSUPPORTED: "cannot be asked for",
}
_SELF_EVIDENT = frozenset({MissReason.LIMIT, MissReason.TROUBLE})
"""The reasons that a detail behind them explains by itself."""


def explain_miss(note: str) -> str:
    """A note on a URL, with the reason it begins with in words."""
    code, _, detail = note.partition(": ")
    if code not in set(MissReason):
        return note
    reason = MissReason(code)
    if not detail:
        return _WORDS[reason]
    return detail if reason in _SELF_EVIDENT else f"{_WORDS[reason]}: {detail}"


_BATCH_ROWS = 500
"""Resources whose held versions are read with one query."""


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version that was kept."""

    listed: ListedVersion
    url: str
    """As it stands in the archive."""
    moment: Moment
    retrieved: Moment
    fidelity: str
    truncated: bool
    size: int
    status: int | None = None
    """The HTTP status it came with; None where that is not known."""

    @property
    def is_redirect(self) -> bool:
        """Whether it only leads elsewhere."""
        return is_redirection(self.status or self.listed.status)

    @property
    def media_type(self) -> str:
        """As the repository says."""
        return self.listed.media_type


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """What became of one URL."""

    key: str
    url: str
    is_current: bool
    is_embed: bool
    chosen: StoredVersion | None = None
    """None where it is missing."""
    others: tuple[ListedVersion, ...] = ()
    """The versions that were not taken."""
    further: tuple[StoredVersion, ...] = ()
    """Versions that were kept for other pages."""
    refused: tuple[str, ...] = ()
    """Why versions that came were not taken."""
    note: str = ""
    is_skipped: bool = False
    """Whether someone holds it, and it was not gone for."""

    @property
    def repositories(self) -> list[str]:
        """Everyone who holds a version, by what they say."""
        held = [*(taking.listed for taking in (self.chosen, *self.further) if taking is not None), *self.others]
        return list(dict.fromkeys(each.repository for each in held))


def read_outcomes(recovery_store: RecoveryStore) -> Iterator[OutcomeLine]:
    """What became of every URL that was gone for or is held, by their keys."""
    resources = recovery_store.resources()
    while some := list(islice(resources, _BATCH_ROWS)):
        held = recovery_store.held_versions_by_resource([each.id for each in some])
        for resource in some:
            if resource.state is not RecoveryState.QUEUED or resource.chosen is not None:
                yield _build_line(resource, held[resource.id])


def outcome_of(recovery_store: RecoveryStore, key: str) -> OutcomeLine | None:
    """What became of the URL of a key."""
    resource = recovery_store.find_resource(key)
    return None if resource is None else _build_line(resource, recovery_store.held_versions(resource.id))


def _build_line(resource: RecoveredResource, versions: list[HeldVersion]) -> OutcomeLine:
    taken = {
        each.id: _read_stored_version(each) for each in versions if each.state is VersionState.STORED and each.facts
    }
    chosen = taken.pop(resource.chosen, None) if resource.chosen is not None else None
    if chosen is None and taken:
        chosen = taken.pop(next(iter(taken)))
    return OutcomeLine(
        resource.key,
        resource.url if chosen is None else chosen.url,
        resource.is_current,
        resource.is_embed,
        chosen,
        tuple(each.listed for each in versions if each.state is not VersionState.STORED),
        tuple(taken.values()),
        tuple(each.remark for each in versions if each.state is VersionState.REFUSED),
        resource.note,
        resource.state is RecoveryState.LISTED,
    )


def _read_stored_version(held: HeldVersion) -> StoredVersion:
    facts: dict[str, Any] = json.loads(held.facts)
    return StoredVersion(
        held.listed,
        str(facts["url"]),
        Moment(int(facts["moment"])),
        Moment(int(facts["retrieved"])),
        str(facts["fidelity"]),
        bool(facts["truncated"]),
        int(facts["bytes"]),
        facts.get("status"),
    )
