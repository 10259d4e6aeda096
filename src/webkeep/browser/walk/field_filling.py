"""Form fields that a person said what to type into: found by name, id or label; never fields for passwords, and nothing
is typed anywhere else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from webkeep.browser.dom.dom_tree import ELEMENT_NODE, DomNode, DomTree
from webkeep.browser.dom.element_names import ElementNames
from webkeep.browser.walk.interaction_candidates import InteractionCandidate, element_label, element_text
from webkeep.browser.walk_model import FieldFilling, Interaction, InteractionKind

FILL_EVENT = "fill"
"""What is done to a field."""
_FIELD_TAGS = frozenset({"input", "select", "textarea"})
_NON_TEXT_TYPES = frozenset({"button", "submit", "reset", "image", "file", "hidden"})
_PASSWORD_TYPE = "password"
_NAMING_ATTRIBUTES = ("name", "id", "aria-label", "placeholder", "title")


@dataclass(frozen=True, slots=True)
class FillableFields:
    """What can be typed into a page, and what is not."""

    candidates: tuple[InteractionCandidate, ...] = ()
    withheld: frozenset[str] = frozenset()
    """The names by which a person meant a field for a password, which would end in the archive."""


def find_fields(tree: DomTree, targets: ElementNames, given: Iterable[FieldFilling]) -> FillableFields:
    """The fields of a page for which something is given, in document order."""
    wanted: dict[str, list[FieldFilling]] = defaultdict(list)
    for each in given:
        wanted[_normalise_name(each.field)].append(each)
    if not wanted:
        return FillableFields()
    labels = _label_texts(tree)
    found: list[InteractionCandidate] = []
    withheld: set[str] = set()
    for node in tree.walk():
        if node.name not in _FIELD_TAGS or node.get("type") in _NON_TEXT_TYPES or not _is_editable(node):
            continue
        meant = [each for name in dict.fromkeys(_field_names(node, labels)) for each in wanted.get(name, ())]
        if (node.get("type") or "").lower() == _PASSWORD_TYPE:
            withheld.update(each.field for each in meant)
        else:
            found += [_fill_candidate(tree, targets, node, each) for each in meant if node.state != each.value]
    return FillableFields(tuple(found), frozenset(withheld))


def _fill_candidate(tree: DomTree, targets: ElementNames, node: DomNode, given: FieldFilling) -> InteractionCandidate:
    target = targets.by_node[node.id]
    label = node.get("aria-label") or node.get("placeholder") or given.field or element_label(tree, node)
    return InteractionCandidate(
        Interaction(FILL_EVENT, target, InteractionKind.GIVEN, given.value, label=label),
        node.id,
        f"{FILL_EVENT} {target}",
    )


def _is_editable(node: DomNode) -> bool:
    return node.is_visible and node.get("disabled") is None and node.get("readonly") is None


def _field_names(node: DomNode, labels: Mapping[int | str, str]) -> Iterator[str]:
    for name in _NAMING_ATTRIBUTES:
        if said := node.get(name):
            yield _normalise_name(said)
            if name == "id":
                yield f"#{_normalise_name(said)}"
    for key in (node.id, node.get("id") or ""):
        if key in labels:
            yield labels[key]


def _label_texts(tree: DomTree) -> dict[int | str, str]:
    """What labels say, by the id that they are for or the number of the field that they hold."""
    found: dict[int | str, str] = {}
    for node in tree.nodes.values():
        if node.type == ELEMENT_NODE and node.name == "label" and (said := _normalise_name(element_text(tree, node))):
            if meant := node.get("for"):
                found.setdefault(meant, said)
            else:
                found.update((each.id, said) for each in tree.walk(node.id) if each.name in _FIELD_TAGS)
    return found


def _normalise_name(text: str) -> str:
    """A name however it is written: letters small, spaces single, no colon behind it."""
    return " ".join(text.split()).rstrip(":* ").lower()
