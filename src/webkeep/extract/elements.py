"""Elements whose attributes only together say where they lead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from urllib.parse import unquote_plus

from webkeep.extract.guess import guessed_role
from webkeep.extract.link import NOWHERE, WHOLE, Reference, Role
from webkeep.extract.meta import meta_references
from webkeep.extract.relation import relation_role

BASE = "html base[href]"
"""The source of references that are no links but what others are relative to."""

_E, _N = Role.EMBED, Role.NAVIGATE
_LIST = re.compile(r"[^\s,]+")
_DIALOG = {"post", "dialog"}
_PARAMETERS_WORDS = (
    "movie src source url href filename file data image archive cache_archive code object flv video audio bgimage "
    "backgroundimage poster thumbnail playlist"
)
_PARAMETERS = frozenset(_PARAMETERS_WORDS.split())
_CLASS_NAME = re.compile(r"(?:java:)?([\w$]+(?:[./][\w$]+)*?)(\.class)?", re.IGNORECASE)

Attributes = Mapping[str, str]


def _link(attributes: Attributes) -> Iterator[Reference]:
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
    yield Reference(href, role, f"html link[{' '.join(rel.lower().split())[:40] or 'href'}]", guess, "href")


def _parameter(attributes: Attributes) -> Iterator[Reference]:
    name = attributes.get("name", "").strip().lower()
    value = attributes.get("value", "")
    if name == "flashvars":
        yield from flash_variables(value, "html param[flashvars]", "value")
    elif name in _PARAMETERS and value and guessed_role(value.strip(), trusted=True):
        yield Reference(value, _E, "html param[value]", False, "value")
    elif (role := guessed_role(value.strip())) is not None:
        yield Reference(value, role, "html param[value]", True, "value")


def flash_variables(value: str, source: str, attribute: str) -> Iterator[Reference]:
    """Addresses among the variables handed to a Flash film, which are written like a query."""
    for pair in value[:65536].split("&"):
        text = unquote_plus(pair.partition("=")[2])
        if (role := guessed_role(text)) is not None:
            yield Reference(text, role, source, True, attribute, NOWHERE, NOWHERE)


def _applet(attributes: Attributes) -> Iterator[Reference]:
    base = _directory(attributes.get("codebase", ""))
    for match in _LIST.finditer(attributes.get("archive", "")):
        yield Reference(match[0], _E, "html applet[archive]", False, "archive", match.start(), match.end(), base)
    if attributes.get("code"):
        # The class may well be in the archive, and then is on the server nowhere else.
        name = _class_file(attributes["code"])
        place = WHOLE if name == attributes["code"] else NOWHERE
        yield Reference(name, _E, "html applet[code]", "archive" in attributes, "code", place, place, base)
    if attributes.get("object"):
        yield Reference(attributes["object"], _E, "html applet[object]", False, "object", base=base)
    if attributes.get("src"):
        yield Reference(attributes["src"], _E, "html applet[src]", True, "src", base=base)


def _object(attributes: Attributes) -> Iterator[Reference]:
    class_id = attributes.get("classid", "").strip()
    codebase = attributes.get("codebase", "")
    if class_id.lower().startswith("clsid:"):
        # For such objects the codebase is the program to install.
        base, class_id = "", ""
        if codebase:
            yield Reference(codebase, _E, "html object[codebase]", False, "codebase")
    else:
        base = _directory(codebase)
    if attributes.get("data"):
        yield Reference(attributes["data"], _E, "html object[data]", False, "data", base=base)
    for match in _LIST.finditer(attributes.get("archive", "")):
        yield Reference(match[0], _E, "html object[archive]", False, "archive", match.start(), match.end(), base)
    if class_id and class_id[:1] != "#":
        name = _class_file(class_id) if class_id.lower().startswith("java:") else class_id
        place = WHOLE if name == class_id else NOWHERE
        yield Reference(name, _E, "html object[classid]", False, "classid", place, place, base)


def _form(attributes: Attributes) -> Iterator[Reference]:
    if attributes.get("action") and attributes.get("method", "").strip().lower() not in _DIALOG:
        yield Reference(attributes["action"], _N, "html form[action]", False, "action")


def _submit(tag: str, attributes: Attributes) -> Iterator[Reference]:
    method = attributes.get("formmethod", "").strip().lower()
    if attributes.get("formaction") and method not in _DIALOG:
        # Whether its form is sent by GET is not said here.
        guess = method != "get"
        yield Reference(attributes["formaction"], _N, f"html {tag}[formaction]", guess, "formaction")


def _directory(codebase: str) -> str:
    return codebase if not codebase or codebase.endswith("/") else f"{codebase}/"


def _class_file(code: str) -> str:
    match = _CLASS_NAME.fullmatch(code.strip())
    return code if match is None else f"{match[1].replace('.', '/')}.class"


def _base(attributes: Attributes) -> Iterator[Reference]:
    if attributes.get("href"):
        yield Reference(attributes["href"], _N, BASE, False, "href")


ELEMENTS: Mapping[str, Callable[[Attributes], Iterator[Reference]]] = {
    "base": _base,
    "link": _link,
    "meta": meta_references,
    "param": _parameter,
    "applet": _applet,
    "object": _object,
    "form": _form,
    "button": partial(_submit, "button"),
    "input": partial(_submit, "input"),
}
"""What such elements refer to, by their names."""
