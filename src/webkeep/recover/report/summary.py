"""The summary of a recovery: a line for every URL, between tabs for people and as JSON for programs; its fields and
keys, and how many other versions are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from webkeep.model import Moment
from webkeep.presentation import format_date, format_moment
from webkeep.recover.report.outcome import OutcomeLine, StoredVersion
from webkeep.recover.report.rehost_paths import path_from_url
from webkeep.recover.repositories.repository import ListedVersion

MISSING = "MISSING"
_MAX_OTHERS = 50
"""Other versions that are named for one URL, so that a line stays one."""
_SEPARATOR = re.compile(r"[\t\n\r]")
_encode_json = json.JSONEncoder(ensure_ascii=False).encode


def render_text(lines: Iterable[OutcomeLine], ended: Moment) -> Iterator[str]:
    """A line of text for every URL that was gone for."""
    return (render_text_line(line, ended) for line in lines if not line.is_skipped)


def render_text_line(line: OutcomeLine, ended: Moment) -> str:
    """Fields between tabs: when, URL, media type, file, repository, date, and who else has which version."""
    return "\t".join([_SEPARATOR.sub(_escape_match, field) for field in _text_fields(line, ended)]) + "\n"


def _escape_match(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _text_fields(line: OutcomeLine, ended: Moment) -> list[str]:
    chosen = line.chosen
    if chosen is None:
        return [format_moment(ended), line.key, MISSING]
    others = ", ".join(f"{each.repository}:{_format_day(each.moment)}" for each in line.others[:_MAX_OTHERS])
    return [
        format_moment(chosen.retrieved),
        line.key,
        chosen.media_type,
        path_from_url(chosen.url),
        chosen.listed.repository,
        _format_day(chosen.moment),
        others,
    ]


def render_json_lines(lines: Iterable[OutcomeLine]) -> Iterator[str]:
    """The same as JSON lines, with where each was had, how good it is, and why what is missing is."""
    return map(render_json_line, lines)


def render_json_line(line: OutcomeLine) -> str:
    """The same of one URL."""
    return _encode_json(line_values(line)) + "\n"


def line_values(line: OutcomeLine) -> dict[str, object]:
    """What is told of one URL."""
    chosen = line.chosen
    values: dict[str, object] = {
        "url": line.url,
        "key": line.key,
        "outcome": "recovered" if chosen is not None else "skipped" if line.is_skipped else "missing",
        "current": line.is_current,
    }
    if chosen is not None:
        values |= _version_values(chosen)
    if line.note:
        values["reason"] = line.note
    if line.refused:
        values["refused"] = list(dict.fromkeys(line.refused))
    values["others"] = [_listed_values(each) for each in line.others[:_MAX_OTHERS]]
    values["further_versions"] = [each.moment.iso() for each in line.further]
    return values


def _version_values(taking: StoredVersion) -> dict[str, object]:
    return {
        "repository": taking.listed.repository,
        "moment": taking.moment.iso(),
        "uri": taking.listed.uri,
        "media_type": taking.media_type,
        "digest": str(taking.listed.digest) if taking.listed.digest is not None else None,
        "bytes": taking.size,
        "fidelity": taking.fidelity,
        "truncated": taking.truncated,
        "retrieved": taking.retrieved.iso(),
        "file": path_from_url(taking.url),
    }


def _listed_values(held: ListedVersion) -> dict[str, object]:
    return {
        "repository": held.repository,
        "moment": None if held.moment is None else held.moment.iso(),
        "uri": held.uri,
        "status": held.status,
    }


def _format_day(moment: Moment | None) -> str:
    return "?" if moment is None else format_date(moment)
