"""A DOM tree as people and archives know it: its HTML, with shadow trees as declarative templates, its visible text,
its links, the resources that it shows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from webkeep.browser.dom.dom_tree import DOCUMENT_NODE, ELEMENT_NODE, TEXT_NODE, DomNode, DomTree
from webkeep.url import resolve_url

_VOID_TAGS = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_RAW_TEXT_TAGS = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
_BLOCK_TAGS = frozenset(
    {"address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "dialog", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "frame", "h1", "h2", "h3", "h4", "h5", "h6", "header",
     "hgroup", "hr", "iframe", "legend", "li", "main", "menu", "nav", "ol", "option", "optgroup", "p", "pre", "search",
     "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"}
)  # fmt: skip
_CELL_TAGS = frozenset({"td", "th"})
"""Beside one another on one line."""
_LINK_ATTRIBUTES = {"a": "href", "area": "href", "form": "action", "iframe": "src", "frame": "src"}
_STYLE_URLS = re.compile(r'url\("((?:[^"\\]|\\.)*)"\)').findall
_SRC_TAGS = frozenset({"img", "input", "source", "video", "audio", "embed", "script", "iframe", "frame", "track"})


def serialize_html(tree: DomTree) -> str:
    """The page's document as HTML; shadow trees are templates that declare them, frames keep to their URLs."""
    parts: list[str] = []
    waiting: list[int | str] = [tree.root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            parts.append(each)
        elif (node := tree.nodes.get(each)) is not None:
            parts.append(_start_text(tree, node))
            if node.type == ELEMENT_NODE and node.name not in _VOID_TAGS:
                waiting.append(f"</{node.name}>")
                waiting.extend(reversed(_child_parts(tree, node)))
            elif node.type == DOCUMENT_NODE:
                waiting.extend(reversed(node.children))
    return "".join(parts)


def _child_parts(tree: DomTree, node: DomNode) -> list[int | str]:
    children = [tree.nodes[child] for child in node.children if child in tree.nodes]
    held: list[int | str] = [each.id for each in children if each.type != DOCUMENT_NODE and not _is_shadow(node, each)]
    shadow = [each for each in children if _is_shadow(node, each)]
    if shadow:
        mode = shadow[0].shadow
        return [f'<template shadowrootmode="{mode}">', *(each.id for each in shadow), "</template>", *held]
    return held


def _is_shadow(parent: DomNode, child: DomNode) -> bool:
    return bool(child.shadow) and (not parent.shadow or "-" in parent.name)


def _start_text(tree: DomTree, node: DomNode) -> str:
    if node.type == ELEMENT_NODE:
        pairs = zip(node.attributes[::2], node.attributes[1::2], strict=True)
        written = "".join([f' {name}="{html.escape(value)}"' for name, value in pairs])
        return f"<{node.name}{written}>"
    if node.type == TEXT_NODE:
        parent = tree.nodes.get(node.parent)
        raw = parent is not None and parent.name in _RAW_TEXT_TAGS
        return node.value if raw else html.escape(node.value, quote=False)
    if node.name == "#comment":
        return f"<!--{node.value}-->"
    return "<!DOCTYPE html>" if node.name == "html" else ""


def visible_text(tree: DomTree) -> str:
    """What a person could read: text that is drawn, a line for each block."""
    parts: list[str] = []
    waiting: list[int | str] = [tree.root]
    while waiting:
        each = waiting.pop()
        node = tree.nodes.get(each) if isinstance(each, int) else None
        if isinstance(each, str):
            parts.append(each)
        elif node is not None:
            if node.type == TEXT_NODE and node.box is not None:
                parts.append(node.value.replace("\n", " "))
            around = "\n" if node.name in _BLOCK_TAGS else " " if node.name in _CELL_TAGS else ""
            if around:
                parts.append(around)
                waiting.append(around)
            waiting.extend(reversed(node.children))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def find_links(tree: DomTree) -> tuple[str, ...]:
    """Where links, frames and forms lead, each once; a form that would be sent by POST leads nowhere."""
    found: dict[str, None] = {}
    for node, base in _elements_with_base(tree):
        reference = node.get(_LINK_ATTRIBUTES[node.name]) if node.name in _LINK_ATTRIBUTES else None
        if node.name == "form" and (node.get("method") or "get").strip().lower() != "get":
            continue
        if reference is not None and (url := resolve_http(base, reference)):
            found[url] = None
    return tuple(found)


def shown_resources(tree: DomTree) -> frozenset[str]:
    """URLs of what is shown at the moment: current sources, and pictures of computed styles."""
    found: set[str] = set()
    for node, base in _elements_with_base(tree):
        if node.source:
            found.add(node.source)
        elif (node.name in _SRC_TAGS and (reference := node.get("src")) and node.get("loading") != "lazy") or (
            node.name == "link" and _is_shown_relation(node.get("rel")) and (reference := node.get("href"))
        ):
            found.add(resolve_http(base, reference))
        if node.box is not None:
            found.update(url for style in node.styles if "url(" in style for url in _STYLE_URLS(style))
    return frozenset(url for url in found if url.startswith(("http:", "https:")))


def _is_shown_relation(relation: str | None) -> bool:
    """Whether a link of this kind is a part of what is shown."""
    return not {"stylesheet", "icon"}.isdisjoint((relation or "").lower().split())


def _elements_with_base(tree: DomTree) -> Iterator[tuple[DomNode, str]]:
    """Every element with the base of its document."""
    bases = {frame.root: frame.base for frame in tree.frames}
    for frame in tree.frames:
        inner = [frame.root]
        while inner:
            node = tree.nodes.get(inner.pop())
            if node is None or (node.id in bases and node.id != frame.root):
                continue
            if node.type == ELEMENT_NODE:
                yield node, frame.base
            inner.extend(reversed(node.children))


def resolve_http(base: str, reference: str) -> str:
    """A reference as an http URL; nothing if it is none."""
    url = resolve_url(base, reference)
    return url if url is not None and url.startswith(("http:", "https:")) else ""
