"""Watches as values: a feed, a sitemap or an OAI-PMH set, looked at again and again for what is new in it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError
from webkeep.model import Moment

_MIN_POLL_SECONDS = 60
"""Nobody's feed is asked for more often than once a minute."""


class WatchKind(enum.StrEnum):
    """What is watched."""

    FEED = "feed"
    SITEMAP = "sitemap"
    OAI_PMH = "oai-pmh"


@dataclass(frozen=True, slots=True)
class Watch:
    """Something that is looked at again and again."""

    id: str
    collection: str
    seed: str
    """The seed whose archive what is new goes into, by its id."""
    kind: WatchKind
    url: str
    poll_seconds: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the plan of captures says beside the seeds."""
    is_local_allowed: bool = False
    """Whether it may be at a private address, as an administrator allowed."""
    takes_present: bool = False
    """Whether what is there at the first look is captured too."""

    def __post_init__(self) -> None:
        if self.poll_seconds < _MIN_POLL_SECONDS:
            raise UsageError("a watch looks once a minute at most; write 10m, 6h or 1d")


@dataclass(frozen=True, slots=True)
class WatchState:
    """How far a watch has come."""

    has_looked: bool = False
    validators: tuple[tuple[str, str], ...] = ()
    """What the next request asks with, so that an unchanged answer costs nothing."""
    since: str = ""
    """Of OAI-PMH: the datestamp from which on records are asked for."""
    token: str = ""
    """Of OAI-PMH: by what a list goes on that was too long for one look."""
    message: str = ""
    """What was wrong at the last look."""
    looked: int = 0
    """When the last look was, in microseconds since 1970; 0 before the first."""
    told: int = 0
    """How many pages were new so far, those of the first look among them."""
    newest: str = ""
    """The page that was new last."""
    newest_at: int = 0
    """When that was seen, as `looked`."""


@dataclass(frozen=True, slots=True)
class WatchedItem:
    """A page that is told of, in one version."""

    url: str
    version: str
    """By what it is known: another where the page was changed."""


@dataclass(frozen=True, slots=True)
class StoredWatch:
    """A watch, how far it has come, and when it looks next."""

    watch: Watch
    state: WatchState
    next_look: Moment
    is_off: bool = False
    """Whether somebody had it look no more for now."""
