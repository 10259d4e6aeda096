"""Links of XML: SVG, XHTML, xml-stylesheet instructions, and any other, by the same rules as HTML; and elements whose
text is an address, in KML, XSPF and OpenSearch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.document import MarkupPart
from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.html.html_links import html_references
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import guess_role
from webkeep.formats.site import XmlComment, XmlEnd, XmlInstruction, XmlStart, XmlText, local_name, read_xml_events

_RAW_TEXT = frozenset(("script", "style"))
_MAX_TEXT_CHARS = 4 * 1024 * 1024
"""Of a script or style sheet within XML; what is longer is read so far."""
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]{0,60})")
_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
# Elements whose text is an address, by the root of their document.
_ADDRESS_ELEMENTS: dict[str, dict[str, LinkRole]] = {
    "kml": {"href": _E},
    "playlist": {"location": _E, "image": _E, "info": _N},
    "opensearchdescription": {"Image": _E, "SearchForm": _N},
}


def root_element_name(text: str) -> str:
    """The local name of the first element in lower case; empty where there is none near the start."""
    for match in _ROOT.finditer(re.sub(r"<!--.{0,4096}?-->|<[!?][^>]{0,1024}>", "", text[:4096], flags=re.DOTALL)):
        return local_name(match[1]).lower()
    return ""


def xml_references(text: str, _resource: DecodedContent) -> Iterator[LinkReference]:
    """What an XML document refers to: in attributes as in HTML, in instructions, and in text that is an address."""
    for found in html_references(text, parts=xml_parts):
        if "{" not in found.text:
            yield found if found.source.startswith(("css", "script", "xml")) else _as_xml_source(found)
    addresses = _ADDRESS_ELEMENTS.get(root_element_name(text))
    if addresses:
        yield from _text_addresses(text, addresses)


def xml_parts(text: str) -> Iterator[MarkupPart]:
    """The parts of an XML document like those of HTML, names without their prefixes."""
    raw: tuple[str, list[tuple[str, str]]] | None = None
    held: list[str] = []
    for event in read_xml_events(text):
        match event:
            case XmlStart(name, attributes):
                local = local_name(name)
                pairs = [(_plain_name(key), value) for key, value in attributes.items()]
                if local in _RAW_TEXT:
                    raw, held = (local, pairs), []
                elif pairs:
                    yield local, pairs, "", None
            case XmlEnd(name) if raw is not None and local_name(name) == raw[0]:
                yield raw[0], raw[1], "".join(held)[:_MAX_TEXT_CHARS], None
                raw = None
            case XmlText(words) if raw is not None:
                held.append(words)
            case XmlText(words) if "://" in words or "www." in words:
                yield "#text", (), words, None
            case XmlComment(words):
                yield "#comment", (), words, None
            case XmlInstruction("xml-stylesheet", words):
                yield "#comment", (), f"?xml-stylesheet {words}", None
            case _:
                pass


def _text_addresses(text: str, addresses: dict[str, LinkRole]) -> Iterator[LinkReference]:
    inside = ""
    for event in read_xml_events(text):
        if isinstance(event, XmlStart):
            inside = local_name(event.name)
        elif isinstance(event, XmlText) and inside in addresses and guess_role(event.text.strip(), trusted=True):
            yield LinkReference(event.text.strip(), addresses[inside], f"xml {inside}")
        else:
            inside = ""


def _plain_name(name: str) -> str:
    """Any prefix before `href` is one for links, whatever the document calls it."""
    return "xlink:href" if name.endswith(":href") else name


def _as_xml_source(found: LinkReference) -> LinkReference:
    return found._replace(source=found.source.replace("html ", "xml ", 1))
