"""Scripts with their links renamed: strings that are links or look like them, and the links of markup in strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from webkeep.document import script_strings
from webkeep.extract import Reference
from webkeep.extract.script import script_references
from webkeep.rewrite.renaming import Joiner, Scripts
from webkeep.rewrite.spelling import plain_address, script_string
from webkeep.rewrite.splicing import Edit

Markup = Callable[[str], str]
"""Renames the links of markup that a script would write into its page."""

_CERTAIN_SIGN = re.compile(r"\b(?:import|importScripts|from|Worker|SharedWorker|register|addModule|sourceMappingURL)\b")


def script_edits(
    text: str, joiner: Joiner, scripts: Scripts, *, attribute: str = "", page: str = "", markup: Markup | None = None
) -> list[Edit]:
    """What changes in a script; `page` is the page it runs in, where that is known and not the script itself."""
    if scripts is Scripts.NONE or (scripts is Scripts.CERTAIN and _CERTAIN_SIGN.search(text) is None):
        return []
    heard = _Heard()
    fragments = heard if markup is not None and scripts is Scripts.ALL else None
    edits = []
    for found in script_references(text, attribute, page, fragments):
        if found.guess and scripts is Scripts.CERTAIN:
            continue
        new = joiner.renamed(found)
        if new is not None:
            edits.append(Edit(found.start, found.end, script_spelling(new, text, found)))
    if markup is not None and heard.values:
        edits += _markup_edits(text, heard.values, markup)
    return edits


def script_spelling(new: str, text: str, found: Reference) -> str:
    """How a new address is written in the place of a reference of a script."""
    if found.source == "script sourceMappingURL":
        return plain_address(new)
    return script_string(new, text[found.start - 1 : found.start])


class _Heard:
    """Notes the strings that were taken for markup."""

    def __init__(self) -> None:
        self.values: set[str] = set()

    def __call__(self, markup: str) -> Iterator[Reference]:
        self.values.add(markup)
        return iter(())


def _markup_edits(text: str, values: set[str], markup: Markup) -> Iterator[Edit]:
    for string in script_strings(text):
        if string.value in values:
            new = markup(string.value)
            if new != string.value:
                yield Edit(string.start, string.end, script_string(new, text[string.start - 1]))
