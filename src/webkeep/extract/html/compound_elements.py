"""Elements whose attributes only together say where they lead: link with its rel, base, forms that are not sent by
POST, object and applet with their codebase, and param with its Flash variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from urllib.parse import unquote_plus

from webkeep.extract.html.meta_links import meta_references
from webkeep.extract.links.link import NO_PLACE, WHOLE_VALUE, LinkReference, LinkRole
from webkeep.extract.links.link_guess import guess_role
from webkeep.extract.links.link_relation import relation_role

BASE_SOURCE = "html base[href]"
"""The source of references that are no links but what others are relative to."""

_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
_LIST = re.compile(r"[^\s,]+")
_UNFOLLOWED_METHODS = {"post", "dialog"}
_PARAMETERS_WORDS = (
    "movie src source url href filename file data image archive cache_archive code object flv video audio bgimage "
    "backgroundimage poster thumbnail playlist"
)
_ADDRESS_PARAMETERS = frozenset(_PARAMETERS_WORDS.split())
_CLASS_NAME = re.compile(r"(?:java:)?([\w$]+(?:[./][\w$]+)*?)(\.class)?", re.IGNORECASE)

Attributes = Mapping[str, str]


def _link_element(attributes: Attributes) -> Iterator[LinkReference]:
    href = attributes.get("href", "")
    rel = attributes.get("rel", "")
    meaning = relation_role(rel, attributes.get("as", ""))
    if not href or meaning is None:
        return
    role, guess = meaning
    if attributes.get("type", "").strip().lower() == "text/css":
        role = _E
    elif not rel:
        guess = "itemprop" not in attributes
    yield LinkReference(href, role, f"html link[{' '.join(rel.lower().split())[:40] or 'href'}]", guess, "href")


def _param_element(attributes: Attributes) -> Iterator[LinkReference]:
    name = attributes.get("name", "").strip().lower()
    value = attributes.get("value", "")
    if name == "flashvars":
        yield from flashvars_references(value, "html param[flashvars]", "value")
    elif name in _ADDRESS_PARAMETERS and value and guess_role(value.strip(), trusted=True):
        yield LinkReference(value, _E, "html param[value]", False, "value")
    elif (role := guess_role(value.strip())) is not None:
        yield LinkReference(value, role, "html param[value]", True, "value")


def flashvars_references(value: str, source: str, attribute: str) -> Iterator[LinkReference]:
    """Addresses among the variables handed to a Flash film, which are written like a query."""
    for pair in value[:65536].split("&"):
        text = unquote_plus(pair.partition("=")[2])
        if (role := guess_role(text)) is not None:
            yield LinkReference(text, role, source, True, attribute, NO_PLACE, NO_PLACE)


def _applet_element(attributes: Attributes) -> Iterator[LinkReference]:
    base = _codebase_directory(attributes.get("codebase", ""))
    for match in _LIST.finditer(attributes.get("archive", "")):
        yield LinkReference(match[0], _E, "html applet[archive]", False, "archive", match.start(), match.end(), base)
    if attributes.get("code"):
        # The class may well be in the archive, and then is on the server nowhere else.
        name = _class_file(attributes["code"])
        place = WHOLE_VALUE if name == attributes["code"] else NO_PLACE
        yield LinkReference(name, _E, "html applet[code]", "archive" in attributes, "code", place, place, base)
    if attributes.get("object"):
        yield LinkReference(attributes["object"], _E, "html applet[object]", False, "object", base=base)
    if attributes.get("src"):
        yield LinkReference(attributes["src"], _E, "html applet[src]", True, "src", base=base)


def _object_element(attributes: Attributes) -> Iterator[LinkReference]:
    class_id = attributes.get("classid", "").strip()
    codebase = attributes.get("codebase", "")
    if class_id.lower().startswith("clsid:"):
        # For such objects the codebase is the program to install.
        base, class_id = "", ""
        if codebase:
            yield LinkReference(codebase, _E, "html object[codebase]", False, "codebase")
    else:
        base = _codebase_directory(codebase)
    if attributes.get("data"):
        yield LinkReference(attributes["data"], _E, "html object[data]", False, "data", base=base)
    for match in _LIST.finditer(attributes.get("archive", "")):
        yield LinkReference(match[0], _E, "html object[archive]", False, "archive", match.start(), match.end(), base)
    if class_id and class_id[:1] != "#":
        name = _class_file(class_id) if class_id.lower().startswith("java:") else class_id
        place = WHOLE_VALUE if name == class_id else NO_PLACE
        yield LinkReference(name, _E, "html object[classid]", False, "classid", place, place, base)


def _form_element(attributes: Attributes) -> Iterator[LinkReference]:
    if attributes.get("action") and attributes.get("method", "").strip().lower() not in _UNFOLLOWED_METHODS:
        yield LinkReference(attributes["action"], _N, "html form[action]", False, "action")


def _submit_element(tag: str, attributes: Attributes) -> Iterator[LinkReference]:
    method = attributes.get("formmethod", "").strip().lower()
    if attributes.get("formaction") and method not in _UNFOLLOWED_METHODS:
        # Whether its form is sent by GET is not said here.
        guess = method != "get"
        yield LinkReference(attributes["formaction"], _N, f"html {tag}[formaction]", guess, "formaction")


def _codebase_directory(codebase: str) -> str:
    return codebase if not codebase or codebase.endswith("/") else f"{codebase}/"


def _class_file(code: str) -> str:
    match = _CLASS_NAME.fullmatch(code.strip())
    return code if match is None else f"{match[1].replace('.', '/')}.class"


def _base_element(attributes: Attributes) -> Iterator[LinkReference]:
    if attributes.get("href"):
        yield LinkReference(attributes["href"], _N, BASE_SOURCE, False, "href")


ELEMENT_READERS: Mapping[str, Callable[[Attributes], Iterator[LinkReference]]] = {
    "base": _base_element,
    "link": _link_element,
    "meta": meta_references,
    "param": _param_element,
    "applet": _applet_element,
    "object": _object_element,
    "form": _form_element,
    "button": partial(_submit_element, "button"),
    "input": partial(_submit_element, "input"),
}
"""What such elements refer to, by their names."""
