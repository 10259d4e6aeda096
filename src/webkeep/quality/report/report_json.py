"""A report as values for JSON: the same figures as on the page, under names that stay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from typing import Any

from webkeep.model import Moment
from webkeep.presentation import escape_json_controls
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.next_capture import NextCapture
from webkeep.quality.report.report_verdict import ReportVerdict

FORMAT_VERSION = 1
"""Counts the changes of what the JSON of a report says and how."""
_LARGE_FIELDS = frozenset({"points", "nodes"})
"""What only the pictures need, and the summary on a terminal does not."""


def report_values(
    report: ArchiveReport, verdict: ReportVerdict, is_whole: bool = True, proposal: NextCapture | None = None
) -> dict[str, object]:
    """All figures; without what only the pictures need where it is not to be whole."""
    made = {
        each.name: plain_value(getattr(report, each.name))
        for each in fields(report)
        if (is_whole or each.name not in _LARGE_FIELDS) and not _is_left_out(each)
    }
    return {"format": FORMAT_VERSION, "verdict": plain_value(verdict), **made, "proposal": plain_value(proposal)}


def plain_value(value: object) -> object:
    """A value made of what JSON has: dataclasses as objects, moments as ISO 8601, choices as their words."""
    if isinstance(value, Moment):
        return value.iso()
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain_value(getattr(value, each.name)) for each in fields(value) if not _is_left_out(each)}
    if isinstance(value, Mapping):
        return {str(plain_value(key)): plain_value(each) for key, each in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain_value(each) for each in value]
    return value


def _is_left_out(field: Field[Any]) -> bool:
    """Whether a field is no figure: pictures, and what only programs go on working with."""
    return "json" in field.metadata and field.metadata["json"] is None


def render_report_json(
    report: ArchiveReport, verdict: ReportVerdict, proposal: NextCapture | None = None
) -> Iterator[bytes]:
    """The report as one JSON object, piece by piece."""
    values = report_values(report, verdict, proposal=proposal)
    yield b"{"
    for number, (name, value) in enumerate(values.items()):
        text = json.dumps(value, ensure_ascii=False)
        yield f"{',' if number else ''}\n{json.dumps(name)}: {escape_json_controls(text)}".encode("utf-8", "replace")
    yield b"\n}\n"
