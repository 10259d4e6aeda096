"""What can be done to a page: which events on which elements, those on whose event path something listens and those
that do something by themselves; text fields are not filled.

An element with a listener of its own is a candidate. A listener on something that holds others (a list, the document)
is taken to be meant for what it holds: for what looks like a control first, and for a few of each other kind of
element, whose likes are tried only if that had an effect.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from webkeep.browser.dom.dom_tree import CURSOR_STYLE, ELEMENT_NODE, TEXT_NODE, DomNode, DomTree
from webkeep.browser.dom.element_names import ElementNames
from webkeep.browser.dom.event_listeners import EventListener
from webkeep.browser.walk_model import Interaction, InteractionKind

USER_EVENTS = {
    "click": "click", "dblclick": "dblclick", "contextmenu": "contextmenu", "auxclick": "contextmenu",
    "mouseover": "mouseover", "mouseenter": "mouseover", "pointerover": "mouseover", "pointerenter": "mouseover",
    "mousemove": "mouseover", "pointermove": "mouseover",
    "mouseout": "mouseout", "mouseleave": "mouseout", "pointerout": "mouseout", "pointerleave": "mouseout",
    "mousedown": "mousedown", "pointerdown": "mousedown", "mouseup": "mouseup", "pointerup": "mouseup",
    "focus": "focus", "focusin": "focus", "blur": "blur", "focusout": "blur",
    "change": "change", "input": "change", "keydown": "keydown", "keypress": "keydown", "keyup": "keydown",
    "touchstart": "touch", "touchend": "touch", "scroll": "scroll", "toggle": "click",
}  # fmt: skip
"""Types of events that are listened to, and what a person does to cause them."""

_CONTROL_TAGS = frozenset({"a", "button", "input", "select", "summary", "textarea", "option", "label", "area"})
_FIELD_TAGS = frozenset({"input", "select", "textarea"})
_CONTROL_ROLES = frozenset({"button", "link", "tab", "menuitem", "option", "checkbox", "radio", "switch", "treeitem"})
_TICKABLE_TYPES = frozenset({"checkbox", "radio"})
_ROUTING_EVENTS = frozenset({"hashchange", "popstate"})
_TYPED = "text"
_MAX_LABEL_CHARS = 80
"""A label is for people to recognise an element by, in one line of a report."""
_NON_BUBBLING_EVENTS = frozenset({"focus", "blur", "scroll"})
"""Events that do not bubble: who listens means itself."""


@dataclass(frozen=True, slots=True)
class InteractionCandidate:
    """An interaction that could be tried."""

    interaction: Interaction
    node: int
    group_key: str
    """Equal for candidates that share code and looks."""
    is_sampled: bool = False
    """Whether nothing but a listener far up speaks for it, so that a few of its likes stand for all."""


def find_candidates(
    tree: DomTree, targets: ElementNames, listeners: tuple[EventListener, ...], extra: Set[str] = frozenset()
) -> list[InteractionCandidate]:
    """All that can be tried, in document order, each once."""
    places: dict[int, dict[str, str]] = defaultdict(dict)
    everywhere: dict[str, str] = {}
    for each in listeners:
        event = USER_EVENTS.get(each.event) or (each.event if each.event in extra else "")
        node = tree.nodes.get(each.node)
        if event and (node is None or node.type != ELEMENT_NODE or node.name in ("html", "body")):
            everywhere.setdefault(event, each.place)
        elif event and node is not None:
            places[node.id].setdefault(event, each.place)
    routed = any(each.event in _ROUTING_EVENTS for each in listeners)
    return _CandidateFinder(tree, targets, places, everywhere, routed).find_all()


class _CandidateFinder:
    def __init__(
        self,
        tree: DomTree,
        targets: ElementNames,
        places: dict[int, dict[str, str]],
        everywhere: dict[str, str],
        routed: bool,
    ) -> None:
        self._tree, self._targets, self._places, self._routed = tree, targets, places, routed
        self._everywhere = everywhere
        self._within: dict[int, Mapping[str, str]] = {}
        """What is listened to for all that a node holds."""
        holders = Counter(place for each in places.values() for place in set(each.values()))
        self._shared = {place for place, count in holders.items() if count > 1}
        self._found: dict[Interaction, InteractionCandidate] = {}

    def find_all(self) -> list[InteractionCandidate]:
        for node in self._tree.walk():
            self._note_within(node)
            if node.type == ELEMENT_NODE and node.is_visible and node.get("disabled") is None:
                self._add_for_node(node)
        return list(self._found.values())

    def _add_for_node(self, node: DomNode) -> None:
        for event, place in self._places.get(node.id, {}).items():
            self._add(node, event, place)
        for event, place in self._inherited_events(node):
            if event in _NON_BUBBLING_EVENTS or not self._can_cause(node, event):
                continue
            if is_control(node):
                self._add(node, event, place)
            elif self._is_leaf(node):
                self._add(node, event, place, is_sampled=True)
        if self._acts_by_itself(node):
            self._add(node, "click", "itself", InteractionKind.NATIVE)

    def _inherited_events(self, node: DomNode) -> Iterator[tuple[str, str]]:
        """What is listened to further up, for what it holds: not by controls, nor by one of many that listen alike."""
        own = self._places.get(node.id, {})
        for event, place in self._within.get(node.parent, self._everywhere).items():
            if place and event not in own:
                yield event, place

    def _note_within(self, node: DomNode) -> None:
        """Keep what is listened to for what a node holds, by whom is nearest; no place where that means itself."""
        further = self._within.get(node.parent, self._everywhere)
        if places := self._places.get(node.id):
            is_meant = is_control(node)
            nearest = {event: "" if is_meant or place in self._shared else place for event, place in places.items()}
            further = nearest | {event: place for event, place in further.items() if event not in nearest}
        self._within[node.id] = further

    def _can_cause(self, node: DomNode, event: str) -> bool:
        """Whether this element could cause such an event."""
        if event in ("change", "keydown"):
            return node.name in _FIELD_TAGS
        return True

    def _is_leaf(self, node: DomNode) -> bool:
        """Whether it holds nothing that could be pointed at instead; tables and lists are pointed at by their items."""
        return not any(
            self._tree.nodes[child].type == ELEMENT_NODE for child in node.children if child in self._tree.nodes
        )

    def _acts_by_itself(self, node: DomNode) -> bool:
        if node.name == "summary":
            return True
        reference = (node.get("href") or "").strip()
        if node.name != "a" or not reference:
            return False
        is_fragment = reference[:1] == "#" and len(reference) > 1
        return reference.lower().startswith("javascript:") or (self._routed and is_fragment)

    def _add(
        self,
        node: DomNode,
        event: str,
        place: str,
        kind: InteractionKind = InteractionKind.LISTENER,
        is_sampled: bool = False,
    ) -> None:
        target = self._targets.by_node[node.id]
        likes = f"{event} {place} {element_shape(node)}"
        for value in self._input_values(node, event):
            what = "click" if event == "change" and node.get("type") in _TICKABLE_TYPES else event
            interaction = Interaction(what, target, kind, value, label=element_label(self._tree, node))
            self._found.setdefault(interaction, InteractionCandidate(interaction, node.id, likes, is_sampled))

    def _input_values(self, node: DomNode, event: str) -> list[str]:
        """What is chosen in a list; other fields are not filled, as only users know what with."""
        if event != "change" or node.name != "select":
            return [""]
        options = [each for each in self._tree.walk(node.id) if each.name == "option" and "chosen" not in each.state]
        return [
            value if (value := each.get("value")) is not None else element_text(self._tree, each) for each in options
        ]


def is_control(node: DomNode) -> bool:
    """Whether an element looks as if it could be used."""
    return (
        node.name in _CONTROL_TAGS
        or node.get("role") in _CONTROL_ROLES
        or node.get("tabindex") is not None
        or node.get("onclick") is not None
        or node.styles[CURSOR_STYLE : CURSOR_STYLE + 1] == ("pointer",)
        or any(name.startswith("data-") for name in node.attributes[::2])
    )


def element_shape(node: DomNode) -> str:
    """Its tag, its classes and the names of its attributes."""
    return f"{node.name}.{node.get('class') or ''}[{','.join(node.attributes[::2])}]"


def element_label(tree: DomTree, node: DomNode) -> str:
    """What a person would call it."""
    words = (
        element_text(tree, node) or node.get("aria-label") or node.get("title") or node.get("name") or node.get("id")
    )
    return (words or node.name)[:_MAX_LABEL_CHARS]


def element_text(tree: DomTree, node: DomNode) -> str:
    """Its text, on one line."""
    parts, size = [], 0
    for each in tree.walk(node.id):
        if each.type == TEXT_NODE:
            parts.append(each.value)
            size += len(each.value)
            if size > _MAX_LABEL_CHARS * 4:
                break
    return " ".join(" ".join(parts).split())
