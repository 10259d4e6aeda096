"""What building a copy brings to light, summed over processes: where its links lead, which embeds are missing, what
needs a server, what is frozen or damaged, and what its pages are about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from webkeep.mirror.rendering.script_uses import ScriptUse


class PageAbstract(NamedTuple):
    """A page of a copy, as one looks for it."""

    name: str
    title: str
    text: str
    """How its text begins."""


@dataclass(slots=True)
class CopyLinks:
    """What became of the links that were met."""

    within: int = 0
    """Those to something in the copy, which are relative now."""
    outside: int = 0
    """Those to the web, which are absolute now."""
    missing: dict[str, str] = field(default_factory=dict)
    """Embeds that are not in the copy, by URL, with a page that wants them."""
    adrift: dict[str, str] = field(default_factory=dict)
    """The same of pieces of pages, which scripts may put somewhere else, where their addresses lead elsewhere."""
    server_needs: dict[str, str] = field(default_factory=dict)
    """Documents that do not work from a disk, by URL, with what they need."""
    frozen: dict[str, str] = field(default_factory=dict)
    """Pages that are as a browser left them, by URL, with what they would have needed."""
    binary_links: dict[str, list[str]] = field(default_factory=dict)
    """Links in files that stay as they are (PDF, Flash, Java), by URL."""
    modules: set[str] = field(default_factory=set)
    """What pages load as modules, by URL."""
    uses: set[ScriptUse] = field(default_factory=set)
    """What scripts use that has to be made up for."""

    def add(self, other: CopyLinks) -> None:
        """Take in what became of others."""
        self.within += other.within
        self.outside += other.outside
        self.server_needs |= other.server_needs
        self.frozen |= other.frozen
        self.binary_links |= other.binary_links
        self.modules |= other.modules
        self.uses |= other.uses
        for ours, theirs in ((self.missing, other.missing), (self.adrift, other.adrift)):
            for url, page in theirs.items():
                ours[url] = min(page, ours.get(url, page))

    def resolve_adrift(self) -> None:
        """Decide about pieces of pages: where nothing asks for pages, they are pages themselves."""
        if ScriptUse.REQUESTS not in self.uses:
            for url, page in self.adrift.items():
                self.missing[url] = min(page, self.missing.get(url, page))
        self.adrift.clear()


@dataclass(slots=True)
class BuildResult:
    """What came of building."""

    files: int = 0
    bytes: int = 0
    shared: int = 0
    """Files that are those of the version before."""
    links: CopyLinks = field(default_factory=CopyLinks)
    abstracts: list[PageAbstract] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    """What could not be read from the archive, and why."""

    def add(self, other: BuildResult) -> None:
        """Take in what another one came to."""
        self.files += other.files
        self.bytes += other.bytes
        self.shared += other.shared
        self.links.add(other.links)
        self.abstracts += other.abstracts
        self.damaged |= other.damaged
