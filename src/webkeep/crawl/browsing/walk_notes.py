"""From a walk to the notes that an archive keeps of it: which facts of views, transitions, dialogs, popups and
downloads are written, and how many values and characters at most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from webkeep.browser import Interaction, InteractionScript, PageView, SideEffects, StateWalk, resource_url
from webkeep.browser.walk import find_states, view_resources
from webkeep.formats.states import (
    PING_MARK,
    ROOT_STATE,
    StateAction,
    StateNote,
    StateTransition,
    TextDelta,
    compute_state_id,
    delta_to_parent,
)
from webkeep.model import Moment

_MAX_LISTED_VALUES = 1000
"""Values of one kind that a note lists, so that a note of a page that makes them without end is bounded."""
_MAX_LABEL_CHARS = 120
"""Longer labels and titles are cut: they are for people to tell things apart."""


def state_action_of(interaction: Interaction) -> StateAction:
    """An interaction as it is kept."""
    point = "" if interaction.point is None else f"{interaction.point[0]} {interaction.point[1]}"
    label = " ".join(interaction.label.split())[:_MAX_LABEL_CHARS]
    return StateAction(interaction.event, interaction.target, interaction.kind.value, interaction.value, point, label)


def fresh_on_load(walk: StateWalk, fresh: Collection[str]) -> frozenset[str]:
    """Those among the URLs that nothing but the browser led to that a page asked for as it loaded.

    The others it asked for only when something was done to it. What is counted at the end of a capture and what is
    reported later are both counted by this.
    """
    return frozenset(each.url.partition("#")[0] for each in walk.loading.requests) & frozenset(fresh)


def state_notes_of(walk: StateWalk, capture: str, moment: Moment, fresh: Collection[str] = ()) -> Iterator[StateNote]:
    """The notes of a walk; that of the root comes last, so that where it is kept all are.

    `fresh` are the URLs that nothing but the browser led to.
    """
    if not walk.views:
        return
    reading = _WalkReading(walk, capture, moment, fresh)
    for view in reversed(walk.views):
        yield reading.note_of(view)


def failure_note(page: str, reason: str, capture: str, moment: Moment) -> StateNote:
    """The note of a page that could not be loaded."""
    return StateNote(page, ROOT_STATE, page, moment, comment={"ended": "unloaded", "failure": reason}, capture=capture)


@dataclass(slots=True)
class _WalkReading:
    """A walk, with what its views and transitions have in common read once."""

    walk: StateWalk
    capture: str
    moment: Moment
    fresh: Collection[str]
    ids: dict[int, str] = field(init=False)
    state_of: dict[int, int] = field(init=False)
    resources: dict[int, frozenset[str]] = field(init=False)
    summed: dict[int, frozenset[str]] = field(init=False)
    moves: dict[int, list[StateTransition]] = field(init=False)

    def __post_init__(self) -> None:
        views = self.walk.views
        self.ids = {view.id: compute_state_id(map(state_action_of, view.script)) for view in views}
        self.state_of = {view: state.id for state in find_states(self.walk) for view in state.views}
        self.resources = {view.id: view_resources(view) for view in views}
        self.summed = {}
        for view in views:
            before = frozenset() if view.parent is None else self.summed[view.parent]
            self.summed[view.id] = before | self.resources[view.id]
        self.moves = self._transitions_by_view()

    def _transitions_by_view(self) -> dict[int, list[StateTransition]]:
        """Where interactions lead, each with what it was the first to need."""
        known = set(self.resources[0])
        moves: dict[int, list[StateTransition]] = {}
        for each in self.walk.transitions:
            needed = {resource_url(request.url) for request in each.effects.requests} | self.resources[each.target]
            fresh = needed - known
            known |= fresh
            move = StateTransition(state_action_of(each.interaction), self.ids[each.target], tuple(sorted(fresh)))
            moves.setdefault(each.source, []).append(move)
        return moves

    def note_of(self, view: PageView) -> StateNote:
        """The note of one view."""
        comment = self._walk_comment() if view.parent is None else {}
        if view.overlays:
            comment["overlays"] = [[each.label, each.text, list(each.box)] for each in view.overlays]
        links = _new_links(view, self.walk.views)
        if links:
            comment["links"] = links
        return StateNote(
            self.walk.url,
            self.ids[view.id],
            view.url,
            self.moment,
            tuple(map(state_action_of, view.script)),
            "" if view.parent is None else self.ids[view.parent],
            view.depth,
            self.state_of[view.id],
            self._document_of(view),
            tuple(sorted(self.summed[view.id])),
            tuple(sorted(self.resources[view.id])),
            tuple(self.moves.get(view.id, ())),
            view.title[:_MAX_LABEL_CHARS],
            comment,
            self.capture,
        )

    def _document_of(self, view: PageView) -> str | TextDelta:
        return view.dom if view.parent is None else delta_to_parent(self.walk.views[view.parent].dom, view.dom)

    def _walk_comment(self) -> dict[str, Any]:
        """What is to be known of the walk as a whole."""
        walk = self.walk
        return {
            "ended": walk.ended.value,
            "levels": [asdict(level) for level in walk.levels],
            "loads": walk.loads,
            "fresh": sorted(self.fresh),
            "fresh_on_load": sorted(fresh_on_load(self.walk, self.fresh)),
            "tried": walk.tried,
            "left": walk.left,
            "unseen": round(walk.unseen, 3),
            "ambient": sorted(each.url for each in walk.ambient)[:_MAX_LISTED_VALUES],
            "volatile": sorted(walk.volatile)[:_MAX_LISTED_VALUES],
            "events": _event_types(walk.views),
            "happenings": list(self._all_happenings())[:_MAX_LISTED_VALUES],
        }

    def _all_happenings(self) -> Iterator[dict[str, Any]]:
        yield from _happening_facts("", (), self.walk.loading)
        for each in self.walk.transitions:
            yield from _happening_facts(self.ids[each.source], (each.interaction,), each.effects)


def _happening_facts(source: str, script: InteractionScript, happened: SideEffects) -> Iterator[dict[str, Any]]:
    """What happened beside requests, if anything did."""
    counted = {(each.method, each.url) for each in happened.requests if each.role == PING_MARK}
    wishes = [(withheld.method, withheld.url) for withheld in happened.withheld]
    facts: dict[str, Any] = {
        "wishes": [[*wish, *([PING_MARK] if wish in counted else [])] for wish in wishes],
        "dialogs": [[dialog.kind, dialog.message[:_MAX_LABEL_CHARS]] for dialog in happened.dialogs],
        "popups": list(happened.popups),
        "downloads": [[download.url, download.name] for download in happened.downloads],
        "departures": list(happened.departures),
        "errors": list(happened.errors),
        "failures": [[each.url, each.status, each.reason] for each in happened.failures],
    }
    kept = {name: values for name, values in facts.items() if values}
    if kept:
        deed = {"event": script[0].event, "target": script[0].target} if script else {}
        yield {"in": source, **deed, **kept}


def _event_types(views: Iterable[PageView]) -> list[str]:
    """The types of events that something on the page listens for."""
    return sorted({each.event for view in views for each in view.interactions})


def _new_links(view: PageView, views: tuple[PageView, ...]) -> list[str]:
    """The links of a view that the one before it had not."""
    if view.parent is None:
        return []
    before = set(views[view.parent].links)
    return [link for link in dict.fromkeys(view.links) if link not in before][:_MAX_LISTED_VALUES]
