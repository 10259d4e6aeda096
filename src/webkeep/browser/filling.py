"""Fields that a person said what to type into: found by name, id or label; nothing is typed anywhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from webkeep.browser.interactions import Candidate, label_of, text_in
from webkeep.browser.targets import Targets
from webkeep.browser.tree import ELEMENT, Node, Tree
from webkeep.browser.values import Filling, Interaction, Kind

FILL = "fill"
"""What is done to a field."""
_FIELDS = frozenset({"input", "select", "textarea"})
_UNTYPED = frozenset({"button", "submit", "reset", "image", "file", "hidden"})
_SECRET = "password"
_NAMES = ("name", "id", "aria-label", "placeholder", "title")


@dataclass(frozen=True, slots=True)
class Fillings:
    """What can be typed into a page, and what is not."""

    candidates: tuple[Candidate, ...] = ()
    withheld: frozenset[str] = frozenset()
    """The names by which a person meant a field for a password, which would end in the archive."""


def fillings(tree: Tree, targets: Targets, given: Iterable[Filling]) -> Fillings:
    """The fields of a page for which something is given, in document order."""
    wanted: dict[str, list[Filling]] = defaultdict(list)
    for each in given:
        wanted[_plain(each.field)].append(each)
    if not wanted:
        return Fillings()
    labels = _labels(tree)
    found: list[Candidate] = []
    withheld: set[str] = set()
    for node in tree.walk():
        if node.name not in _FIELDS or node.get("type") in _UNTYPED or not _is_open(node):
            continue
        meant = [each for name in dict.fromkeys(_names(node, labels)) for each in wanted.get(name, ())]
        if (node.get("type") or "").lower() == _SECRET:
            withheld.update(each.field for each in meant)
        else:
            found += [_filling(tree, targets, node, each) for each in meant if node.state != each.value]
    return Fillings(tuple(found), frozenset(withheld))


def _filling(tree: Tree, targets: Targets, node: Node, given: Filling) -> Candidate:
    target = targets.by_node[node.id]
    label = node.get("aria-label") or node.get("placeholder") or given.field or label_of(tree, node)
    return Candidate(Interaction(FILL, target, Kind.GIVEN, given.value, label=label), node.id, f"{FILL} {target}")


def _is_open(node: Node) -> bool:
    return node.is_seen and node.get("disabled") is None and node.get("readonly") is None


def _names(node: Node, labels: Mapping[int | str, str]) -> Iterator[str]:
    for name in _NAMES:
        if said := node.get(name):
            yield _plain(said)
            if name == "id":
                yield f"#{_plain(said)}"
    for key in (node.id, node.get("id") or ""):
        if key in labels:
            yield labels[key]


def _labels(tree: Tree) -> dict[int | str, str]:
    """What labels say, by the id that they are for or the number of the field that they hold."""
    found: dict[int | str, str] = {}
    for node in tree.nodes.values():
        if node.type == ELEMENT and node.name == "label" and (said := _plain(text_in(tree, node))):
            if meant := node.get("for"):
                found.setdefault(meant, said)
            else:
                found.update((each.id, said) for each in tree.walk(node.id) if each.name in _FIELDS)
    return found


def _plain(text: str) -> str:
    """A name however it is written: letters small, spaces single, no colon behind it."""
    return " ".join(text.split()).rstrip(":* ").lower()
