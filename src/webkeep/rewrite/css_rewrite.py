"""Style sheets with their links renamed (URL rewriting): what changes in a sheet or a style attribute, and how a new
address is spelled in the place of the old one.
"""

from __future__ import annotations

from webkeep.extract.inline import style_references
from webkeep.extract.links import LinkReference
from webkeep.rewrite.link_escaping import escape_plain_address, escape_style_address
from webkeep.rewrite.link_renaming import MissingTarget, ReferenceRenamer, may_name_host
from webkeep.rewrite.text_edits import TextEdit


def style_edits(text: str, renamer: ReferenceRenamer) -> list[TextEdit]:
    """What changes in a style sheet or in the declarations of a style attribute."""
    if renamer.named_hosts_only and not may_name_host(text):
        return []
    edits = []
    for found in style_references(text):
        new = renamer.rename_reference(found)
        if new is not None:
            edits.append(TextEdit(found.start, found.end, spell_in_style(new, text, found)))
    return edits


def spell_in_style(new: str, text: str, found: LinkReference) -> str:
    """How a new address is written in the place of a reference of a style sheet."""
    if found.source.endswith("sourceMappingURL"):
        return escape_plain_address(new)
    if type(new) is MissingTarget:
        new = new.data_url
    return escape_style_address(new, text[found.start - 1 : found.start])
