"""Scripts with their links renamed (URL rewriting of JavaScript): strings that are links or look like them, as far as
is asked for, and the links of markup in strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from webkeep.document import find_script_strings
from webkeep.extract.inline import script_references
from webkeep.extract.links import LinkReference
from webkeep.rewrite.link_escaping import escape_plain_address, escape_script_string
from webkeep.rewrite.link_renaming import ReferenceRenamer, ScriptRenaming
from webkeep.rewrite.text_edits import TextEdit

MarkupRewriter = Callable[[str], str]
"""Renames the links of markup that a script would write into its page."""

_CERTAIN_LINK_SIGN = re.compile(
    r"\b(?:import|importScripts|from|Worker|SharedWorker|register|addModule|sourceMappingURL)\b"
)


def script_edits(
    text: str,
    renamer: ReferenceRenamer,
    scripts: ScriptRenaming,
    *,
    attribute: str = "",
    page: str = "",
    markup: MarkupRewriter | None = None,
) -> list[TextEdit]:
    """What changes in a script; `page` is the page it runs in, where that is known and not the script itself."""
    if scripts is ScriptRenaming.NONE or (
        scripts is ScriptRenaming.CERTAIN and _CERTAIN_LINK_SIGN.search(text) is None
    ):
        return []
    heard = _MarkupStrings()
    fragments = heard if markup is not None and scripts is ScriptRenaming.ALL else None
    edits = []
    for found in script_references(text, attribute, page, fragments):
        if found.guess and scripts is ScriptRenaming.CERTAIN:
            continue
        new = renamer.rename_reference(found)
        if new is not None:
            edits.append(TextEdit(found.start, found.end, spell_in_script(new, text, found)))
    if markup is not None and heard.values:
        edits += _markup_edits(text, heard.values, markup)
    return edits


def spell_in_script(new: str, text: str, found: LinkReference) -> str:
    """How a new address is written in the place of a reference of a script."""
    if found.source == "script sourceMappingURL":
        return escape_plain_address(new)
    return escape_script_string(new, text[found.start - 1 : found.start])


class _MarkupStrings:
    """Notes the strings that were taken for markup."""

    def __init__(self) -> None:
        self.values: set[str] = set()

    def __call__(self, markup: str) -> Iterator[LinkReference]:
        self.values.add(markup)
        return iter(())


def _markup_edits(text: str, values: set[str], markup: MarkupRewriter) -> Iterator[TextEdit]:
    for string in find_script_strings(text):
        if string.value in values:
            new = markup(string.value)
            if new != string.value:
                yield TextEdit(string.start, string.end, escape_script_string(new, text[string.start - 1]))
