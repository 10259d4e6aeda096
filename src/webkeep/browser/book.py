"""What a walk has found so far: views, transitions, requests, and what is still to be tried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from webkeep.browser.calm import Unrest
from webkeep.browser.interactions import Candidate
from webkeep.browser.portrait import Portrait
from webkeep.browser.ports import Watcher
from webkeep.browser.resources import resource_of
from webkeep.browser.values import Asking, Happenings, Script, Transition, View


@dataclass(slots=True, eq=False)
class Place:
    """A view, and what is to be tried in it."""

    view: View
    trials: list[Candidate]
    findings: list[Finding] = field(default_factory=list)
    """What its trials came to, before they are confirmed."""
    doubt: set[str] = field(default_factory=set)
    """Elements that several of its interactions write to."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What a trial in a view came to."""

    place: Place
    candidate: Candidate
    signature: str
    asked: frozenset[str]
    """The resources it asked for, without those that the page asks for anyway."""
    happenings: Happenings
    is_exact: bool
    chain: tuple[int, int]
    """Which load it was a part of."""
    written: frozenset[str] = frozenset()
    """The elements of the view that it wrote to."""
    dirt: frozenset[str] = frozenset()
    """The elements of the view that others had written to before."""

    def agrees(self, other: Finding) -> bool:
        """Whether two runs came to the same."""
        return self.signature == other.signature and self.asked == other.asked


class Book:
    """Keeps what is found; a view is entered once, by its signature."""

    def __init__(self, watcher: Watcher | None) -> None:
        self._watcher = watcher
        self.unrest = Unrest()
        self.views: list[View] = []
        self.transitions: list[Transition] = []
        self.portraits: dict[str, Portrait] = {}
        """By signature, those of views not entered yet included."""
        self.known: set[str] = set()
        """All resources asked for."""
        self._by_signature: dict[str, Place] = {}

    @property
    def withheld(self) -> frozenset[str]:
        """Fields for passwords that a person gave something for, in any view."""
        return frozenset().union(*(each.withheld for each in self.portraits.values()))

    def own(self, happenings: Happenings) -> tuple[Asking, ...]:
        """The requests that were caused, not made anyway."""
        return tuple(each for each in happenings.requests if not self.unrest.is_own(each))

    def note(self, happenings: Happenings) -> int:
        """Remember all that was asked for; gives how much of it is new."""
        asked = {resource_of(each.url) for each in happenings.requests}
        fresh = len(asked - self.known)
        self.known |= asked
        return fresh

    def begin(self, signature: str, drawn: Portrait, asked: frozenset[Asking]) -> Place:
        """Enter s0."""
        self.portraits[signature] = drawn
        return self._enter(signature, drawn, (), None, asked, list(drawn.available))

    def holds(self, signature: str) -> bool:
        """Whether a view has been entered."""
        return signature in self._by_signature

    def is_depicted(self, signature: str) -> bool:
        """Whether there is a picture of a view."""
        return signature in self.portraits and bool(self.portraits[signature].screenshot)

    def depict(self, signature: str, picture: bytes) -> None:
        """Take in the picture of a view that was seen before without one."""
        if not picture:
            return
        self.portraits[signature] = replace(self.portraits[signature], screenshot=picture)
        place = self._by_signature.get(signature)
        if place is not None:
            place.view = self.views[place.view.id] = replace(place.view, screenshot=picture)

    def confirm(self, finding: Finding) -> tuple[Place, bool]:
        """Enter a transition, and its view if that is new; gives the view's place and whether it is."""
        source = finding.place.view
        place = self._by_signature.get(finding.signature)
        is_new = place is None
        if place is None:
            drawn = self.portraits[finding.signature]
            asked = source.requested | frozenset(self.own(finding.happenings))
            script = (*source.script, finding.candidate.interaction)
            place = self._enter(finding.signature, drawn, script, source.id, asked, list(drawn.fresh))
        transition = Transition(
            source.id, finding.candidate.interaction, place.view.id, finding.happenings, not finding.is_exact
        )
        self.enter(transition)
        return place, is_new

    def enter(self, transition: Transition) -> None:
        """Enter a transition between views that are known."""
        self.transitions.append(transition)
        if self._watcher is not None:
            self._watcher.transition(transition)

    def _enter(
        self, signature: str, drawn: Portrait, script: Script, parent: int | None, asked: frozenset[Asking],
        trials: list[Candidate],
    ) -> Place:  # fmt: skip
        view = View(
            len(self.views), signature, script, parent, drawn.url, drawn.title, drawn.dom, drawn.text, asked,
            drawn.referred, drawn.links, tuple(each.interaction for each in drawn.available), drawn.screenshot,
        )  # fmt: skip
        self.views.append(view)
        place = self._by_signature[signature] = Place(view, trials)
        if self._watcher is not None:
            self._watcher.view(view)
        return place
