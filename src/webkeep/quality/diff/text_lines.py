"""The lines of text of what was observed, by which two states of it are compared: which media types are text, how HTML
and JSON become lines, and how much is compared at most.
"""

from __future__ import annotations

import json

from webkeep.document import read_visible_lines, sniff_text
from webkeep.formats.http import declared_charset
from webkeep.model import Observation
from webkeep.store.archive import Archive

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
MAX_COMPARED_BYTES = 4 << 20
"""So much of a resource is compared, in bytes: no page of text is longer."""
_MAX_LINES = 20_000
"""So many lines of a page are compared: the time it takes grows with their square."""
_TEXT_TYPE_PARTS = ("json", "xml", "script", "ecmascript", "yaml")


def has_lines(observation: Observation | None) -> bool:
    """Whether what was observed is text."""
    kind = "" if observation is None else observation.media_type
    return kind.startswith("text/") or kind.endswith(_TEXT_TYPE_PARTS)


def read_text_lines(archive: Archive, observation: Observation | None) -> list[str]:
    """The lines that a page showed, or a file of text consists of; none where it is no text."""
    if observation is None or not has_lines(observation):
        return []
    stored = archive.read(observation)
    declared = declared_charset(stored.head.headers) if stored.head is not None else ""
    content = b"".join(stored.content(MAX_COMPARED_BYTES))
    if observation.media_type in HTML_TYPES:
        return read_visible_lines(content, declared)
    text = sniff_text(content, declared).text
    lines = (_format_json(text) if observation.media_type.endswith("json") else text).splitlines()
    return [line.rstrip() for line in lines[:_MAX_LINES] if not line.isspace()]


def _format_json(text: str) -> str:
    """JSON with a line for each value, as it is often written in one; as it is where it is no JSON after all."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
