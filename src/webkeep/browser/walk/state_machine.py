"""The machine M = (S, s0, Σ, δ) of a page's client-side states, and what Brunelle's paper measures on it: which views
are one state, and the resources that each needs or adds.

A *view* is a DOM, a *state* is a class of views that need the same resources (section 4 of the paper). R is the set of
resources of one view, RP the sum of the R along a path, R_new what a view adds to the view before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.browser.resource_identity import resource_url, resources_from
from webkeep.browser.walk_model import Interaction, InteractionScript, PageView, StateWalk, ViewTransition


@dataclass(frozen=True, slots=True)
class PageState:
    """Views with equal resources."""

    id: int
    """In the order of finding; s0 is 0."""
    views: tuple[int, ...]
    """In the order of finding; the first stands for all."""
    resources: frozenset[str]
    depth: int
    """How many interactions its nearest view is away from s0."""


@dataclass(frozen=True, slots=True)
class StateMachine:
    """The states, the alphabet of interactions, and where they lead."""

    states: tuple[PageState, ...]
    alphabet: tuple[Interaction, ...]
    """In the order of their first use."""
    delta: tuple[tuple[int, int, int], ...]
    """From state, by interaction (its place in the alphabet), to state: each once, in the order of finding."""

    @property
    def initial(self) -> int:
        """s0."""
        return 0


def view_resources(view: PageView) -> frozenset[str]:
    """R of a view."""
    return resources_from(view.requested, view.referred)


def find_states(walk: StateWalk) -> tuple[PageState, ...]:
    """The classes of views with equal resources."""
    classes: dict[frozenset[str], list[PageView]] = {}
    for view in walk.views:
        classes.setdefault(view_resources(view), []).append(view)
    return tuple(
        PageState(number, tuple(view.id for view in views), held, min(view.depth for view in views))
        for number, (held, views) in enumerate(classes.items())
    )


def build_machine(walk: StateWalk) -> StateMachine:
    """The machine of a walk."""
    found = find_states(walk)
    state_of = {view: state.id for state in found for view in state.views}
    alphabet: dict[Interaction, int] = {}
    delta: dict[tuple[int, int, int], None] = {}
    for each in walk.transitions:
        letter = alphabet.setdefault(each.interaction, len(alphabet))
        delta[state_of[each.source], letter, state_of[each.target]] = None
    return StateMachine(found, tuple(alphabet), tuple(delta))


def path_to(walk: StateWalk, view: PageView) -> tuple[PageView, ...]:
    """The views from s0 to a view, both included."""
    path = [view]
    while path[-1].parent is not None:
        path.append(walk.views[path[-1].parent])
    return tuple(reversed(path))


def resources_on_path(walk: StateWalk, view: PageView) -> frozenset[str]:
    """RP: all that is needed on the way from s0 to a view (equation 2)."""
    return frozenset().union(*(view_resources(each) for each in path_to(walk, view)))


def new_resources(walk: StateWalk, view: PageView) -> frozenset[str]:
    """R_new: what a view needs and the view before it does not (equation 3); all of s0's."""
    held = view_resources(view)
    return held if view.parent is None else held - view_resources(walk.views[view.parent])


def all_resources(walk: StateWalk) -> frozenset[str]:
    """RP of the whole page: what an archive must hold so that every view can be shown again."""
    asked = {resource_url(each.url) for transition in walk.transitions for each in transition.effects.requests}
    return frozenset(asked).union(*(view_resources(view) for view in walk.views))


def are_equal(one: InteractionScript, other: InteractionScript) -> bool:
    """Whether two scripts do the same things in the same order, so that one of them need not be run."""
    return one == other


def are_equivalent(one: PageView, other: PageView) -> bool:
    """Whether two views rely on the same resources."""
    return view_resources(one) == view_resources(other)


def are_isomorphic(walk: StateWalk, one: PageView, other: PageView) -> bool:
    """Whether the paths to two views go through equivalent views, step for step."""
    here, there = path_to(walk, one), path_to(walk, other)
    return len(here) == len(there) and all(are_equivalent(*pair) for pair in zip(here, there, strict=True))


def are_identical(walk: StateWalk, one: PageView, other: PageView) -> bool:
    """Whether the sums of resources along the paths to two views are the same at every step."""
    sums = (list(_cumulative_resources(path_to(walk, view))) for view in (one, other))
    first, second = sums
    return first == second


def _cumulative_resources(path: tuple[PageView, ...]) -> Iterator[frozenset[str]]:
    held: frozenset[str] = frozenset()
    for view in path:
        held |= view_resources(view)
        yield held


def do_commute(walk: StateWalk, one: Interaction, other: Interaction, view: int = 0) -> bool | None:
    """Whether two interactions lead to the same view in both orders; None where that was not walked."""
    delta = {(each.source, each.interaction): each.target for each in walk.transitions}

    def after(first: Interaction, second: Interaction) -> int | None:
        between = delta.get((view, first))
        return None if between is None else delta.get((between, second))

    ends = after(one, other), after(other, one)
    return None if None in ends else ends[0] == ends[1]


def count_descendants(walk: StateWalk) -> int:
    """How many states a page has beside s0."""
    return len(find_states(walk)) - 1


def machine_depth(walk: StateWalk) -> int:
    """The length of the longest path on which every step needs something new."""
    deepest = 0
    for view in walk.views:
        path = path_to(walk, view)
        if all(new_resources(walk, each) for each in path[1:]):
            deepest = max(deepest, len(path) - 1)
    return deepest


def machine_breadth(walk: StateWalk) -> int:
    """How many states the widest level has, below s0."""
    levels: dict[int, int] = {}
    for state in find_states(walk)[1:]:
        levels[state.depth] = levels.get(state.depth, 0) + 1
    return max(levels.values(), default=0)


def event_contributions(walk: StateWalk) -> dict[str, int]:
    """How many resources each event type was the first to bring (table 3)."""
    known = set(view_resources(walk.views[0])) if walk.views else set()
    brought: dict[str, int] = {}
    for each in walk.transitions:
        fresh = _transition_resources(walk, each) - known
        known |= fresh
        brought[each.interaction.event] = brought.get(each.interaction.event, 0) + len(fresh)
    return brought


def _transition_resources(walk: StateWalk, transition: ViewTransition) -> frozenset[str]:
    asked = frozenset(resource_url(each.url) for each in transition.effects.requests)
    return asked | view_resources(walk.views[transition.target])
