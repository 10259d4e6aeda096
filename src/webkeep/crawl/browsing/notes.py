"""From a walk to the notes that an archive keeps of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from webkeep.browser.machine import resources, states
from webkeep.browser.resources import resource_of
from webkeep.browser.values import Happenings, Interaction, Script, View, Walk
from webkeep.formats.state_note import PING, ROOT, Deed, Move, StateNote, difference, state_id
from webkeep.formats.text_delta import Delta
from webkeep.model import Moment

_MOST_TOLD = 1000
_LONGEST_LABEL = 120


def deed_of(interaction: Interaction) -> Deed:
    """An interaction as it is kept."""
    point = "" if interaction.point is None else f"{interaction.point[0]} {interaction.point[1]}"
    label = " ".join(interaction.label.split())[:_LONGEST_LABEL]
    return Deed(interaction.event, interaction.target, interaction.kind.value, interaction.value, point, label)


def fresh_on_load(walk: Walk, fresh: Collection[str]) -> frozenset[str]:
    """Those among the URLs that nothing but the browser led to that a page asked for as it loaded.

    The others it asked for only when something was done to it. What is counted at the end of a capture and what is
    reported later are both counted by this.
    """
    return frozenset(each.url.partition("#")[0] for each in walk.loading.requests) & frozenset(fresh)


def notes_of(walk: Walk, capture: str, moment: Moment, fresh: Collection[str] = ()) -> Iterator[StateNote]:
    """The notes of a walk; that of the root comes last, so that where it is kept all are.

    `fresh` are the URLs that nothing but the browser led to.
    """
    if not walk.views:
        return
    reading = _Reading(walk, capture, moment, fresh)
    for view in reversed(walk.views):
        yield reading.note(view)


def failed_note(page: str, reason: str, capture: str, moment: Moment) -> StateNote:
    """The note of a page that could not be loaded."""
    return StateNote(page, ROOT, page, moment, comment={"ended": "unloaded", "failure": reason}, capture=capture)


@dataclass(slots=True)
class _Reading:
    """A walk, with what its views and transitions have in common read once."""

    walk: Walk
    capture: str
    moment: Moment
    fresh: Collection[str]
    ids: dict[int, str] = field(init=False)
    state_of: dict[int, int] = field(init=False)
    resources: dict[int, frozenset[str]] = field(init=False)
    summed: dict[int, frozenset[str]] = field(init=False)
    moves: dict[int, list[Move]] = field(init=False)

    def __post_init__(self) -> None:
        views = self.walk.views
        self.ids = {view.id: state_id(map(deed_of, view.script)) for view in views}
        self.state_of = {view: state.id for state in states(self.walk) for view in state.views}
        self.resources = {view.id: resources(view) for view in views}
        self.summed = {}
        for view in views:
            before = frozenset() if view.parent is None else self.summed[view.parent]
            self.summed[view.id] = before | self.resources[view.id]
        self.moves = self._moves()

    def _moves(self) -> dict[int, list[Move]]:
        """Where interactions lead, each with what it was the first to need."""
        known = set(self.resources[0])
        moves: dict[int, list[Move]] = {}
        for each in self.walk.transitions:
            needed = {resource_of(asking.url) for asking in each.happenings.requests} | self.resources[each.target]
            fresh = needed - known
            known |= fresh
            move = Move(deed_of(each.interaction), self.ids[each.target], tuple(sorted(fresh)))
            moves.setdefault(each.source, []).append(move)
        return moves

    def note(self, view: View) -> StateNote:
        """The note of one view."""
        comment = self._of_walk() if view.parent is None else {}
        links = _new_links(view, self.walk.views)
        if links:
            comment["links"] = links
        return StateNote(
            self.walk.url,
            self.ids[view.id],
            view.url,
            self.moment,
            tuple(map(deed_of, view.script)),
            "" if view.parent is None else self.ids[view.parent],
            view.depth,
            self.state_of[view.id],
            self._rendered(view),
            tuple(sorted(self.summed[view.id])),
            tuple(sorted(self.resources[view.id])),
            tuple(self.moves.get(view.id, ())),
            view.title[:_LONGEST_LABEL],
            comment,
            self.capture,
        )

    def _rendered(self, view: View) -> str | Delta:
        return view.dom if view.parent is None else difference(self.walk.views[view.parent].dom, view.dom)

    def _of_walk(self) -> dict[str, Any]:
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
            "ambient": sorted(each.url for each in walk.ambient)[:_MOST_TOLD],
            "volatile": sorted(walk.volatile)[:_MOST_TOLD],
            "events": _events(walk.views),
            "happenings": list(self._happened())[:_MOST_TOLD],
        }

    def _happened(self) -> Iterator[dict[str, Any]]:
        yield from _told("", (), self.walk.loading)
        for each in self.walk.transitions:
            yield from _told(self.ids[each.source], (each.interaction,), each.happenings)


def _told(source: str, script: Script, happened: Happenings) -> Iterator[dict[str, Any]]:
    """What happened beside requests, if anything did."""
    counted = {(each.method, each.url) for each in happened.requests if each.role == PING}
    wishes = [(wish.method, wish.url) for wish in happened.wishes]
    facts: dict[str, Any] = {
        "wishes": [[*wish, *([PING] if wish in counted else [])] for wish in wishes],
        "dialogs": [[dialog.kind, dialog.message[:_LONGEST_LABEL]] for dialog in happened.dialogs],
        "popups": list(happened.popups),
        "downloads": [[download.url, download.name] for download in happened.downloads],
        "departures": list(happened.departures),
    }
    kept = {name: values for name, values in facts.items() if values}
    if kept:
        deed = {"event": script[0].event, "target": script[0].target} if script else {}
        yield {"in": source, **deed, **kept}


def _events(views: Iterable[View]) -> list[str]:
    """The types of events that something on the page listens for."""
    return sorted({each.event for view in views for each in view.interactions})


def _new_links(view: View, views: tuple[View, ...]) -> list[str]:
    """The links of a view that the one before it had not."""
    if view.parent is None:
        return []
    before = set(views[view.parent].links)
    return [link for link in dict.fromkeys(view.links) if link not in before][:_MOST_TOLD]
