"""The note of a page's portrait in an archive: JSON about how a browser showed the page, and the URNs under which the
note, its pictures, PDF, text and document are found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from webkeep.errors import FormatError
from webkeep.formats.json_value import read_json

PORTRAIT_TYPE = "application/vnd.webkeep.portrait+json"
"""The media type of the resource records that hold such notes."""
PORTRAIT_PREFIX, RENDERED_PREFIX, PDF_PREFIX = "urn:webkeep:portrait:", "urn:webkeep:rendered:", "urn:pdf:"
"""Before the URL of a page: its note, the document as a browser left it, and that on paper."""


@dataclass(frozen=True, slots=True)
class PortraitNote:
    """What is to be known of a page's portrait beside what is on it."""

    page: str
    """The URL that was loaded."""
    url: str = ""
    """Where it was shown in the end."""
    title: str = ""
    status: int = 0
    width: int = 0
    height: int = 0
    pictured_width: int = 0
    pictured_height: int = 0
    is_at_rest: bool = False
    dialogs: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    failure: str = ""
    """Why there is no portrait, where there is none."""

    @property
    def urn(self) -> str:
        """The name under which it is found."""
        return f"{PORTRAIT_PREFIX}{self.page}"

    def to_block(self) -> bytes:
        """The note as its record holds it."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1).encode("utf-8", "replace")


def parse_portrait_note(block: bytes) -> PortraitNote:
    """The note that a record holds."""
    value = read_json(block)
    if not isinstance(value, Mapping) or not isinstance(value.get("page"), str):
        raise FormatError("the note of a portrait is damaged")
    return PortraitNote(**{each.name: _read_field(value, each.name) for each in fields(PortraitNote)})


def _read_field(value: Mapping[str, object], name: str) -> Any:
    """A field as a note has it, or as an empty one has it where it is missing or of another kind."""
    usual, held = getattr(PortraitNote(""), name), value.get(name)
    if isinstance(usual, tuple):
        return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list) else ()
    return held if type(held) is type(usual) else usual
