"""What an archive keeps of a page's portrait: its note, and each part with the name and the media type that its record
has; secrets in texts and addresses are left out.
"""

from __future__ import annotations

from webkeep.browser.portraits import PagePortrait
from webkeep.formats.states import (
    FULL_PAGE_PREFIX,
    PDF_PREFIX,
    PORTRAIT_TYPE,
    RENDERED_PREFIX,
    TEXT_PREFIX,
    WINDOW_PREFIX,
    PortraitNote,
)
from webkeep.redaction import Redactor

PortraitPart = tuple[str, str, bytes]
"""The name of a record, its media type, and what it holds."""


def portrait_parts(page: str, portrait: PagePortrait | str, redactor: Redactor) -> list[PortraitPart]:
    """The parts of a portrait and its note, or the note that says why there is none, as they are written down."""
    if isinstance(portrait, str):
        return [_note_part(PortraitNote(page, failure=portrait))]
    text, dom, title = (redactor.redact_text(each)[0] for each in (portrait.text, portrait.dom, portrait.title))
    note = PortraitNote(
        page,
        redactor.redact_url(portrait.url)[0],
        title,
        portrait.status,
        portrait.width,
        portrait.height,
        portrait.pictured_width,
        portrait.pictured_height,
        portrait.is_at_rest,
        tuple(redactor.redact_text(each)[0] for each in portrait.dialogs),
        tuple(redactor.redact_text(each)[0] for each in portrait.troubles),
    )
    return [
        (f"{FULL_PAGE_PREFIX}{page}", "image/png", portrait.full),
        (f"{WINDOW_PREFIX}{page}", "image/png", portrait.window),
        (f"{PDF_PREFIX}{page}", "application/pdf", portrait.pdf),
        (f"{TEXT_PREFIX}{page}", "text/plain; charset=utf-8", text.encode("utf-8", "replace")),
        (f"{RENDERED_PREFIX}{page}", "text/html; charset=utf-8", dom.encode("utf-8", "replace")),
        _note_part(note),
    ]


def _note_part(note: PortraitNote) -> PortraitPart:
    return note.urn, PORTRAIT_TYPE, note.to_block()
