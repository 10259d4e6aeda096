"""What changed on a site between two states of it: when a page counts as added, changed, removed, moved or unknown;
session ids are passed over, and equal content elsewhere is a move.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice

from webkeep.change.detection import ChangeVerdict
from webkeep.model import Digest, Observation
from webkeep.quality.changes import ChangeJudge
from webkeep.quality.diff.site_snapshot import NewPageCheck, SiteSnapshot
from webkeep.quality.diff.site_state import LastSeenPage, SiteState
from webkeep.quality.diff.text_lines import HTML_TYPES, MAX_COMPARED_BYTES, read_text_lines
from webkeep.store.archive import Archive
from webkeep.url import resolve_url
from webkeep.url.canonical import LASTING_IDENTITY

_MAX_REDIRECTS = 20
"""Redirects followed from one page, as browsers follow them."""
_SESSION_ID = re.compile(
    rb"(?:(?:jsessionid|phpsessid|sessid|session_?id|aspsessionid[a-z]*|asp\.net_sessionid|cftoken|zenid|oscsid)"
    rb"=[^\"'<>&;\s]*|\b(?:sid|cfid)=[0-9a-z-]{16,})",
    re.IGNORECASE,
)


class ChangeKind(enum.StrEnum):
    """What became of a page."""

    ADDED = "added"
    CHANGED = "changed"
    INSIGNIFICANT = "insignificant"
    """It differs in nothing that matters: in dates, counters, tokens, advertisements, order, unseen markup."""
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
    kind: ChangeKind
    target: str = ""
    """Where it moved to."""
    before: Observation | None = None
    after: Observation | None = None
    verdict: ChangeVerdict | None = None
    """How a page that was there both times changed; None where it was not, or did not change at all."""


def compare_states(archive: Archive, earlier: SiteSnapshot, after: SiteState) -> Iterator[PageChange]:
    """What became of every page that was there in either state: those of the first by URL, then those added."""
    before = earlier.state
    comparing, new_page_check = _StateComparison(archive, before, after), NewPageCheck(archive, earlier, after)
    targets: set[str] = set()
    for _, old in sorted(before.items()):
        if old.is_there:
            change = comparing.compare_page(old)
            targets.add(change.target)
            yield change
    for identity, new in sorted(after.items()):
        if new.is_there and not _was_there(before, identity) and new.observation.url not in targets:
            kind = ChangeKind.ADDED if new_page_check.is_added(new) else ChangeKind.UNKNOWN
            yield PageChange(new.observation.url, kind, after=new.observation)


def _was_there(state: SiteState, identity: str) -> bool:
    known = state.get(identity)
    return known is not None and known.is_there


class _StateComparison:
    """Holds the pages of one state against another."""

    def __init__(self, archive: Archive, before: SiteState, after: SiteState) -> None:
        self._archive = archive
        self._after = after
        self._judge = ChangeJudge(archive)
        self._present_urls = {page.observation.url for page in after.values() if page.is_there}
        self._appeared_by_digest = {
            page.digest: page.observation.url
            for identity, page in after.items()
            if page.is_there and not _was_there(before, identity) and not _is_empty_digest(page.digest)
        }

    def compare_page(self, old: LastSeenPage) -> PageChange:
        """What became of a page that was there."""
        was = old.observation
        new = self._after.get(LASTING_IDENTITY(was.url))
        if new is None:
            return PageChange(was.url, ChangeKind.UNKNOWN, before=was)
        now = new.observation
        if new.is_there:
            if self._is_same(old, new):
                return PageChange(now.url, ChangeKind.UNCHANGED, before=was, after=now)
            verdict = self._judge.judge(was, now)
            kind = ChangeKind.CHANGED if verdict.category.is_significant else ChangeKind.INSIGNIFICANT
            return PageChange(now.url, kind, before=was, after=now, verdict=verdict)
        if new.is_redirect:
            target = self._final_target(now)
            is_there = target in self._present_urls
            return PageChange(
                was.url, ChangeKind.MOVED if is_there else ChangeKind.CHANGED, target if is_there else "", was, now
            )
        if new.is_gone:
            # What appeared is where one page moved to, not several.
            target = self._appeared_by_digest.pop(old.digest, "") if old.digest is not None else ""
            return PageChange(was.url, ChangeKind.MOVED if target else ChangeKind.REMOVED, target, was, now)
        return PageChange(was.url, ChangeKind.UNKNOWN, before=was, after=now)

    def _is_same(self, old: LastSeenPage, new: LastSeenPage) -> bool:
        one, other = old.observation, new.observation
        if one.payload_digest is not None and one.payload_digest == other.payload_digest:
            return True
        if old.digest is not None and old.digest == new.digest:
            return True
        return other.media_type in HTML_TYPES and _is_same_but_for_sessions(
            read_compared_content(self._archive, one), read_compared_content(self._archive, other)
        )

    def _final_target(self, redirect: Observation) -> str:
        """Where a redirect leads in the end, as far as was seen."""
        target = self._target(redirect)
        for _ in range(_MAX_REDIRECTS):
            onward = self._after.get(LASTING_IDENTITY(target)) if target else None
            if onward is None or not onward.is_redirect:
                break
            target = self._target(onward.observation)
        return target

    def _target(self, redirect: Observation) -> str:
        head = self._archive.read(redirect).head
        location = head.headers.get("location") if head is not None else ""
        return (resolve_url(redirect.url, location) or "").partition("#")[0] if location else ""


def _is_empty_digest(digest: Digest | None) -> bool:
    """Whether it is the digest of no content, which many pages have in common."""
    return digest is None or digest == Digest.from_chunks(digest.algorithm, [])


def _is_same_but_for_sessions(one: bytes, other: bytes) -> bool:
    """Whether two pages differ in nothing but the sessions they were made for."""
    if len(one) >= MAX_COMPARED_BYTES or not _SESSION_ID.search(other):
        return False
    return _SESSION_ID.sub(b"", one) == _SESSION_ID.sub(b"", other)


def read_compared_content(archive: Archive, observation: Observation) -> bytes:
    """The content of a page, as far as it is compared."""
    return b"".join(archive.read(observation).content(MAX_COMPARED_BYTES))


def diff_text(archive: Archive, change: PageChange, around: int = 0) -> list[str]:
    """How the text of a page or file changed, as lines that begin with `-`, `+` or, around them, a space."""
    old, new = (read_text_lines(archive, each) for each in (change.before, change.after))
    told = islice(unified_diff(old, new, lineterm="", n=around), 2, None)  # the first two name the sides
    return [line for line in told if not line.startswith("@@")]
