"""Traits: what is known of a repository before it is asked, with their defaults: how many versions it keeps, what it
can list, how it spells URLs, and which media types it converts or lacks.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class VersionDepth(enum.StrEnum):
    """How many versions of a URL a repository keeps."""

    FLAT = "flat"
    """One: what comes later takes its place."""
    DEEP = "deep"


class RepositoryAccess(enum.StrEnum):
    """Who may have what a repository holds."""

    LIGHT = "light"
    """Everyone."""
    GREY = "grey"
    """Some people, or everyone for some of it."""
    DARK = "dark"
    """Nobody from outside; it can only be said that there is something."""


class DateKind(enum.StrEnum):
    """What the moment of a version means."""

    CRAWL = "crawl"
    MODIFIED = "modified"
    """When it last changed: it was seen then or later."""
    UNKNOWN = "unknown"


class KeptForm(enum.StrEnum):
    """In which form a repository keeps a media type."""

    ORIGINAL = "original"
    CONVERTED = "converted"
    """As something else: a document as HTML, a picture made small."""
    UNREACHABLE = "unreachable"
    """It is known there, and cannot be had."""
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class UrlSpelling:
    """How a repository takes the URLs it is asked for."""

    either_www: bool = True
    """Whether hosts with and without `www.` are one to it."""
    either_case: bool = False
    """Whether it finds paths whatever their case."""
    keeps_slash: bool = True
    """Whether it tells `/a/` from `/a`."""


@dataclass(frozen=True, slots=True)
class RepositoryTraits:
    """What a repository is like."""

    name: str
    """Unique among those in use, and stable: it stands in provenance records and ledgers."""
    title: str = ""
    depth: VersionDepth = VersionDepth.DEEP
    access: RepositoryAccess = RepositoryAccess.LIGHT
    dates: DateKind = DateKind.CRAWL
    lists: bool = True
    """Whether it can say what it holds of a whole site."""
    lists_periods: bool = True
    """Whether it can leave out of that what lies outside a period."""
    tells_versions: bool = True
    """Whether it can say which versions of a URL it holds."""
    raw: bool = True
    """Whether bytes come as they were crawled; else they are taken out of pages made for showing."""
    local: bool = False
    """Whether it lies on this machine, so that asking costs nobody anything."""
    listing_cap: int | None = None
    """How many rows a listing has at most; a full one may have left out others."""
    listing_page: int = 1000
    """How many rows one request of a listing brings."""
    requests_per_resource: float = 1
    """How many requests one version takes that is known from a listing."""
    size_cap: int | None = None
    """How many bytes of a body are kept at most; one of that size is probably cut off."""
    delay_days: float = 0
    """How long it takes until what was crawled can be had."""
    spelling: UrlSpelling = field(default_factory=UrlSpelling)
    kept_forms: Mapping[str, KeptForm] = field(default_factory=dict)
    """By media type (`image/gif`) or its first half (`image`), what is not kept as it was."""

    def kept_form(self, media_type: str) -> KeptForm:
        """In which form it keeps a media type."""
        first = media_type.partition("/")[0]
        return self.kept_forms.get(media_type) or self.kept_forms.get(first, KeptForm.ORIGINAL)
