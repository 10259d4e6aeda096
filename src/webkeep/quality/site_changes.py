"""What changed on a site between two states of it: added, changed, removed, moved, and what stayed."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice

from webkeep.model import Digest, Observation
from webkeep.quality.held_lines import HTML_TYPES, LONGEST, held_lines
from webkeep.quality.site_snapshots import Newcomers, SiteSnapshot
from webkeep.quality.site_state import PageState, State
from webkeep.store.archive import Archive
from webkeep.url import LASTING_IDENTITY, resolve

_MOST_REDIRECTS = 20
_SESSION = re.compile(
    rb"(?:(?:jsessionid|phpsessid|sessid|session_?id|aspsessionid[a-z]*|asp\.net_sessionid|cftoken|zenid|oscsid)"
    rb"=[^\"'<>&;\s]*|\b(?:sid|cfid)=[0-9a-z-]{16,})",
    re.IGNORECASE,
)


class Kind(enum.StrEnum):
    """What became of a page."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    """Its server said that it is gone; a server that failed said nothing."""
    MOVED = "moved"
    UNCHANGED = "unchanged"
    UNKNOWN = "unknown"
    """It was there, and could not be seen again; or it is there, and was not looked for before."""


@dataclass(frozen=True, slots=True)
class PageChange:
    """What became of one page."""

    url: str
    kind: Kind
    target: str = ""
    """Where it moved to."""
    before: Observation | None = None
    after: Observation | None = None


def changes_between(archive: Archive, earlier: SiteSnapshot, after: State) -> Iterator[PageChange]:
    """What became of every page that was there in either state: those of the first by URL, then those added."""
    before = earlier.state
    comparing, newcomers = _Comparing(archive, before, after), Newcomers(archive, earlier, after)
    targets: set[str] = set()
    for _, old in sorted(before.items()):
        if old.is_there:
            change = comparing.change(old)
            targets.add(change.target)
            yield change
    for identity, new in sorted(after.items()):
        if new.is_there and not _was_there(before, identity) and new.observation.url not in targets:
            kind = Kind.ADDED if newcomers.is_added(new) else Kind.UNKNOWN
            yield PageChange(new.observation.url, kind, after=new.observation)


def _was_there(state: State, identity: str) -> bool:
    known = state.get(identity)
    return known is not None and known.is_there


class _Comparing:
    """Holds the pages of one state against another."""

    def __init__(self, archive: Archive, before: State, after: State) -> None:
        self._archive = archive
        self._after = after
        self._there = {page.observation.url for page in after.values() if page.is_there}
        self._appeared = {
            page.digest: page.observation.url
            for identity, page in after.items()
            if page.is_there and not _was_there(before, identity) and not _is_nothing(page.digest)
        }

    def change(self, old: PageState) -> PageChange:
        """What became of a page that was there."""
        was = old.observation
        new = self._after.get(LASTING_IDENTITY(was.url))
        if new is None:
            return PageChange(was.url, Kind.UNKNOWN, before=was)
        now = new.observation
        if new.is_there:
            kind = Kind.UNCHANGED if self._is_same(old, new) else Kind.CHANGED
            return PageChange(now.url, kind, before=was, after=now)
        if new.is_redirect:
            target = self._final(now)
            is_there = target in self._there
            return PageChange(was.url, Kind.MOVED if is_there else Kind.CHANGED, target if is_there else "", was, now)
        if new.is_gone:
            # What appeared is where one page moved to, not several.
            target = self._appeared.pop(old.digest, "") if old.digest is not None else ""
            return PageChange(was.url, Kind.MOVED if target else Kind.REMOVED, target, was, now)
        return PageChange(was.url, Kind.UNKNOWN, before=was, after=now)

    def _is_same(self, old: PageState, new: PageState) -> bool:
        one, other = old.observation, new.observation
        if one.payload_digest is not None and one.payload_digest == other.payload_digest:
            return True
        if old.digest is not None and old.digest == new.digest:
            return True
        return other.media_type in HTML_TYPES and _is_same_but_for_sessions(
            content_of(self._archive, one), content_of(self._archive, other)
        )

    def _final(self, redirect: Observation) -> str:
        """Where a redirect leads in the end, as far as was seen."""
        target = self._target(redirect)
        for _ in range(_MOST_REDIRECTS):
            onward = self._after.get(LASTING_IDENTITY(target)) if target else None
            if onward is None or not onward.is_redirect:
                break
            target = self._target(onward.observation)
        return target

    def _target(self, redirect: Observation) -> str:
        head = self._archive.read(redirect).head
        location = head.headers.get("location") if head is not None else ""
        return (resolve(redirect.url, location) or "").partition("#")[0] if location else ""


def _is_nothing(digest: Digest | None) -> bool:
    """Whether it is the digest of no content, which many pages have in common."""
    return digest is None or digest == Digest.of(digest.algorithm, [])


def _is_same_but_for_sessions(one: bytes, other: bytes) -> bool:
    """Whether two pages differ in nothing but the sessions they were made for."""
    if len(one) >= LONGEST or not _SESSION.search(other):
        return False
    return _SESSION.sub(b"", one) == _SESSION.sub(b"", other)


def content_of(archive: Archive, observation: Observation) -> bytes:
    """The content of a page, as far as it is compared."""
    return b"".join(archive.read(observation).content(LONGEST))


def text_difference(archive: Archive, change: PageChange, around: int = 0) -> list[str]:
    """How the text of a page or file changed, as lines that begin with `-`, `+` or, around them, a space."""
    old, new = (held_lines(archive, each) for each in (change.before, change.after))
    told = islice(unified_diff(old, new, lineterm="", n=around), 2, None)  # the first two name the sides
    return [line for line in told if not line.startswith("@@")]
