"""What work came to, as a value: fields that a program reads, and the summary that the command prints with `--json`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from webkeep.model import Moment

LEFT_OUT: Mapping[str, Any] = {"json": None}
"""Of a field that is for programs in Python alone."""
IF_GIVEN: Mapping[str, Any] = {"optional": True}
"""Of a field that a summary has only where there is something to say."""


SHORT_ID_CHARS = 8
"""How much of an identifier or digest people are shown; the start of a capture's is enough to name it."""


def name_in_json(name: str) -> Mapping[str, Any]:
    """Of a field that has another name in JSON."""
    return {"json": name}


@dataclass(frozen=True, slots=True)
class WorkSummary:
    """What some work came to."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return summary_values_of(self)


def summary_values_of(summary: WorkSummary) -> dict[str, object]:
    """The fields of a summary by their names in JSON, as plain values."""
    values: dict[str, object] = {}
    for each in fields(summary):
        name, value = each.metadata.get("json", each.name), getattr(summary, each.name)
        if name is not None and not (value is None and each.metadata.get("optional")):
            values[name] = to_plain_value(value)
    return values


def to_plain_value(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Moment):
        return value.iso()
    if isinstance(value, Mapping):
        return {to_plain_value(name): to_plain_value(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain_value(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain_value(getattr(value, each.name)) for each in fields(value)}
    return value
