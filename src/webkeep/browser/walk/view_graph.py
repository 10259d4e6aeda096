"""What a walk has found so far: views, transitions, requests, and what is still to be tried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from webkeep.browser.ports import WalkObserver
from webkeep.browser.resource_identity import resource_url
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.self_activity import SelfActivity
from webkeep.browser.walk.view_snapshot import ViewSnapshot
from webkeep.browser.walk_model import InteractionScript, PageRequest, PageView, SideEffects, ViewTransition


@dataclass(slots=True, eq=False)
class ViewNode:
    """A view, and what is to be tried in it."""

    view: PageView
    trials: list[InteractionCandidate]
    results: list[TrialResult] = field(default_factory=list)
    """What its trials came to, before they are confirmed."""
    doubt: set[str] = field(default_factory=set)
    """Elements that several of its interactions write to."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialResult:
    """What a trial in a view came to."""

    node: ViewNode
    candidate: InteractionCandidate
    signature: str
    asked: frozenset[str]
    """The resources it asked for, without those that the page asks for anyway."""
    effects: SideEffects
    is_exact: bool
    chain: tuple[int, int]
    """Which load it was a part of."""
    written: frozenset[str] = frozenset()
    """The elements of the view that it wrote to."""
    dirt: frozenset[str] = frozenset()
    """The elements of the view that others had written to before."""

    def agrees_with(self, other: TrialResult) -> bool:
        """Whether two runs came to the same."""
        return self.signature == other.signature and self.asked == other.asked


class ViewGraph:
    """Keeps what is found; a view is entered once, by its signature."""

    def __init__(self, observer: WalkObserver | None) -> None:
        self._observer = observer
        self.self_activity = SelfActivity()
        self.views: list[PageView] = []
        self.transitions: list[ViewTransition] = []
        self.snapshots: dict[str, ViewSnapshot] = {}
        """By signature, those of views not entered yet included."""
        self.known_resources: set[str] = set()
        """All resources asked for."""
        self._by_signature: dict[str, ViewNode] = {}

    @property
    def withheld(self) -> frozenset[str]:
        """Fields for passwords that a person gave something for, in any view."""
        return frozenset().union(*(each.withheld for each in self.snapshots.values()))

    def caused_requests(self, effects: SideEffects) -> tuple[PageRequest, ...]:
        """The requests that were caused, not made anyway."""
        return tuple(each for each in effects.requests if not self.self_activity.is_own(each))

    def note_requests(self, effects: SideEffects) -> int:
        """Remember all that was asked for; gives how much of it is new."""
        asked = {resource_url(each.url) for each in effects.requests}
        fresh = len(asked - self.known_resources)
        self.known_resources |= asked
        return fresh

    def note_activity(self, activity: SelfActivity) -> None:
        """Remember what the page does by itself, which nothing that is tried has caused."""
        self.self_activity = activity
        self.known_resources |= {resource_url(each.url) for each in activity.ambient}

    def enter_initial(self, signature: str, drawn: ViewSnapshot, asked: frozenset[PageRequest]) -> ViewNode:
        """Enter s0."""
        self.snapshots[signature] = drawn
        return self._add_view(signature, drawn, (), None, asked, list(drawn.available))

    def has_view(self, signature: str) -> bool:
        """Whether a view has been entered."""
        return signature in self._by_signature

    def has_screenshot(self, signature: str) -> bool:
        """Whether there is a picture of a view."""
        return signature in self.snapshots and bool(self.snapshots[signature].screenshot)

    def add_screenshot(self, signature: str, picture: bytes) -> None:
        """Take in the picture of a view that was seen before without one."""
        if not picture:
            return
        self.snapshots[signature] = replace(self.snapshots[signature], screenshot=picture)
        place = self._by_signature.get(signature)
        if place is not None:
            place.view = self.views[place.view.id] = replace(place.view, screenshot=picture)

    def confirm_result(self, finding: TrialResult) -> tuple[ViewNode, bool]:
        """Enter a transition, and its view if that is new; gives the view's place and whether it is."""
        source = finding.node.view
        place = self._by_signature.get(finding.signature)
        is_new = place is None
        if place is None:
            drawn = self.snapshots[finding.signature]
            asked = source.requested | frozenset(self.caused_requests(finding.effects))
            script = (*source.script, finding.candidate.interaction)
            place = self._add_view(finding.signature, drawn, script, source.id, asked, list(drawn.fresh))
        transition = ViewTransition(
            source.id, finding.candidate.interaction, place.view.id, finding.effects, not finding.is_exact
        )
        self.add_transition(transition)
        return place, is_new

    def add_transition(self, transition: ViewTransition) -> None:
        """Enter a transition between views that are known."""
        self.transitions.append(transition)
        if self._observer is not None:
            self._observer.on_transition(transition)

    def _add_view(
        self, signature: str, drawn: ViewSnapshot, script: InteractionScript, parent: int | None,
        asked: frozenset[PageRequest],
        trials: list[InteractionCandidate],
    ) -> ViewNode:  # fmt: skip
        view = PageView(
            len(self.views), signature, script, parent, drawn.url, drawn.title, drawn.dom, drawn.text, asked,
            drawn.referred, drawn.links, tuple(each.interaction for each in drawn.available), drawn.screenshot,
            drawn.overlays, drawn.uncovered,
        )  # fmt: skip
        self.views.append(view)
        place = self._by_signature[signature] = ViewNode(view, trials)
        if self._observer is not None:
            self._observer.on_view(view)
        return place
