"""XML as a stream of events, out of any text: what is broken is passed over, nothing raises, and no entity but HTML's
is expanded (no XXE, no billion laughs).

Theory of operation. Links have to come out of feeds that no strict reader would accept, so this one knows tags,
attributes and text and nothing of well-formedness. It never looks at a character more than a few times, whatever the
text, and expands no entity but those HTML knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from turbohtml import unescape


class XmlStart(NamedTuple):
    """The start of an element; names keep their prefixes."""

    name: str
    attributes: dict[str, str]


class XmlEnd(NamedTuple):
    """The end of an element."""

    name: str


class XmlText(NamedTuple):
    """Text between tags, its references resolved."""

    text: str


class XmlComment(NamedTuple):
    """A comment."""

    text: str


class XmlInstruction(NamedTuple):
    """A processing instruction."""

    target: str
    text: str


XmlEvent = XmlStart | XmlEnd | XmlText | XmlComment | XmlInstruction

_TAG = re.compile(r"""<(/?)([^\s/<>"'=!?]++)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>?""")
# A name begins behind something that is none: else a long one without a value would be tried from each of its letters.
_ATTRIBUTE = re.compile(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++))""")
# Behind each opening stands what ends it and how much of both is no content.
_SECTIONS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_DECLARATION_END = re.compile(r"[\[>]")


def read_xml_events(text: str) -> Iterator[XmlEvent]:
    """The events of a text in their order."""
    at = 0
    while at < len(text):
        begin = text.find("<", at)
        words = text[at:] if begin < 0 else text[at:begin]
        if words:
            yield XmlText(unescape(words))
        if begin < 0:
            return
        if (match := _TAG.match(text, begin)) is None:
            event, at = _read_other_markup(text, begin)
            if event is not None:
                yield event
            continue
        at = match.end()
        closing_slash, name, inner = match.groups()
        if not closing_slash:
            yield XmlStart(name, parse_attributes(inner) if "=" in inner else {})
        if closing_slash or inner.endswith("/"):
            yield XmlEnd(name)


def parse_attributes(text: str) -> dict[str, str]:
    """The attributes in the text of a tag or of an instruction that looks like one; the first of a name counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        double, single, bare = match.group(2, 3, 4)
        value = double if double is not None else single if single is not None else bare
        found.setdefault(match[1], unescape(value))
    return found


def local_name(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


def _read_other_markup(text: str, begin: int) -> tuple[XmlEvent | None, int]:
    """The event of what is no tag, if it makes one, and where the text goes on."""
    for opening, closing in _SECTIONS:
        if text.startswith(opening, begin):
            end = text.find(closing, begin + len(opening))
            end, after = (len(text), len(text)) if end < 0 else (end, end + len(closing))
            return _section_event(opening, text[begin + len(opening) : end]), after
    if text.startswith("<!", begin):
        return None, _declaration_end(text, begin)
    return XmlText("<"), begin + 1


def _section_event(opening: str, inner: str) -> XmlEvent:
    if opening == "<!--":
        return XmlComment(inner)
    if opening == "<?":
        target, *rest = inner.split(None, 1)[:2] or [""]
        return XmlInstruction(target, rest[0] if rest else "")
    return XmlText(inner)


def _declaration_end(text: str, begin: int) -> int:
    """Where a document type declaration ends, with its internal subset."""
    match = _DECLARATION_END.search(text, begin)
    if match is None:
        return len(text)
    if match[0] == ">":
        return match.end()
    end = text.find("]", match.end())
    return len(text) if end < 0 else end + 1
