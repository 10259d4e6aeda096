"""What building a copy brings to light: where its links lead, what is missing, what its pages are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Abstract(NamedTuple):
    """A page of a copy, as one looks for it."""

    name: str
    title: str
    text: str
    """How its text begins."""


@dataclass(slots=True)
class Links:
    """What became of the links that were met."""

    within: int = 0
    """Those to something in the copy, which are relative now."""
    outside: int = 0
    """Those to the web, which are absolute now."""
    missing: dict[str, str] = field(default_factory=dict)
    """Embeds that are not in the copy, by URL, with a page that wants them."""
    needing: dict[str, str] = field(default_factory=dict)
    """Documents that do not work from a disk, by URL, with what they need."""
    bound: dict[str, list[str]] = field(default_factory=dict)
    """Links in files that stay as they are (PDF, Flash, Java), by URL."""
    asked: set[str] = field(default_factory=set)
    """Pages that scripts may ask for, by URL."""

    def add(self, other: Links) -> None:
        """Take in what became of others."""
        self.within += other.within
        self.outside += other.outside
        self.needing |= other.needing
        self.bound |= other.bound
        self.asked |= other.asked
        for url, page in other.missing.items():
            self.missing[url] = min(page, self.missing.get(url, page))
