"""Links of scripts: what is certain by the language (import, Worker, importScripts, sourceMappingURL), and strings that
look like links (speculative) where nothing around them speaks against it.

A string is passed over where it is part of an expression, which what stands before and behind it tells: no one can
say what `dir + "/a.gif"` is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from webkeep.document import ScriptString, find_script_strings
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import guess_role, is_absolute_address, role_by_name

FragmentReader = Callable[[str], Iterator[LinkReference]]
"""Reads markup that a script would write into its page."""

_SAFE_BEFORE = frozenset(";(=,[{:?|&!>}")
_SAFE_WORDS = frozenset(("return", "case", "default", "else", "of", "in", "yield", "await", "throw"))
_SAFE_AFTER = frozenset(";,)]}:?|&\n\r=")
_NAME_REVERSED = re.compile(r"[\w$]+")
_COMMENT = re.compile(r"/\*[^*]*\*/$")
_LISTED_IMPORT = re.compile(r"\bimportScripts\s*\([^()]*,$")
_META_RELATIVE = re.compile(r"\s*,\s*import\s*\.\s*meta\s*\.\s*url\b")
_SPECIFIER = re.compile(r"\.{0,2}/|[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SOURCE_MAP = re.compile(r"(?://|/\*)\s?[#@]\s{0,4}sourceMappingURL=([^\s'\"*]{1,2048})")
_LOADER_SOURCES = {
    "Worker": "script Worker", "SharedWorker": "script Worker", "importScripts": "script importScripts",
    "register": "script serviceWorker", "addModule": "script addModule",
}  # fmt: skip
_FETCHERS_WORDS = (
    "fetch open load getScript getJSON ajax assign Audio EventSource loadScript preload goto navigate go "
    "pushState replaceState sendBeacon"
)
_FETCHING_FUNCTIONS = frozenset(_FETCHERS_WORDS.split())
_PROPERTIES_WORDS = "src href location action background poster data url pathname lowsrc currentSrc"
_URL_PROPERTIES = frozenset(_PROPERTIES_WORDS.split())


def script_references(
    text: str, attribute: str = "", page: str = "", fragments: FragmentReader | None = None
) -> Iterator[LinkReference]:
    """The references of a script; `page` is the page it runs in, where that is known and not the script itself."""
    for string in find_script_strings(text):
        if (certain := _certain_reference(string, attribute, page)) is not None:
            yield certain
        elif "<" in string.value:
            if fragments is not None:
                yield from (found.without_place().as_guess() for found in fragments(string.value))
        elif (guessed := _guess_reference(string, attribute, page)) is not None:
            yield guessed
    yield from _source_map_references(text, attribute)


def _certain_reference(string: ScriptString, attribute: str, page: str) -> LinkReference | None:
    """A reference by the language itself: imports, workers, addresses relative to the module."""
    before = _COMMENT.sub("", string.before).rstrip() if string.before.endswith("*/") else string.before
    last = before[-1:]
    if last == "(":
        return _argument_reference(_name_before(before[:-1]), before, string, attribute, page)
    if last == ",":
        listed = "importScripts" in before and _LISTED_IMPORT.search(before)
        return _string_reference(string, LinkRole.EMBED, "script importScripts", attribute) if listed else None
    is_import = last in ("t", "m") and _name_before(before) in ("import", "from")
    if is_import and _SPECIFIER.match(string.value):  # a bare name means whatever an import map says
        return _string_reference(string, LinkRole.EMBED, "script import", attribute)
    return None


def _argument_reference(
    callee: str, before: str, string: ScriptString, attribute: str, page: str
) -> LinkReference | None:
    """A reference that is the first argument of a function."""
    if callee == "URL" and _META_RELATIVE.match(string.after):
        return _string_reference(string, role_by_name(string.value, LinkRole.EMBED), "script import.meta", attribute)
    if callee == "import" and _SPECIFIER.match(string.value):
        return _string_reference(string, LinkRole.EMBED, "script import()", attribute)
    if callee == "resolve" and before.endswith("meta.resolve(") and _SPECIFIER.match(string.value):
        return _string_reference(string, LinkRole.EMBED, "script import.meta", attribute)
    if callee in _LOADER_SOURCES and (callee != "register" or "serviceWorker" in before):
        base = "" if callee == "importScripts" else page
        return _string_reference(string, LinkRole.EMBED, _LOADER_SOURCES[callee], attribute, False, base)
    return None


def _guess_reference(string: ScriptString, attribute: str, page: str) -> LinkReference | None:
    before, after = string.before, string.after
    last, following = before[-1:], after[:1]
    if last and last not in _SAFE_BEFORE and _name_before(before) not in _SAFE_WORDS:
        return None
    if following and following not in _SAFE_AFTER and not after.lstrip().startswith(("//", "/*")):
        return None
    if (following == "=" and not after.startswith("==")) or before.endswith("${"):
        return None  # what is assigned to, and a piece of a template, is no address
    if following == ":" and last in ("{", ",") and not is_absolute_address(string.value):
        return None  # the name of a member
    trusted = False
    if last == "(":
        callee = _name_before(before[:-1])
        if callee in ("require", "define"):
            return None
        trusted = callee in _FETCHING_FUNCTIONS
    elif last == "=":
        trusted = _name_before(before[:-1]) in _URL_PROPERTIES
    role = guess_role(string.value, trusted)
    return None if role is None else _string_reference(string, role, "script string", attribute, True, page)


def _name_before(code: str) -> str:
    """The last name of some code, up to 40 characters of it."""
    match = _NAME_REVERSED.match(code[:-41:-1].lstrip())
    return match[0][::-1] if match else ""


def _string_reference(
    string: ScriptString, role: LinkRole, source: str, attribute: str, guess: bool = False, base: str = ""
) -> LinkReference:
    return LinkReference(string.value, role, source, guess, attribute, string.start, string.end, base)


def _source_map_references(text: str, attribute: str) -> Iterator[LinkReference]:
    at = text.rfind("sourceMappingURL=")
    match = _SOURCE_MAP.search(text, max(0, at - 10)) if at >= 0 else None
    if match is not None:
        yield LinkReference(
            match[1], LinkRole.EMBED, "script sourceMappingURL", False, attribute, match.start(1), match.end(1)
        )
