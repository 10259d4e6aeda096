"""Views are told apart by their DOM: its signature, a digest without the parts that change by themselves."""

from __future__ import annotations

from collections.abc import Set
from hashlib import blake2b

from webkeep.browser.dom.dom_tree import ELEMENT_NODE, TEXT_NODE, DomNode, DomTree

_IGNORED_ATTRIBUTES = frozenset({"nonce"})
"""Attributes that say nothing about a view."""
_SUBTREE_END = 0
"""No node has this number: it stands on the stack where the children of an element end."""


def dom_signature(tree: DomTree, volatile: Set[int] = frozenset()) -> str:
    """A digest of the DOM; of volatile nodes only their presence counts."""
    digest = blake2b(digest_size=16)
    waiting = [tree.root]
    while waiting:
        number = waiting.pop()
        if number == _SUBTREE_END:
            digest.update(b"\x02")
        elif (node := tree.nodes.get(number)) is None:
            continue
        elif number in volatile:
            digest.update(f"\x03{node.name}".encode(errors="replace"))
        elif said := _node_bytes(node):
            digest.update(said)
            waiting.append(_SUBTREE_END)
            waiting.extend(reversed(node.children))
    return digest.hexdigest()


def _node_bytes(node: DomNode) -> bytes:
    if node.type == ELEMENT_NODE:
        names = node.attributes
        pairs = sorted(
            (names[at], names[at + 1]) for at in range(0, len(names), 2) if names[at] not in _IGNORED_ATTRIBUTES
        )
        return f"\x01{node.name}\0{node.state}\0{pairs}".encode(errors="replace")
    if node.type == TEXT_NODE:
        words = " ".join(node.value.split())
        return f"\x04{words}".encode(errors="replace") if words else b""
    return f"\x05{node.name}".encode(errors="replace") if node.children else b""
