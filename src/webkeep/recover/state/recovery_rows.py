"""What stands in a recovery store: resources, held versions, repositories, and what has become of each; their columns
and states, and how rows are read and written.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from webkeep.memento import escape_target
from webkeep.model import Digest, Moment, RecordPlace
from webkeep.recover.repositories.repository import ListedVersion
from webkeep.recover.repositories.repository_traits import DateKind
from webkeep.store.jobs import JobRow

RESOURCE_COLUMNS = "id, key, url, state, priority, via, is_embed, is_current, wanted, tries, chosen, note"
"""The columns of a resource."""
VERSION_COLUMNS = (
    "id, repository, url, micros, uri, status, media, digest, length, dates, revisit, file, offset, size, state, "
    "remark, facts"
)
"""The columns of a held version."""


class RecoveryState(enum.IntEnum):
    """What has become of a resource."""

    LISTED = 0
    """Someone holds it, and nothing has led to it yet."""
    QUEUED = 1
    RECOVERED = 2
    MISSING = 3


class VersionState(enum.IntEnum):
    """What has become of a held version."""

    NOT_YET = 0
    WANTED = 1
    """It is to be had, whatever else is chosen: a page needs it."""
    STORED = 2
    REFUSED = 3
    """It came, and showed something else than the resource."""
    ABSENT = 4
    """It was advertised, and is not there."""
    TROUBLE = 5
    PASSED_OVER = 6
    """It came, and another one was better."""
    DOUBTFUL = 7
    """Too many other URLs show the very same, as errors and walls do."""


class RecoveredResource(NamedTuple):
    """One URL of the lost site."""

    id: int
    key: str
    url: str
    state: RecoveryState
    priority: int
    via: int
    is_embed: bool
    is_current: bool
    """Whether it belongs to the site as its pages lead through it; others are older, or orphans."""
    wanted: int | None
    """The moment of the page that needs it."""
    tries: int
    chosen: int | None
    """The held version that was taken."""
    note: str


class HeldVersion(NamedTuple):
    """A held version, and what has become of it."""

    id: int
    listed: ListedVersion
    state: VersionState
    remark: str
    facts: str
    """What was found out when it came, as JSON."""


class DiscoveredUrl(NamedTuple):
    """A URL that something led to."""

    key: str
    url: str
    priority: int
    via: int = 0
    is_embed: bool = False
    is_current: bool = True
    wanted: int | None = None


class RepositoryStatus(NamedTuple):
    """What a recovery store knows of one repository."""

    name: str
    is_open: bool
    """Whether it may hold what it did not list."""
    resume: str
    listed: int
    requests: int
    trouble: str
    is_listed: bool
    """Whether its listing came to an end."""


def resource_from_row(row: JobRow) -> RecoveredResource:
    """The resource of a row."""
    return RecoveredResource(
        int_column(row[0]),
        str(row[1]),
        str(row[2]),
        RecoveryState(int_column(row[3])),
        int_column(row[4]),
        int_column(row[5]),
        bool(row[6]),
        bool(row[7]),
        optional_int_column(row[8]),
        int_column(row[9]),
        optional_int_column(row[10]),
        str(row[11]),
    )


def _parse_digest(text: str) -> Digest | None:
    """A digest as the recovery store spells it, which is quicker to read than as others do."""
    algorithm, _, value = text.partition(":")
    return Digest(algorithm, bytes.fromhex(value)) if value else None


def version_from_row(row: JobRow, repository: str) -> HeldVersion:
    """The held version of a row, and in which repository it is."""
    place = None if row[11] is None else RecordPlace(str(row[11]), int_column(row[12]), int_column(row[13]))
    micros = optional_int_column(row[3])
    held = ListedVersion(
        repository,
        str(row[2]),
        None if micros is None else Moment(micros),
        str(row[4]),
        optional_int_column(row[5]),
        str(row[6]),
        _parse_digest(str(row[7])),
        optional_int_column(row[8]),
        DateKind(str(row[9])),
        bool(row[10]),
        place,
    )
    return HeldVersion(int_column(row[0]), held, VersionState(int_column(row[14])), str(row[15]), str(row[16]))


def int_column(value: object) -> int:
    """A column that holds a whole number."""
    return value if isinstance(value, int) else 0


def optional_int_column(value: object) -> int | None:
    """A column that may hold one."""
    return value if isinstance(value, int) else None


def storable_text(text: str) -> str:
    """A text as a database takes it: halves of characters, which broken JSON can name, are not kept."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def storable_url(text: str) -> str:
    """An address as a database takes it; bytes that are no text stay what they are, escaped."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return escape_target(text)
    return text


def version_row(held: ListedVersion, number: int) -> tuple[object, ...]:
    """A held version as the recovery store's table takes it, of the repository with that number."""
    place = held.place
    return (
        number,
        storable_url(held.url),
        held.moment.micros if held.moment is not None else None,
        storable_url(held.uri),
        held.status,
        storable_text(held.media_type),
        f"{held.digest.algorithm}:{held.digest.hex}" if held.digest is not None else "",
        held.length,
        held.dates.value,
        held.is_revisit,
        *((storable_text(place.file), place.offset, place.length) if place is not None else (None, None, None)),
    )
