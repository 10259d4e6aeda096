"""Links of scripts: what is certain by the language, and strings that look like links where nothing speaks against it.

A string is passed over where it is part of an expression, which what stands before and behind it tells: no one can
say what `dir + "/a.gif"` is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from webkeep.document import ScriptString, script_strings
from webkeep.extract.guess import guessed_role, is_absolute, role_by_name
from webkeep.extract.link import Reference, Role

Fragments = Callable[[str], Iterator[Reference]]
"""Reads markup that a script would write into its page."""

_SAFE_BEFORE = frozenset(";(=,[{:?|&!>}")
_SAFE_WORDS = frozenset(("return", "case", "default", "else", "of", "in", "yield", "await", "throw"))
_SAFE_AFTER = frozenset(";,)]}:?|&\n\r=")
_WORD = re.compile(r"[\w$]+$")
_CALLEE = re.compile(r"([\w$.]+)\s*\($")
_TARGET = re.compile(r"([\w$.]+)\s*=$")
_COMMENT = re.compile(r"/\*[^*]*\*/$")
_LISTED_IMPORT = re.compile(r"\bimportScripts\s*\([^()]*,$")
_META_RELATIVE = re.compile(r"\s*,\s*import\s*\.\s*meta\s*\.\s*url\b")
_SPECIFIER = re.compile(r"\.{0,2}/|[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SOURCE_MAP = re.compile(r"(?://|/\*)\s?[#@]\s{0,4}sourceMappingURL=([^\s'\"*]{1,2048})")
_LOADERS = {
    "Worker": "script Worker", "SharedWorker": "script Worker", "importScripts": "script importScripts",
    "register": "script serviceWorker", "addModule": "script addModule",
}  # fmt: skip
_FETCHERS_WORDS = (
    "fetch open load getScript getJSON ajax assign Audio EventSource loadScript preload goto navigate go "
    "pushState replaceState sendBeacon"
)
_FETCHERS = frozenset(_FETCHERS_WORDS.split())
_PROPERTIES_WORDS = "src href location action background poster data url pathname lowsrc currentSrc"
_PROPERTIES = frozenset(_PROPERTIES_WORDS.split())


def script_references(
    text: str, attribute: str = "", page: str = "", fragments: Fragments | None = None
) -> Iterator[Reference]:
    """The references of a script; `page` is the page it runs in, where that is known and not the script itself."""
    for string in script_strings(text):
        if (certain := _certain(string, attribute, page)) is not None:
            yield certain
        elif "<" in string.value:
            if fragments is not None:
                yield from (found.guessed() for found in fragments(string.value))
        elif (guessed := _guessed(string, attribute, page)) is not None:
            yield guessed
    yield from _source_map(text, attribute)


def _certain(string: ScriptString, attribute: str, page: str) -> Reference | None:
    """A reference by the language itself: imports, workers, addresses relative to the module."""
    before = _COMMENT.sub("", string.before).rstrip() if string.before.endswith("*/") else string.before
    source = base = ""
    if before.endswith("("):
        callee = _last_name(_CALLEE, before)
        if callee == "URL" and _META_RELATIVE.match(string.after):
            return _placed(string, role_by_name(string.value, Role.EMBED), "script import.meta", attribute)
        if callee in ("import", "resolve") and (callee == "import" or before.endswith("meta.resolve(")):
            source = "script import()" if callee == "import" else "script import.meta"
        elif callee in _LOADERS and (callee != "register" or "serviceWorker" in before):
            source, base = _LOADERS[callee], "" if callee == "importScripts" else page
    elif before.endswith(",") and _LISTED_IMPORT.search(before):
        source = "script importScripts"
    elif (word := _WORD.search(before)) is not None and word[0] in ("import", "from"):
        source = "script import"
    if not source:
        return None
    if source.startswith("script import") and "Scripts" not in source and not _SPECIFIER.match(string.value):
        return None  # a bare name means whatever an import map says
    return _placed(string, Role.EMBED, source, attribute, False, base)


def _guessed(string: ScriptString, attribute: str, page: str) -> Reference | None:
    before, after = string.before, string.after[:1]
    word = _WORD.search(before)
    if before and before[-1] not in _SAFE_BEFORE and not (word and word[0] in _SAFE_WORDS):
        return None
    if after and after not in _SAFE_AFTER and not string.after.lstrip().startswith(("//", "/*")):
        return None
    if after == "=" and not string.after.startswith("=="):
        return None
    if before.endswith("${"):
        return None  # a piece of a template
    is_key = after == ":" and before[-1:] in ("{", ",")
    if is_key and not is_absolute(string.value):
        return None
    callee = _last_name(_CALLEE, before) if before.endswith("(") else ""
    if callee in ("require", "define"):
        return None
    role = guessed_role(string.value, callee in _FETCHERS or _assigned_address(before))
    return None if role is None else _placed(string, role, "script string", attribute, True, page)


def _assigned_address(before: str) -> bool:
    return before.endswith("=") and _last_name(_TARGET, before) in _PROPERTIES


def _last_name(pattern: re.Pattern[str], before: str) -> str:
    match = pattern.search(before)
    return match[1].rpartition(".")[2] if match else ""


def _placed(
    string: ScriptString, role: Role, source: str, attribute: str, guess: bool = False, base: str = ""
) -> Reference:
    return Reference(string.value, role, source, guess, attribute, string.start, string.end, base)


def _source_map(text: str, attribute: str) -> Iterator[Reference]:
    at = text.rfind("sourceMappingURL=")
    match = _SOURCE_MAP.search(text, max(0, at - 10)) if at >= 0 else None
    if match is not None:
        yield Reference(match[1], Role.EMBED, "script sourceMappingURL", False, attribute, match.start(1), match.end(1))
