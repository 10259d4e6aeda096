"""Sitemap entries: what a site says of its own pages: when they last changed, how often they change (changefreq), their
priority, their media and their alternates.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.model.moment import Moment


class ChangeFrequency(enum.StrEnum):
    """How often a site says that a page changes."""

    ALWAYS = "always"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class SitemapMedia:
    """A picture or film that a sitemap names beside a page."""

    url: str
    element: str
    """The element that named it, as in `image:loc`."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One page of a sitemap, or one sitemap of a sitemap index; URLs stand as they were written."""

    url: str
    lastmod: Moment | None = None
    changefreq: ChangeFrequency | None = None
    priority: float | None = None
    is_sitemap: bool = False
    media: tuple[SitemapMedia, ...] = ()
    alternates: tuple[str, ...] = ()
    """The same page in other languages or for other devices."""
