"""A walk without its secrets: which of its fields are redacted as URLs and which as text, down to the documents that
scripts made.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any

from webkeep.browser import StateWalk
from webkeep.redaction import Redactor

_URL_FIELDS = frozenset({"url", "links", "popups", "departures", "referred"})
"""The fields of a walk's values that hold addresses."""


def redact_walk(walk: StateWalk, redactor: Redactor) -> StateWalk:
    """The same walk, as it is written down."""
    if redactor.is_off:
        return walk
    redacted: StateWalk = _redact_value(walk, redactor, "")
    return redacted


def _redact_value(value: Any, redactor: Redactor, name: str) -> Any:
    match value:
        case Enum() | bytes():
            return value
        case str():
            return (redactor.redact_url(value) if name in _URL_FIELDS else redactor.redact_text(value))[0]
        case tuple():
            return tuple(_redact_value(each, redactor, name) for each in value)
        case frozenset():
            return frozenset(_redact_value(each, redactor, name) for each in value)
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changed = {
                field.name: _redact_value(getattr(value, field.name), redactor, field.name)
                for field in dataclasses.fields(value)
                if field.init
            }
            return dataclasses.replace(value, **changed)
        case _:
            return value
