"""Provenance: where a recovered resource comes from, kept as one metadata record beside it; its JSON keys, and how many
of the versions not taken it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.model import Moment, RecordType
from webkeep.recover.repositories.repository import FetchedVersion, ListedVersion
from webkeep.store.archive import Archive

MEDIA_TYPE = "application/vnd.webkeep.provenance+json"
MAX_NOTE_BYTES = 1 << 20
"""Bytes of a note that are read; those that webkeep writes have a few thousand."""
_MAX_OTHERS = 20
"""Other versions that a record of provenance names, the nearest first."""


@dataclass(frozen=True, slots=True)
class UntakenVersion:
    """A version that was not taken, and why."""

    repository: str
    moment: Moment | None
    uri: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class RecoveryProvenance:
    """Where a resource comes from."""

    key: str
    url: str
    """As it stands in the archive."""
    moment: Moment
    repository: str
    uri: str
    """Where it was had: a URI-M, or a place in a file."""
    retrieved: Moment
    fidelity: str
    """`original`, `raw`, `rebuilt` or `converted`."""
    truncated: bool = False
    is_current: bool = True
    why: str = ""
    """Why it was chosen."""
    others: tuple[UntakenVersion, ...] = ()
    versions: int = 1
    """How many versions were held in all; some of the others are named."""
    repositories: tuple[str, ...] = ()
    """Everyone who held a version."""
    remarks: tuple[str, ...] = field(default=())

    def to_json(self) -> bytes:
        """What the metadata record says."""
        values = {
            "key": self.key,
            "url": self.url,
            "moment": self.moment.iso(),
            "repository": self.repository,
            "uri": self.uri,
            "retrieved": self.retrieved.iso(),
            "fidelity": self.fidelity,
            "truncated": self.truncated,
            "current": self.is_current,
            "why": self.why,
            "versions": self.versions,
            "repositories": self.repositories,
            "others": [_other_values(other) for other in self.others],
            "remarks": self.remarks,
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_provenances(archive: Archive, url: str) -> Iterator[RecoveryProvenance]:
    """What an archive says of where the versions of a URL come from, the first that was noted first."""
    for entry in archive.entries(url):
        if entry.record_type == RecordType.METADATA and entry.url == url and entry.media_type == MEDIA_TYPE:
            told = parse_provenance(b"".join(archive.read(entry).content(MAX_NOTE_BYTES)))
            if told is not None:
                yield told


def parse_provenance(block: bytes) -> RecoveryProvenance | None:
    """What a metadata record says; None where it is damaged."""
    try:
        values: dict[str, Any] = read_json(block)
        return RecoveryProvenance(
            str(values["key"]),
            str(values["url"]),
            Moment.parse(values["moment"]),
            str(values["repository"]),
            str(values["uri"]),
            Moment.parse(values["retrieved"]),
            str(values["fidelity"]),
            bool(values["truncated"]),
            bool(values["current"]),
            str(values["why"]),
            tuple(_parse_other(each) for each in values["others"]),
            int(values["versions"]),
            tuple(map(str, values["repositories"])),
            tuple(map(str, values["remarks"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError, UsageError):
        return None


def build_provenance(
    key: str, found: FetchedVersion, others: Sequence[tuple[ListedVersion, str]], why: str, is_current: bool
) -> RecoveryProvenance:
    """Where something comes from that came, beside what else was held."""
    held = found.listed
    names = dict.fromkeys([held.repository, *(other.repository for other, _ in others)])
    named = sorted(others, key=lambda each: _distance_key(each[0], found.exchange.moment))[:_MAX_OTHERS]
    return RecoveryProvenance(
        key,
        found.exchange.url,
        found.exchange.moment,
        held.repository,
        held.uri,
        found.retrieved,
        found.fidelity.value,
        found.is_truncated or bool(found.exchange.truncated),
        is_current,
        why,
        tuple(UntakenVersion(each.repository, each.moment, each.uri, reason) for each, reason in named),
        1 + len(others),
        tuple(names),
        tuple(finding.message for finding in found.findings),
    )


def _distance_key(held: ListedVersion, moment: Moment) -> tuple[bool, int]:
    return held.moment is None, 0 if held.moment is None else abs(held.moment.micros - moment.micros)


def _other_values(other: UntakenVersion) -> list[str | None]:
    return [other.repository, None if other.moment is None else other.moment.iso(), other.uri, other.why]


def _parse_other(values: Sequence[Any]) -> UntakenVersion:
    repository, moment, uri, why = values
    return UntakenVersion(str(repository), None if moment is None else Moment.parse(moment), str(uri), str(why))
