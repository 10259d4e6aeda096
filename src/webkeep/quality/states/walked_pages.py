"""Pages whose client-side states were walked, as far as a report is about them: when one counts as deferred, its depth,
breadth and descendants, and which walk of it is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from webkeep.browser import resource_url
from webkeep.formats.states import NO_PICTURE, StateNote
from webkeep.quality.states.state_machines import view_caption
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note


@dataclass(frozen=True, slots=True)
class WalkedView:
    """One view of a page."""

    id: str
    parent: str
    level: int
    state: int
    caption: str
    resources: frozenset[str]
    size: int
    """Bytes of its note."""
    no_picture: str = ""
    """Why there is no picture of it, though pictures were wanted."""


@dataclass(frozen=True)
class WalkedPage:
    """A page with all its views, the root first."""

    url: str
    capture: str
    views: tuple[WalkedView, ...]
    events: frozenset[str]
    """The types of events that something on it listens for."""
    brought: Counter[str]
    """How many resources each type of event was the first to need."""
    seconds: dict[int, float]
    """What each level took."""
    fresh: frozenset[str]
    """Resources that nothing but the browser led to."""
    ended: str
    withheld_count: int
    found: frozenset[str] = frozenset()
    """The URLs of these, as they were asked for."""
    found_on_load: frozenset[str] = frozenset()
    """Those among them that it asked for as it loaded."""

    @property
    def without_picture(self) -> list[WalkedView]:
        """The views of which a picture was wanted and none was made."""
        return [view for view in self.views if view.no_picture]

    @cached_property
    def resources_by_level(self) -> dict[int, frozenset[str]]:
        """The resources of the views at each level."""
        levels: dict[int, set[str]] = {}
        for view in self.views:
            levels.setdefault(view.level, set()).update(view.resources)
        return {level: frozenset(held) for level, held in sorted(levels.items())}

    @cached_property
    def added_by_level(self) -> dict[int, frozenset[str]]:
        """What each level needs and no level before it."""
        known: frozenset[str] = frozenset()
        added = {}
        for level, held in self.resources_by_level.items():
            added[level] = held - known
            known |= held
        return added

    @property
    def resources(self) -> frozenset[str]:
        """All that it needs."""
        return frozenset().union(*self.resources_by_level.values()) if self.resources_by_level else frozenset()

    def is_deferred(self, fresh: AbstractSet[str]) -> bool:
        """Whether it loads more once it is run, or acted upon; `fresh` is what only a browser led to on any page."""
        return (
            bool(self.found)
            or not fresh.isdisjoint(self.resources)
            or any(added for level, added in self.added_by_level.items() if level)
        )

    @property
    def descendants(self) -> int:
        """How many states it has beside the first."""
        return max(len({view.state for view in self.views}) - 1, 0)

    @cached_property
    def depth(self) -> int:
        """The longest way on which every step needs something new."""
        known = {view.id: view for view in self.views}
        deepest: dict[str, int] = {}
        for view in sorted(self.views, key=lambda view: view.level):
            parent = known.get(view.parent)
            if parent is None:
                deepest[view.id] = 0
            elif parent.id in deepest and view.resources - parent.resources:
                deepest[view.id] = deepest[parent.id] + 1
        return max(deepest.values(), default=0)

    @property
    def breadth(self) -> int:
        """How many states its widest level has, below the root."""
        first: dict[int, int] = {}
        for view in self.views:
            first[view.state] = min(view.level, first.get(view.state, view.level))
        return max(Counter(level for level in first.values() if level).values(), default=0)


def newest_walks(pages: Iterable[WalkedPage], order: Mapping[str, int]) -> list[WalkedPage]:
    """Each page once, as it was walked last; what only an earlier run led to stays known of it."""
    newest: dict[str, WalkedPage] = {}
    for page in sorted(pages, key=lambda each: order.get(each.capture, 0)):
        known = newest.get(page.url)
        newest[page.url] = page if known is None else _add_earlier(page, known)
    return list(newest.values())


def _add_earlier(page: WalkedPage, earlier: WalkedPage) -> WalkedPage:
    return replace(
        page,
        fresh=page.fresh | earlier.fresh,
        found=page.found | earlier.found,
        found_on_load=page.found_on_load | earlier.found_on_load,
    )


def read_walked_pages(archive: Archive, capture: str = "") -> Iterator[WalkedPage]:
    """The pages that were walked, in one capture or in all."""
    read = ((read_state_note(archive, entry.place), entry.place.length) for entry in find_state_entries(archive))
    for _, group in groupby(read, key=lambda each: each[0].page):
        walks: dict[str, dict[str, tuple[StateNote, int]]] = {}
        for note, size in group:
            if not capture or note.capture == capture:
                walks.setdefault(note.capture, {})[note.id] = (note, size)
        for walk in walks.values():
            yield _build_page(sorted(walk.values(), key=lambda each: (each[0].level, each[0].id)))


def _build_page(walk: list[tuple[StateNote, int]]) -> WalkedPage:
    root = walk[0][0]
    brought: Counter[str] = Counter()
    for note, _ in walk:
        for move in note.transitions:
            brought[move.action.event] += len(move.new_requests)
    happened = root.comment.get("happenings", [])
    return WalkedPage(
        root.page,
        root.capture,
        tuple(_build_view(note, size) for note, size in walk),
        frozenset(root.comment.get("events", ())),
        brought,
        {int(each["depth"]): float(each["seconds"]) for each in root.comment.get("levels", ())},
        frozenset(resource_url(url) for url in root.comment.get("fresh", ())),
        str(root.comment.get("ended", "")),
        sum(len(each.get("wishes", ())) for each in happened),
        frozenset(root.comment.get("fresh", ())),
        frozenset(root.comment.get("fresh_on_load", _resources_on_load(root))),
    )


def _resources_on_load(root: StateNote) -> frozenset[str]:
    """What a page asked for as it loaded, of notes that do not say so."""
    return frozenset(url for url in root.comment.get("fresh", ()) if resource_url(url) in root.resources)


def _build_view(note: StateNote, size: int) -> WalkedView:
    caption = view_caption(note) if note.script else "as it loads"
    return WalkedView(note.id, note.parent, note.level, note.state, caption, frozenset(note.resources), size,
                      str(note.comment.get(NO_PICTURE, "")))  # fmt: skip
