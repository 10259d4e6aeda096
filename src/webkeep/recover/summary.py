"""The summary of a recovery: a line for every URL that was gone for, for people and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from webkeep.model import Moment
from webkeep.recover.outcome import Line, Taking
from webkeep.recover.paths import path_of
from webkeep.recover.repository import Held

MISSING = "MISSING"
_MOST_OTHERS = 50
_SEPARATOR = re.compile(r"[\t\n\r]")
_ENCODED = json.JSONEncoder(ensure_ascii=False).encode


def summary_text(lines: Iterable[Line], ended: Moment) -> Iterator[str]:
    """A line of text for every URL that was gone for."""
    return (text_line(line, ended) for line in lines if not line.is_skipped)


def text_line(line: Line, ended: Moment) -> str:
    """Fields between tabs: when, URL, media type, file, repository, date, and who else has which version."""
    return "\t".join([_SEPARATOR.sub(_escaped, field) for field in _fields(line, ended)]) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _fields(line: Line, ended: Moment) -> list[str]:
    chosen = line.chosen
    if chosen is None:
        return [_clock(ended), line.key, MISSING]
    others = ", ".join(f"{each.repository}:{_day(each.moment)}" for each in line.others[:_MOST_OTHERS])
    return [
        _clock(chosen.retrieved),
        line.key,
        chosen.media_type,
        path_of(chosen.url),
        chosen.held.repository,
        _day(chosen.moment),
        others,
    ]


def summary_json(lines: Iterable[Line]) -> Iterator[str]:
    """The same as JSON lines, with where each was had, how good it is, and why what is missing is."""
    return map(json_line, lines)


def json_line(line: Line) -> str:
    """The same of one URL."""
    return _ENCODED(summary_values(line)) + "\n"


def summary_values(line: Line) -> dict[str, object]:
    """What is told of one URL."""
    chosen = line.chosen
    values: dict[str, object] = {
        "url": line.url,
        "key": line.key,
        "outcome": "recovered" if chosen is not None else "skipped" if line.is_skipped else "missing",
        "current": line.is_current,
    }
    if chosen is not None:
        values |= _taking_values(chosen)
    if line.note:
        values["reason"] = line.note
    if line.refused:
        values["refused"] = list(dict.fromkeys(line.refused))
    values["others"] = [_held_values(each) for each in line.others[:_MOST_OTHERS]]
    values["further_versions"] = [each.moment.iso() for each in line.further]
    return values


def _taking_values(taking: Taking) -> dict[str, object]:
    return {
        "repository": taking.held.repository,
        "moment": taking.moment.iso(),
        "uri": taking.held.uri,
        "media_type": taking.media_type,
        "digest": str(taking.held.digest) if taking.held.digest is not None else None,
        "bytes": taking.size,
        "fidelity": taking.fidelity,
        "truncated": taking.truncated,
        "retrieved": taking.retrieved.iso(),
        "file": path_of(taking.url),
    }


def _held_values(held: Held) -> dict[str, object]:
    return {
        "repository": held.repository,
        "moment": None if held.moment is None else held.moment.iso(),
        "uri": held.uri,
        "status": held.status,
    }


def _clock(moment: Moment) -> str:
    return moment.iso()[:19].replace("T", " ")


def _day(moment: Moment | None) -> str:
    return "?" if moment is None else moment.iso()[:10]
