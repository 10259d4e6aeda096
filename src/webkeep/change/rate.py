"""The rate of a page and where it came from."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class RateSource(enum.StrEnum):
    """Where a rate came from, the most trusted first."""

    HISTORY = "history"
    SITEMAP = "sitemap"
    FEED = "feed"
    HTTP = "http"
    PREDICTION = "prediction"
    SITE = "site"
    """What pages of the same site are like."""
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a page changes, in changes a second."""

    per_second: float
    source: RateSource
    looks: int = 0
    """How many intervals of history stand behind it."""
