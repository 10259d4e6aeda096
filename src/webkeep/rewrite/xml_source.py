"""The tags, texts and CDATA of XML, and its instructions to use a style sheet, with their places in the source, out of
any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from turbohtml import unescape

from webkeep.formats.site import local_name
from webkeep.rewrite.source_tags import Span

_TAG = re.compile(r"""<(/?)([^\s/<>"'=!?]++)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>?""")
# A name is tried from its first letter only, or a long one without a value would be tried from each.
_ATTRIBUTE = re.compile(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>]++)""")
_VALUE = re.compile(r"""[^=]*+=\s*+["']?""")
_SECTIONS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_RAW_TEXT_TAGS = frozenset(("script", "style"))


@dataclass(frozen=True, slots=True)
class XmlPlaces:
    """Where the attributes of an element, and the text of scripts and styles, stand."""

    spans: Mapping[str, Span]
    inner: Span | None = None

    def attributes(self) -> Mapping[str, Span]:
        """Each attribute by its name in lower case."""
        return self.spans

    def content(self) -> Span | None:
        """The place of a script or style."""
        return self.inner


class XmlTag(NamedTuple):
    """The start of an element; names are without their prefixes, but for one before `href`."""

    name: str
    attributes: list[tuple[str, str]]
    content: str
    """Of scripts and styles."""
    places: XmlPlaces


class XmlTextPiece(NamedTuple):
    """Text between tags, with its references resolved unless it is literal (CDATA)."""

    text: str
    start: int
    end: int
    is_literal: bool


def read_xml_pieces(text: str) -> Iterator[XmlTag | XmlTextPiece]:
    """The tags and texts in their order; an instruction to use a style sheet is a tag named by it."""
    at = 0
    while at < len(text):
        begin = text.find("<", at)
        begin = len(text) if begin < 0 else begin
        if begin > at:
            yield XmlTextPiece(unescape(text[at:begin]), at, begin, False)
        if begin == len(text):
            return
        match = _TAG.match(text, begin)
        if match is None:
            piece, at = _read_section(text, begin)
            if piece is not None:
                yield piece
            continue
        at = match.end()
        if not match[1]:
            inner = _raw_content(text, match) if local_name(match[2]) in _RAW_TEXT_TAGS else None
            if match[3] or inner:
                yield _build_tag(text, match[2], match.span(3), inner)
            at = inner[1] if inner else at


def _build_tag(text: str, name: str, span: Span, inner: Span | None) -> XmlTag:
    attributes: list[tuple[str, str]] = []
    spans: dict[str, Span] = {}
    for match in _ATTRIBUTE.finditer(text, *span):
        key = "xlink:href" if match[1].endswith(":href") else match[1]
        value = _VALUE.match(text, *match.span())
        if value is None or key.lower() in spans:
            continue
        end = match.end() - (text[value.end() - 1] in "\"'")
        attributes.append((key, unescape(text[value.end() : end])))
        spans[key.lower()] = match.span()
    content = text[slice(*inner)] if inner else ""
    if "&" in content and "<![CDATA[" not in content:
        content = unescape(content)
    return XmlTag(local_name(name), attributes, content, XmlPlaces(spans, inner))


def _raw_content(text: str, match: re.Match[str]) -> Span | None:
    if match[3].endswith("/"):
        return None
    end = text.find(f"</{match[2]}", match.end())
    return match.end(), len(text) if end < 0 else end


def _read_section(text: str, begin: int) -> tuple[XmlTag | XmlTextPiece | None, int]:
    for opening, closing in _SECTIONS:
        if text.startswith(opening, begin):
            start = begin + len(opening)
            end = text.find(closing, start)
            end, after = (len(text), len(text)) if end < 0 else (end, end + len(closing))
            if opening == "<![CDATA[":
                return XmlTextPiece(text[start:end], start, end, True), after
            is_style = text.startswith("<?xml-stylesheet", begin)
            return (_build_tag(text, "?xml-stylesheet", (start + 14, end), None) if is_style else None), after
    if text.startswith("<!", begin):
        return None, _declaration_end(text, begin)
    return None, begin + 1


def _declaration_end(text: str, begin: int) -> int:
    """Where a document type declaration ends, with its internal subset."""
    subset, end = text.find("[", begin), text.find(">", begin)
    if end < 0:
        return len(text)
    if subset < 0 or end < subset:
        return end + 1
    close = text.find("]", subset)
    return len(text) if close < 0 else close + 1
