"""Repositories: whoever holds versions of web pages, behind one small interface; what a listing and a version tell, how
near to the original it is, and why nothing came.

A repository answers with values and never raises for what goes wrong on its side: what it does not hold, and what it
cannot give now, are answers too, and each says what it cost. Listings and time maps come in batches with a mark to
resume from, so that a million rows need no memory and an error in the middle loses nothing.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from webkeep.model import Digest, Exchange, Finding, Moment, RecordPlace
from webkeep.recover.repositories.repository_traits import DateKind, RepositoryTraits
from webkeep.url import UrlMatch


@dataclass(frozen=True, slots=True)
class TimePeriod:
    """A stretch of time, both ends included; open where there is no end."""

    since: Moment | None = None
    until: Moment | None = None

    def covers(self, moment: Moment | None) -> bool:
        """Whether a moment lies within; one that is not known may."""
        if moment is None:
            return True
        return (self.since is None or self.since <= moment) and (self.until is None or moment <= self.until)


ALL_TIME = TimePeriod()


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """One version of a URL that a repository says it holds: a row of a listing or of a time map."""

    repository: str
    """The name of the repository."""
    url: str
    """As the repository spells it."""
    moment: Moment | None
    uri: str = ""
    """Where it can be had: its URI-M, or what the repository itself understands."""
    status: int | None = None
    """The HTTP status it was captured with; None where it is not told."""
    media_type: str = ""
    digest: Digest | None = None
    """Of the payload, as the repository has it."""
    length: int | None = None
    """Bytes it takes in the repository, compressed as may be; no measure of the body."""
    dates: DateKind = DateKind.CRAWL
    is_revisit: bool = False
    """Whether the row only says that it was the same as before; the digest tells as what."""
    place: RecordPlace | None = None
    """Where its record lies, for repositories that let records be read by their place."""


@dataclass(frozen=True, slots=True)
class ListingPage:
    """A piece of a listing or of a time map."""

    rows: tuple[ListedVersion, ...] = ()
    resume: str = ""
    """Handed in again, goes on behind these rows; "" where there is nothing more or no such way."""
    requests: int = 0
    """How many requests this piece took."""
    is_capped: bool = False
    """Whether the repository's cap was reached, so that it may hold what it did not list."""
    miss: RepositoryMiss | None = None
    """Why it ends here although there may be more; only in the last batch."""
    findings: tuple[Finding, ...] = ()


class VersionFidelity(enum.StrEnum):
    """How near an answer is to what the lost server once sent."""

    ORIGINAL = "original"
    """Head and payload as they were recorded."""
    RAW = "raw"
    """The payload as it was recorded, under a head put together from what the repository tells."""
    REBUILT = "rebuilt"
    """Taken out of a page made for showing: what was added is removed, links are turned back."""
    CONVERTED = "converted"
    """Another format than it was."""


class MissReason(enum.StrEnum):
    """Why a repository gave nothing."""

    NOT_HELD = "not-held"
    ADVERTISED = "advertised-but-absent"
    """It was listed, and is not there; an older version may be."""
    BLOCKED = "blocked"
    """It is there and not for us: dark, taken down, excluded by robots rules."""
    LIMIT = "limit"
    """No request was sent, or it was turned away: a quota is used up until `retry_at`."""
    TROUBLE = "trouble"
    """The repository failed: no connection, its own error, nonsense in place of an answer."""
    UNREACHABLE = "unreachable"
    """Nobody answers at its address, and nobody did since this run began."""
    UNSUPPORTED = "unsupported"
    """The repository cannot be asked this."""


@dataclass(frozen=True, slots=True)
class RepositoryMiss:
    """Nothing came, and why."""

    reason: MissReason
    detail: str = ""
    """In one line: what is wrong, where."""
    retry_at: Moment | None = None
    """When it makes sense to ask again; None where that is unknown or never."""
    requests: int = 0

    @property
    def is_final(self) -> bool:
        """Whether asking again later would not help."""
        return self.reason not in (MissReason.LIMIT, MissReason.TROUBLE)


@dataclass(frozen=True, slots=True)
class FetchedVersion:
    """A version that came."""

    listed: ListedVersion
    """What it is: which version really came, which may be another than was asked for."""
    exchange: Exchange
    """As of the lost server: its URL, its moment, its head as far as it is known, the payload.

    A body that was transferred in chunks or compressed for us alone has neither left; one whose content was recorded
    compressed still is.
    """
    fidelity: VersionFidelity
    retrieved: Moment
    requests: int = 0
    is_truncated: bool = False
    """Whether it is known, or by the repository's cap likely, that the end is missing."""
    findings: tuple[Finding, ...] = ()
    """What was odd: bytes that contradict their digest, another moment than asked for, an archive's banner."""


VersionResult = FetchedVersion | RepositoryMiss


class Repository(Protocol):
    """Whoever holds versions of web pages; safe to ask from many tasks at once.

    Each call sends as few requests as it can, and waits for its turn where limits say so; where that would take too
    long it answers with a miss for a limit instead.
    """

    @property
    def traits(self) -> RepositoryTraits:
        """What it is like."""
        ...

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version of a URL nearest to a moment, or the newest, without knowing what is held."""
        ...

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a listing or a time map; where another one comes, the answer says so."""
        ...

    def list_versions(self, url: str, period: TimePeriod = ALL_TIME, resume: str = "") -> AsyncIterator[ListingPage]:
        """The versions of a URL, by time where the repository has them so; flat ones tell of one at most."""
        ...

    def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """Everything held below a URL, of its host or of its domain; those that cannot list say so in a miss."""
        ...

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content; its moment is when it was crawled."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
