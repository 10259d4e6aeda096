"""What of a page would run in a browser: its scripts and handlers, and the documents within it that may have some.

A page without any shows in a browser what it says in its source, and asks for nothing that is not named there.
"""

from __future__ import annotations

import re

from webkeep.document import Attributes, html_parts
from webkeep.document.inert import is_inert
from webkeep.extract.import_map import bare_imports, map_prefixes

FRAMES = frozenset({"iframe", "frame", "object", "embed", "fencedframe", "portal", "applet"})
"""Elements that show documents of their own."""
RUNNING = FRAMES | {"script", "base"}
"""Elements that have to be looked at."""
_SCRIPT_TYPES = re.compile(
    r"|module|(?:text|application)/(?:x-)?(?:java|ecma|j|live|vb)script[\d.]*(?:;.*)?|text/babel|text/jsx"
)

_SOURCES = ("src", "href", "xlink:href")


class Scripting:
    """What is found of it on one page."""

    __slots__ = ("base", "imports", "is_own", "is_rebased", "prefixes", "sources")

    def __init__(self) -> None:
        self.sources: list[str] = []
        """Where scripts are, as the page says it."""
        self.is_own = False
        """Whether something runs that stands in the page itself, or that cannot be told beforehand."""
        self.is_rebased = False
        """Whether addresses are relative to something else than the page."""
        self.base = ""
        """What they are relative to, as the page says it."""
        self.prefixes: list[tuple[str, str]] = []
        """What its import maps make of beginnings of names."""
        self.imports: list[str] = []
        """Names that its own scripts import, and that are to be looked up in a map."""

    def note(self, name: str, attributes: Attributes, content: str) -> None:
        """Take one of the elements of `RUNNING` into account."""
        if name == "base":
            self.base = self.base or _value(attributes, "href")
            self.is_rebased = True
        elif name != "script":
            self.is_own = True
        elif _value(attributes, "type").strip().lower() == "importmap":
            self.prefixes += map_prefixes(content)
        elif is_script_type(_value(attributes, "type")):
            self.imports += bare_imports(content)
            source = next(filter(None, (_value(attributes, each) for each in _SOURCES)), "")
            if source:
                self.sources.append(source)
            elif content and not is_inert(content):
                self.is_own = True

    def note_handlers(self, attributes: Attributes) -> None:
        """Take the handlers of any element into account."""
        if any(name[:2] == "on" for name, _ in attributes):
            self.is_own = True


def is_script_type(text: str) -> bool:
    """Whether browsers, or libraries in them, run a script of this type."""
    return _SCRIPT_TYPES.fullmatch(text.strip().lower()[:100]) is not None


def scripting_of(text: str) -> Scripting:
    """What of a page would run."""
    found = Scripting()
    for name, attributes, content, _ in html_parts(text):
        if name in RUNNING:
            found.note(name, attributes, content)
        found.note_handlers(attributes)
    return found


def _value(attributes: Attributes, name: str) -> str:
    for key, value in attributes:
        if key == name:
            return value if isinstance(value, str) else " ".join(value or ())
    return ""
