"""What of a page would run in a browser: its scripts by their types, its handlers, and the documents within it (frames,
objects, embeds) that may have some.

A page without any shows in a browser what it says in its source, and asks for nothing that is not named there.
"""

from __future__ import annotations

import re

from webkeep.document import MarkupAttributes, is_inert_script, read_html_parts
from webkeep.extract.inline.import_map import find_bare_imports, read_prefixes

FRAME_TAGS = frozenset({"iframe", "frame", "object", "embed", "fencedframe", "portal", "applet"})
"""Elements that show documents of their own."""
RUNNING_TAGS = FRAME_TAGS | {"script", "base"}
"""Elements that have to be looked at."""
_SCRIPT_TYPES = re.compile(
    r"|module|(?:text|application)/(?:x-)?(?:java|ecma|j|live|vb)script[\d.]*(?:;.*)?|text/babel|text/jsx"
)

_SOURCE_ATTRIBUTES = ("src", "href", "xlink:href")


class PageScripting:
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

    def note_element(self, name: str, attributes: MarkupAttributes, content: str) -> None:
        """Take one of the elements of `RUNNING_TAGS` into account."""
        if name == "base":
            self.base = self.base or _attribute_text(attributes, "href")
            self.is_rebased = True
        elif name != "script":
            self.is_own = True
        elif _attribute_text(attributes, "type").strip().lower() == "importmap":
            self.prefixes += read_prefixes(content)
        elif is_script_type(_attribute_text(attributes, "type")):
            self.imports += find_bare_imports(content)
            source = next(filter(None, (_attribute_text(attributes, each) for each in _SOURCE_ATTRIBUTES)), "")
            if source:
                self.sources.append(source)
            elif content and not is_inert_script(content):
                self.is_own = True

    def mark_own(self) -> None:
        """Something runs that stands in the page itself, or that cannot be told beforehand."""
        self.is_own = True

    def note_handlers(self, attributes: MarkupAttributes) -> None:
        """Take the handlers of any element into account."""
        if any(name[:2] == "on" for name, _ in attributes):
            self.is_own = True


def is_script_type(text: str) -> bool:
    """Whether browsers, or libraries in them, run a script of this type."""
    return _SCRIPT_TYPES.fullmatch(text.strip().lower()[:100]) is not None


def find_scripting(text: str) -> PageScripting:
    """What of a page would run."""
    found = PageScripting()
    for name, attributes, content, _ in read_html_parts(text):
        if name in RUNNING_TAGS:
            found.note_element(name, attributes, content)
        found.note_handlers(attributes)
    return found


def _attribute_text(attributes: MarkupAttributes, name: str) -> str:
    for key, value in attributes:
        if key == name:
            return value if isinstance(value, str) else " ".join(value or ())
    return ""
