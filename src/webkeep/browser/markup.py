"""A tree as people and archives know it: its HTML, its text, its links, the resources that it shows."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from webkeep.browser.tree import DOCUMENT, ELEMENT, TEXT, Node, Tree
from webkeep.url import resolve

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "figure", "footer", "form", "h1", "h2", "h3",
     "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul", "br"}
)  # fmt: skip
_LINKS = {"a": "href", "area": "href", "form": "action", "iframe": "src", "frame": "src"}
_STYLED = re.compile(r'url\("((?:[^"\\]|\\.)*)"\)').findall
_BASED_ON_SOURCE = frozenset(
    {"img", "input", "source", "video", "audio", "embed", "script", "iframe", "frame", "track"}
)


def html_of(tree: Tree) -> str:
    """The page's document as HTML; shadow trees are templates that declare them, frames keep to their URLs."""
    parts: list[str] = []
    waiting: list[int | str] = [tree.root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            parts.append(each)
        elif (node := tree.nodes.get(each)) is not None:
            parts.append(_opening(tree, node))
            if node.type == ELEMENT and node.name not in _VOID:
                waiting.append(f"</{node.name}>")
                waiting.extend(reversed(_contents(tree, node)))
            elif node.type == DOCUMENT:
                waiting.extend(reversed(node.children))
    return "".join(parts)


def _contents(tree: Tree, node: Node) -> list[int | str]:
    children = [tree.nodes[child] for child in node.children if child in tree.nodes]
    held: list[int | str] = [each.id for each in children if each.type != DOCUMENT and not _is_shadow(node, each)]
    shadow = [each for each in children if _is_shadow(node, each)]
    if shadow:
        mode = shadow[0].shadow
        return [f'<template shadowrootmode="{mode}">', *(each.id for each in shadow), "</template>", *held]
    return held


def _is_shadow(parent: Node, child: Node) -> bool:
    return bool(child.shadow) and (not parent.shadow or "-" in parent.name)


def _opening(tree: Tree, node: Node) -> str:
    if node.type == ELEMENT:
        pairs = zip(node.attributes[::2], node.attributes[1::2], strict=True)
        written = "".join([f' {name}="{html.escape(value)}"' for name, value in pairs])
        return f"<{node.name}{written}>"
    if node.type == TEXT:
        parent = tree.nodes.get(node.parent)
        raw = parent is not None and parent.name in _RAW
        return node.value if raw else html.escape(node.value, quote=False)
    if node.name == "#comment":
        return f"<!--{node.value}-->"
    return "<!DOCTYPE html>" if node.name == "html" else ""


def text_of(tree: Tree) -> str:
    """What a person could read: text that is drawn, a line for each block."""
    parts: list[str] = []
    for node in tree.walk():
        if node.type == TEXT and node.box is not None:
            parts.append(node.value.replace("\n", " "))
        elif node.name in _BLOCKS:
            parts.append("\n")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def links_of(tree: Tree) -> tuple[str, ...]:
    """Where links, frames and forms lead, each once; a form that would be sent by POST leads nowhere."""
    found: dict[str, None] = {}
    for node, base in _based(tree):
        reference = node.get(_LINKS[node.name]) if node.name in _LINKS else None
        if node.name == "form" and (node.get("method") or "get").strip().lower() != "get":
            continue
        if reference is not None and (url := resolved(base, reference)):
            found[url] = None
    return tuple(found)


def references_of(tree: Tree) -> frozenset[str]:
    """URLs of what is shown at the moment: current sources, and pictures of computed styles."""
    found: set[str] = set()
    for node, base in _based(tree):
        if node.source:
            found.add(node.source)
        elif (node.name in _BASED_ON_SOURCE and (reference := node.get("src")) and node.get("loading") != "lazy") or (
            node.name == "link" and _is_shown(node.get("rel")) and (reference := node.get("href"))
        ):
            found.add(resolved(base, reference))
        if node.box is not None:
            found.update(url for style in node.styles if "url(" in style for url in _STYLED(style))
    return frozenset(url for url in found if url.startswith(("http:", "https:")))


def _is_shown(relation: str | None) -> bool:
    """Whether a link of this kind is a part of what is shown."""
    return not {"stylesheet", "icon"}.isdisjoint((relation or "").lower().split())


def _based(tree: Tree) -> Iterator[tuple[Node, str]]:
    """Every element with the base of its document."""
    bases = {frame.root: frame.base for frame in tree.frames}
    for frame in tree.frames:
        inner = [frame.root]
        while inner:
            node = tree.nodes.get(inner.pop())
            if node is None or (node.id in bases and node.id != frame.root):
                continue
            if node.type == ELEMENT:
                yield node, frame.base
            inner.extend(reversed(node.children))


def resolved(base: str, reference: str) -> str:
    """A reference as an http URL; nothing if it is none."""
    url = resolve(base, reference)
    return url if url is not None and url.startswith(("http:", "https:")) else ""
