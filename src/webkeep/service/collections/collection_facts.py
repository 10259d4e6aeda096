"""Collections and their seeds as values: what a collection is called and is for, in the words of Dublin Core, and the
URLs it is made of, each with settings of its own.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.url import registrable_domain, split_url

DEFAULT_ARCHIVES = 2
"""So many captures of a collection run at a time where nobody said."""
_MAX_ARCHIVES = 64
"""More captures at a time than this no machine runs."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_MAX_TEXT_CHARS = 20_000
"""Of a title or a description: a page of them is shown whole."""


class CollectionPurpose(enum.StrEnum):
    """Which completeness matters more, by which a collection is measured."""

    EXTENSIVE = "extensive"
    """Horizontal: as many relevant entry points as there are, such as all sites of a domain or on a topic."""
    INTENSIVE = "intensive"
    """Vertical: as much as can be had from each entry point."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What is said of a collection."""

    name: str
    """In addresses and as a folder."""
    title: str
    description: str = ""
    subjects: tuple[str, ...] = ()
    creator: str = ""
    rights: str = ""
    purpose: CollectionPurpose = CollectionPurpose.INTENSIVE
    archives: int = DEFAULT_ARCHIVES
    quota: int | None = None
    """Bytes that it may take on the disk."""
    is_public: bool = False
    """Whether everybody sees its public page."""
    picture: str = ""
    """The page whose picture stands on its public page; empty for one of its seeds."""
    left_out: tuple[str, ...] = ()
    """Other collections, whose pages are left out of its captures."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"not a name for a collection: {self.name[:80]!r}; write small letters, digits and dashes, as town-2026"
            )
        if not 1 <= self.archives <= _MAX_ARCHIVES:
            raise UsageError(f"a collection has from 1 to {_MAX_ARCHIVES} archives, and not {self.archives}")
        if self.name in self.left_out:
            raise UsageError(f"{self.name} cannot leave out what it holds itself; name other collections")
        texts = (self.title, self.description, self.creator, self.rights, *self.subjects)
        if any(len(text) > _MAX_TEXT_CHARS for text in texts):
            raise UsageError(
                f"a title, a description and the like have at most {_MAX_TEXT_CHARS:,} characters; shorten it"
            )


@dataclass(frozen=True, slots=True)
class SeedEntry:
    """A seed as somebody adds it."""

    url: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What its plan says beside the seed, by the names of options."""
    notes: str = ""
    schedule: str = ""
    """Its times, where it is captured again and again."""


@dataclass(frozen=True, slots=True)
class CollectionSeed:
    """A seed of a collection."""

    id: str
    collection: str
    url: str
    archive: str
    """The archive that everything of its site is in."""
    settings: Mapping[str, Any]
    notes: str
    created: Moment

    @property
    def plan(self) -> dict[str, Any]:
        """What is captured of it."""
        return {**self.settings, "seeds": [self.url]}


def site_of(url: str) -> str:
    """The site that a URL belongs to, whose seeds share an archive: the registrable domain, or the host."""
    host = split_url(url).host
    return registrable_domain(host) or host


def archive_name(number: int) -> str:
    """What the archives of a collection are called, from 1 on."""
    return f"archive-{number}"
