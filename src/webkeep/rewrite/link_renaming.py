"""Renaming (URL rewriting): what becomes of the links of a document, what may be left as it is (references that name no
host, strings of scripts, data attributes), and what stands for a target that is missing.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from webkeep.extract.links import Link, LinkBase, LinkReference, new_tuple
from webkeep.rewrite.tag_recall import TagReach, TagRecall, reference_reach

LinkRenamer = Callable[[Link], str | None]
"""Gives the text to be written for a link; None leaves the link as it is."""


class MissingTarget(str):
    """What a link leads to that is not there and must not be asked for: it is left out, and the address kept beside."""

    __slots__ = ()

    @property
    def data_url(self) -> str:
        """An address that brings nothing, and says what it stands for."""
        return "data:text/plain,missing%20" + quote(self, safe="/:")


class ScriptRenaming(enum.Enum):
    """Which strings of scripts are renamed."""

    ALL = "all that look like links"
    CERTAIN = "imports and the like, which are links by the language"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class LinkRenaming:
    """How links are renamed."""

    rename: LinkRenamer
    named_hosts_only: bool = False
    """Whether references that name no host are left, as paths stay true where every origin has a host of its own."""
    scripts: ScriptRenaming = ScriptRenaming.ALL
    data: bool = True
    """Whether attributes are renamed that nothing but scripts reads, as `data-src`."""
    recall: TagRecall | None = None
    """What is known of tags from pages before."""


_HOST_REFERENCE = re.compile(r"[\x00-\x20]*+(?:[/\\][\x09\x0a\x0d]*+[/\\]|[hfwHFW][\x09\x0a\x0da-zA-Z]{1,16}+:)")
_HOST_SIGNS = re.compile(r"[:\\]|/[\t\n\r]*/")


class ReferenceRenamer:
    """Renames the references of one document."""

    __slots__ = (
        "_base",
        "_decode_span",
        "_moved",
        "_moved_by",
        "goal_links",
        "has_own_base",
        "named_hosts_only",
        "reach",
        "rename",
    )  # fmt: skip

    def __init__(self, renaming: LinkRenaming, base: LinkBase, meant: Callable[[str], str] = str) -> None:
        self.rename = renaming.rename
        self.named_hosts_only = renaming.named_hosts_only
        self.has_own_base = False
        """Whether the document has a base of its own, so that a mere fragment leads elsewhere."""
        self.reach = TagReach.PAGE
        """How far all holds that was renamed since this was set."""
        self.goal_links = 0
        """How many new addresses lead to goals."""
        self._base = self._moved = base
        self._moved_by = ""
        self._decode_span = meant

    def begin_tag(self) -> None:
        """Find out, from now on, how far what is renamed holds, and how much of it leads to goals."""
        self.reach, self.goal_links = TagReach.ORIGIN, 0

    def end_tag(self) -> TagReach:
        """How far all holds that was renamed since `begin_tag`."""
        reach, self.reach = self.reach, TagReach.PAGE
        return reach

    @property
    def base(self) -> str:
        """What references are relative to."""
        return self._base.href

    def rebase(self, text: str) -> None:
        """Take the document's own base into account; only its first one counts."""
        if not self.has_own_base:
            self._base, self.has_own_base = self._base.rebase(self._decode_span(text)), True
            self._moved_by = ""

    def rename_reference(self, found: LinkReference) -> str | None:
        """The new text for a reference; None where it stays."""
        text = found.text
        if self.named_hosts_only and _HOST_REFERENCE.match(text) is None:
            return None
        if text[:1] == "#" and not self.has_own_base:
            return None
        if not text.isascii():
            text = self._decode_span(text)
        url = self._base_for(found.base).join(text)
        if url is None:
            return None
        new = self.rename(new_tuple(Link, (url, found.role, found.source, found.guess)))
        if self.reach is not TagReach.PAGE:
            self.reach = max(self.reach, reference_reach(found, new))
            self.goal_links += new is not None
        return None if new == found.text and type(new) is not MissingTarget else new

    def _base_for(self, relative_to: str) -> LinkBase:
        if not relative_to:
            return self._base
        if relative_to != self._moved_by:
            self._moved, self._moved_by = self._base.rebase(self._decode_span(relative_to)), relative_to
        return self._moved


def may_name_host(value: str) -> bool:
    """Whether a text may have a reference in it that names a host."""
    return _HOST_SIGNS.search(value) is not None
