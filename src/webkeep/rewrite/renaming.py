"""Renaming: what becomes of the links of a document, and what is left as it is."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from webkeep.extract import Link, Reference
from webkeep.extract.base import Base
from webkeep.extract.link import new_tuple
from webkeep.rewrite.recall import Reach, Recall, reach_of

Rename = Callable[[Link], str | None]
"""Gives the text to be written for a link; None leaves the link as it is."""


class Missing(str):
    """What a link leads to that is not there and must not be asked for: it is left out, and the address kept beside."""

    __slots__ = ()

    @property
    def data_address(self) -> str:
        """An address that brings nothing, and says what it stands for."""
        return "data:text/plain,missing%20" + quote(self, safe="/:")


class Scripts(enum.Enum):
    """Which strings of scripts are renamed."""

    ALL = "all that look like links"
    CERTAIN = "imports and the like, which are links by the language"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Renaming:
    """How links are renamed."""

    rename: Rename
    named_hosts_only: bool = False
    """Whether references that name no host are left, as paths stay true where every origin has a host of its own."""
    scripts: Scripts = Scripts.ALL
    data: bool = True
    """Whether attributes are renamed that nothing but scripts reads, as `data-src`."""
    recall: Recall | None = None
    """What is known of tags from pages before."""


_NAMES_HOST = re.compile(r"[\x00-\x20]*+(?:[/\\][\x09\x0a\x0d]*+[/\\]|[hfwHFW][\x09\x0a\x0da-zA-Z]{1,16}+:)")
_HOST_SIGNS = re.compile(r"[:\\]|/[\t\n\r]*/")


class Joiner:
    """Renames the references of one document."""

    __slots__ = ("_base", "_meant", "_moved", "_moved_by", "named_hosts_only", "reach", "rename", "rooted",
                 "ways")  # fmt: skip

    def __init__(self, renaming: Renaming, base: Base, meant: Callable[[str], str] = str) -> None:
        self.rename = renaming.rename
        self.named_hosts_only = renaming.named_hosts_only
        self.rooted = False
        """Whether the document has a base of its own, so that a mere fragment leads elsewhere."""
        self.reach = Reach.PAGE
        """How far all holds that was renamed since this was set."""
        self.ways = 0
        """How many new addresses lead to goals."""
        self._base = self._moved = base
        self._moved_by = ""
        self._meant = meant

    @property
    def base(self) -> str:
        """What references are relative to."""
        return self._base.href

    def rebase(self, text: str) -> None:
        """Take the document's own base into account; only its first one counts."""
        if not self.rooted:
            self._base, self.rooted = self._base.moved(self._meant(text)), True
            self._moved_by = ""

    def renamed(self, found: Reference) -> str | None:
        """The new text for a reference; None where it stays."""
        text = found.text
        if self.named_hosts_only and _NAMES_HOST.match(text) is None:
            return None
        if text[:1] == "#" and not self.rooted:
            return None
        if not text.isascii():
            text = self._meant(text)
        url = self._around(found.base).join(text)
        if url is None:
            return None
        new = self.rename(new_tuple(Link, (url, found.role, found.source, found.guess)))
        if self.reach is not Reach.PAGE:
            self.reach = max(self.reach, reach_of(found, new))
            self.ways += new is not None
        return None if new == found.text and type(new) is not Missing else new

    def _around(self, relative_to: str) -> Base:
        if not relative_to:
            return self._base
        if relative_to != self._moved_by:
            self._moved, self._moved_by = self._base.moved(self._meant(relative_to)), relative_to
        return self._moved


def may_name_host(value: str) -> bool:
    """Whether a text may have a reference in it that names a host."""
    return _HOST_SIGNS.search(value) is not None
