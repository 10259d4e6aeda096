"""Style sheets with their links renamed."""

from __future__ import annotations

from webkeep.extract import Reference
from webkeep.extract.css import style_references
from webkeep.rewrite.renaming import Joiner, Missing, may_name_host
from webkeep.rewrite.spelling import plain_address, style_address
from webkeep.rewrite.splicing import Edit


def style_edits(text: str, joiner: Joiner) -> list[Edit]:
    """What changes in a style sheet or in the declarations of a style attribute."""
    if joiner.named_hosts_only and not may_name_host(text):
        return []
    edits = []
    for found in style_references(text):
        new = joiner.renamed(found)
        if new is not None:
            edits.append(Edit(found.start, found.end, style_spelling(new, text, found)))
    return edits


def style_spelling(new: str, text: str, found: Reference) -> str:
    """How a new address is written in the place of a reference of a style sheet."""
    if found.source.endswith("sourceMappingURL"):
        return plain_address(new)
    if type(new) is Missing:
        new = new.data_address
    return style_address(new, text[found.start - 1 : found.start])
