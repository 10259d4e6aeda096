"""A view as it is kept, and what can be done from it."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.browser.filling import fillings
from webkeep.browser.gestures import gestures
from webkeep.browser.interactions import Candidate, candidates
from webkeep.browser.listeners import EventListener
from webkeep.browser.markup import html_of, links_of, references_of, text_of
from webkeep.browser.targets import Targets, name_elements
from webkeep.browser.tree import Tree
from webkeep.browser.values import Limits, Script


@dataclass(frozen=True, slots=True)
class Portrait:
    """All of a view that outlives its load."""

    url: str
    title: str
    dom: str
    text: str
    links: tuple[str, ...]
    referred: frozenset[str]
    available: tuple[Candidate, ...]
    fresh: tuple[Candidate, ...]
    """What could not be done in the view before."""
    screenshot: bytes = b""
    withheld: frozenset[str] = frozenset()
    """Fields for passwords that a person gave something for."""


def portrait(
    tree: Tree,
    listeners: tuple[EventListener, ...],
    limits: Limits,
    before: tuple[Targets, Script] | None = None,
    screenshot: bytes = b"",
) -> Portrait:
    """Draw one; `before` tells what could be done in the view before, in this load."""
    targets = name_elements(tree)
    typed = fillings(tree, targets, limits.fillings)
    heard = candidates(tree, targets, listeners, limits.events)
    available = [*heard, *typed.candidates, *gestures(tree, targets, listeners)]
    known = set()
    if before is not None:
        names, script = before
        known = {(names.by_name.get(each.target), each.event, each.value, each.point) for each in script}
    fresh = [
        each
        for each in available
        if (each.node, each.interaction.event, each.interaction.value, each.interaction.point) not in known
    ]
    frame = tree.frames[0]
    return Portrait(
        frame.url, frame.title, html_of(tree), text_of(tree), links_of(tree), references_of(tree),
        tuple(available), tuple(fresh), screenshot, typed.withheld,
    )  # fmt: skip
