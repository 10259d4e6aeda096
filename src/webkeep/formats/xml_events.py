"""XML as a stream of events, out of any text: what is broken is passed over, nothing raises, no entity grows.

Theory of operation. Links have to come out of feeds that no strict reader would accept, so this one knows tags,
attributes and text and nothing of well-formedness. It never looks at a character more than a few times, whatever the
text, and expands no entity but those HTML knows.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
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
_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++))""")
# Behind each opening stands what ends it and how much of both is no content.
_SECTIONS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_DECLARATION_END = re.compile(r"[\[>]")


def xml_events(text: str) -> Iterator[XmlEvent]:
    """The events of a text in their order."""
    at = 0
    while at < len(text):
        begin = text.find("<", at)
        words = text[at:] if begin < 0 else text[at:begin]
        if words:
            yield XmlText(unescape(words))
        if begin < 0:
            return
        at = yield from _markup(text, begin)


def attributes(text: str) -> dict[str, str]:
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


def _markup(text: str, begin: int) -> Generator[XmlEvent, None, int]:
    """The events of the markup at a place; returns where the text goes on."""
    for opening, closing in _SECTIONS:
        if text.startswith(opening, begin):
            end = text.find(closing, begin + len(opening))
            inner = text[begin + len(opening) :] if end < 0 else text[begin + len(opening) : end]
            yield _section(opening, inner)
            return len(text) if end < 0 else end + len(closing)
    if text.startswith("<!", begin):
        return _after_declaration(text, begin)
    match = _TAG.match(text, begin)
    if match is None:
        yield XmlText("<")
        return begin + 1
    closing_slash, name, inner = match.groups()
    if not closing_slash:
        yield XmlStart(name, attributes(inner) if "=" in inner else {})
    if closing_slash or inner.endswith("/"):
        yield XmlEnd(name)
    return match.end()


def _section(opening: str, inner: str) -> XmlEvent:
    if opening == "<!--":
        return XmlComment(inner)
    if opening == "<?":
        target, *rest = inner.split(None, 1)[:2] or [""]
        return XmlInstruction(target, rest[0] if rest else "")
    return XmlText(inner)


def _after_declaration(text: str, begin: int) -> int:
    """Where a document type declaration ends, with its internal subset."""
    match = _DECLARATION_END.search(text, begin)
    if match is None:
        return len(text)
    if match[0] == ">":
        return match.end()
    end = text.find("]", match.end())
    return match.end() if end < 0 else end + 1
