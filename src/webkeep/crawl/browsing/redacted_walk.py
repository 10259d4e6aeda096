"""A walk without its secrets: in addresses, in documents that scripts made, in whatever is noted of it."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any

from webkeep.browser.values import Walk
from webkeep.redaction import Redactor

_URLS = frozenset({"url", "links", "popups", "departures", "referred"})
"""The fields of a walk's values that hold addresses."""


def redact_walk(walk: Walk, redactor: Redactor) -> Walk:
    """The same walk, as it is written down."""
    if redactor.is_off:
        return walk
    redacted: Walk = _redacted(walk, redactor, "")
    return redacted


def _redacted(value: Any, redactor: Redactor, name: str) -> Any:
    match value:
        case Enum() | bytes():
            return value
        case str():
            return (redactor.redact_url(value) if name in _URLS else redactor.redact_text(value))[0]
        case tuple():
            return tuple(_redacted(each, redactor, name) for each in value)
        case frozenset():
            return frozenset(_redacted(each, redactor, name) for each in value)
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changed = {
                field.name: _redacted(getattr(value, field.name), redactor, field.name)
                for field in dataclasses.fields(value)
                if field.init
            }
            return dataclasses.replace(value, **changed)
        case _:
            return value
