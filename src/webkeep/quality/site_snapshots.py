"""What captures looked for: so that a page that appeared is told from one that nobody had asked for before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webkeep.model import Capture, Fate, Moment, Observation
from webkeep.quality.site_state import PageState, State, state_at, state_in
from webkeep.store.archive import Archive
from webkeep.store.lineage import lineage
from webkeep.url import LASTING_IDENTITY

_CRAWL = "capture"
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class SiteSnapshot:
    """A state of a site, and the captures that saw it."""

    state: State
    captures: Sequence[Capture]


def snapshot_of(archive: Archive, capture: Capture) -> SiteSnapshot:
    """What the line of captures that leads to one knew last of each page."""
    line = lineage(archive, capture.id)
    return SiteSnapshot(state_in(archive, *(each.id for each in line)), line)


def snapshot_at(archive: Archive, moment: Moment) -> SiteSnapshot:
    """What all captures of an archive knew at a moment."""
    return SiteSnapshot(state_at(archive, moment), [each for each in archive.captures() if each.started <= moment])


@dataclass(slots=True)
class Newcomers:
    """Tells of pages that are there now whether they were not there before, or only nobody had looked."""

    archive: Archive
    before: SiteSnapshot
    after: State
    _known: dict[str, bool] = field(default_factory=dict)

    def is_added(self, page: PageState) -> bool:
        """Whether the earlier captures would have found a page, had it been there.

        They would where they asked for it, or where they read what leads to it now; what leads there and is itself
        an addition makes it one.
        """
        trail: list[str] = []
        seen: PageState | None = page
        answer = False
        while seen is not None and len(trail) < _MOST_STEPS:
            identity = LASTING_IDENTITY(seen.observation.url)
            told = self._told(identity, seen)
            if told is not None or identity in trail:
                answer = bool(told)
                break
            trail.append(identity)
            seen = self._seen(_via(self.archive, seen.observation))
        for identity in trail:
            self._known[identity] = answer
        return answer

    def _told(self, identity: str, seen: PageState) -> bool | None:
        """What is known without asking what led to it; of that which leads to a page, whether it was read."""
        if identity in self._known:
            return self._known[identity]
        old = self.before.state.get(identity)
        if old is not None:
            return old.is_told
        if not any(each.kind == _CRAWL and each.finished is not None for each in self.before.captures):
            return False
        return None if self._fate(seen.observation.url) is None else False

    def _seen(self, url: str) -> PageState | None:
        identity = LASTING_IDENTITY(url)
        return self.after.get(identity) or self.before.state.get(identity)

    def _fate(self, url: str) -> Fate | None:
        found = (self.archive.catalog.ledger.fate(each.id, url) for each in self.before.captures)
        return next((fate for fate in found if fate is not None), None)


def _via(archive: Archive, observation: Observation) -> str:
    """What led to a page: now, or when it was first seen."""
    if observation.via:
        return observation.via
    history = archive.history(observation.url, resolve=False)
    return next((each.via for each in history if each.url == observation.url and each.via), "")
