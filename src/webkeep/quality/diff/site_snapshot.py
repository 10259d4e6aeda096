"""What captures looked for: a page that appeared is told from one that nobody had asked for before, by following what
led to it back to a page that was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webkeep.model import Capture, CaptureKind, Fate, Moment, Observation
from webkeep.quality.diff.site_state import LastSeenPage, SiteState, state_at, state_in_captures
from webkeep.store.archive import Archive, capture_lineage
from webkeep.url.canonical import LASTING_IDENTITY

_MAX_TRAIL_STEPS = 1000
"""Links followed back from a page to one that was read before; circles end, and so do traps."""


@dataclass(frozen=True, slots=True)
class SiteSnapshot:
    """A state of a site, and the captures that saw it."""

    state: SiteState
    captures: Sequence[Capture]


def snapshot_of_capture(archive: Archive, capture: Capture) -> SiteSnapshot:
    """What the line of captures that leads to one knew last of each page."""
    line = capture_lineage(archive, capture.id)
    return SiteSnapshot(state_in_captures(archive, *(each.id for each in line)), line)


def snapshot_at(archive: Archive, moment: Moment) -> SiteSnapshot:
    """What all captures of an archive knew at a moment."""
    return SiteSnapshot(state_at(archive, moment), [each for each in archive.captures() if each.started <= moment])


@dataclass(slots=True)
class NewPageCheck:
    """Tells of pages that are there now whether they were not there before, or only nobody had looked."""

    archive: Archive
    before: SiteSnapshot
    after: SiteState
    _known: dict[str, bool] = field(default_factory=dict)

    def is_added(self, page: LastSeenPage) -> bool:
        """Whether the earlier captures would have found a page, had it been there.

        They would where they asked for it, or where they read what leads to it now; what leads there and is itself
        an addition makes it one.
        """
        trail: list[str] = []
        seen: LastSeenPage | None = page
        answer = False
        while seen is not None and len(trail) < _MAX_TRAIL_STEPS:
            identity = LASTING_IDENTITY(seen.observation.url)
            told = self._known_answer(identity, seen)
            if told is not None or identity in trail:
                answer = bool(told)
                break
            trail.append(identity)
            seen = self._find_page(_referrer_of(self.archive, seen.observation))
        for identity in trail:
            self._known[identity] = answer
        return answer

    def _known_answer(self, identity: str, seen: LastSeenPage) -> bool | None:
        """What is known without asking what led to it; of that which leads to a page, whether it was read."""
        if identity in self._known:
            return self._known[identity]
        old = self.before.state.get(identity)
        if old is not None:
            return old.is_answered
        if not any(each.kind == CaptureKind.CAPTURE and each.finished is not None for each in self.before.captures):
            return False
        return None if self._find_fate(seen.observation.url) is None else False

    def _find_page(self, url: str) -> LastSeenPage | None:
        identity = LASTING_IDENTITY(url)
        return self.after.get(identity) or self.before.state.get(identity)

    def _find_fate(self, url: str) -> Fate | None:
        found = (self.archive.catalog.log.fate(each.id, url) for each in self.before.captures)
        return next((fate for fate in found if fate is not None), None)


def _referrer_of(archive: Archive, observation: Observation) -> str:
    """What led to a page: now, or when it was first seen."""
    if observation.via:
        return observation.via
    history = archive.history(observation.url, resolve=False)
    return next((each.via for each in history if each.url == observation.url and each.via), "")
