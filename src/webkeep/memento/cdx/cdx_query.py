"""The query language of CDX servers: how the parameters that pywb's and the Wayback Machine's clients send are read
(matchType, closest, limit, page, resumeKey), and how many rows an answer has at most.
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webkeep.errors import UsageError
from webkeep.memento.cdx.cdx_filter import MAX_FILTERS, CdxCollapse, CdxFilter
from webkeep.memento.memento_datetime import end_of_period
from webkeep.model import Moment
from webkeep.url import UrlMatch, parse_url_pattern

MAX_ROWS = 100_000
"""How many rows an answer has at most, unless a smaller limit is asked for; the rest is had page by page."""

DEFAULT_PAGE_LINES = 10_000
"""How many lines of the index make a page, where `pageSize` does not say."""

Parameters = Mapping[str, Sequence[str]]
T = TypeVar("T")


class CdxOutput(enum.StrEnum):
    """The forms of an answer."""

    CDXJ = "cdxj"
    JSON = "json"
    TEXT = "text"


class SortOrder(enum.StrEnum):
    """The order of an answer's rows."""

    PLAIN = ""
    REVERSE = "reverse"
    CLOSEST = "closest"


@dataclass(frozen=True, slots=True)
class CdxResumeKey:
    """The row behind which an answer goes on."""

    key: str
    micros: int
    file: str
    offset: int

    def __str__(self) -> str:
        # Of such characters only as an address takes as they are, so that it makes no difference who escapes them.
        text = f"{self.key} {self.micros} {self.offset} {self.file}"
        return base64.urlsafe_b64encode(text.encode("utf-8", "surrogateescape")).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> CdxResumeKey:
        """Read what an earlier answer gave."""
        try:
            told = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "surrogateescape")
        except ValueError:
            told = ""
        parts = told.split(" ", 3)
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts[1:3]):
            raise UsageError("resumeKey is not one of ours; take it from the end of the response before")
        return cls(parts[0], int(parts[1]), parts[3], int(parts[2]))


@dataclass(frozen=True, slots=True)
class CdxQuery:
    """What a client asks the index."""

    url: str
    match: UrlMatch = UrlMatch.EXACT
    since: Moment | None = None
    until: Moment | None = None
    closest: Moment | None = None
    order: SortOrder = SortOrder.PLAIN
    limit: int = MAX_ROWS
    from_end: bool = False
    """Whether the last rows are wanted and not the first (a negative limit)."""
    offset: int = 0
    filters: tuple[CdxFilter, ...] = ()
    collapses: tuple[CdxCollapse, ...] = ()
    fields: tuple[str, ...] = ()
    output: CdxOutput = CdxOutput.CDXJ
    page: int | None = None
    page_size: int = DEFAULT_PAGE_LINES
    wants_page_count: bool = False
    resume: CdxResumeKey | None = None
    wants_resume_key: bool = False

    @classmethod
    def parse(cls, parameters: Parameters) -> CdxQuery:
        """Read the parameters of a request; one that cannot be understood is an error of the client."""
        written = _first_value(parameters, "url")
        if not written:
            raise UsageError("nothing to look up; say url=example.org/page")
        url, match = _parse_target(written, _first_value(parameters, "matchType"))
        limit = _parse_number(parameters, "limit", lowest=-MAX_ROWS)
        closest = _parse_optional(parameters, "closest", _parse_moment)
        return cls(
            url,
            match,
            _parse_optional(parameters, "from", _parse_moment) or _parse_optional(parameters, "from_ts", _parse_moment),
            _parse_optional(parameters, "to", lambda text: end_of_period(_parse_moment(text), len(text[:14]))),
            closest,
            _parse_order(parameters, closest),
            min(abs(limit), MAX_ROWS) if limit is not None else MAX_ROWS,
            limit is not None and limit < 0,
            _parse_number(parameters, "offset") or 0,
            tuple(map(CdxFilter.parse, _all_values(parameters, "filter"))),
            _parse_collapses(parameters),
            tuple(name for name in _first_value(parameters, "fl", "fields").split(",") if name),
            _parse_output(_first_value(parameters, "output")),
            _parse_number(parameters, "page"),
            min(max(_parse_number(parameters, "pageSize") or DEFAULT_PAGE_LINES, 1), MAX_ROWS),
            _is_true(parameters, "showNumPages"),
            _parse_optional(parameters, "resumeKey", CdxResumeKey.parse),
            _is_true(parameters, "showResumeKey"),
        )


def _parse_target(written: str, match_type: str) -> tuple[str, UrlMatch]:
    if not match_type:
        return parse_url_pattern(written)
    try:
        return parse_url_pattern(written.removeprefix("*.").removesuffix("*"))[0], UrlMatch(match_type)
    except ValueError:
        raise UsageError(f"matchType cannot be {match_type[:40]!r}; choose exact, prefix, host or domain") from None


def _parse_order(parameters: Parameters, closest: Moment | None) -> SortOrder:
    if closest is not None:
        return SortOrder.CLOSEST
    return (
        SortOrder.REVERSE
        if _first_value(parameters, "sort") == "reverse" or _is_true(parameters, "reverse")
        else SortOrder.PLAIN
    )


def _parse_output(name: str) -> CdxOutput:
    try:
        return CdxOutput(name) if name else CdxOutput.CDXJ
    except ValueError:
        raise UsageError(f"output cannot be {name[:40]!r}; choose cdxj, json or text") from None


def _parse_collapses(parameters: Parameters) -> tuple[CdxCollapse, ...]:
    length = _first_value(parameters, "collapseTime")
    timed = [f"timestamp:{length}"] if length else []
    return tuple(map(CdxCollapse.parse, [*_all_values(parameters, "collapse"), *timed]))


def _parse_moment(text: str) -> Moment:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"not a moment: {text[:40]!r}; write up to 14 digits, as in 20240301120000")
    return Moment.parse(text[:14])


def _first_value(parameters: Parameters, *names: str) -> str:
    return next((values[0] for name in names if (values := parameters.get(name))), "")


def _all_values(parameters: Parameters, name: str) -> Sequence[str]:
    values = parameters.get(name, ())
    if len(values) > MAX_FILTERS:
        raise UsageError(f"{name} comes more than {MAX_FILTERS} times; ask for less")
    return values


def _is_true(parameters: Parameters, name: str) -> bool:
    return _first_value(parameters, name).lower() in ("true", "1", "yes", "on")


def _parse_optional(parameters: Parameters, name: str, reader: Callable[[str], T]) -> T | None:
    text = _first_value(parameters, name)
    return reader(text) if text else None


def _parse_number(parameters: Parameters, name: str, lowest: int = 0) -> int | None:
    text = _first_value(parameters, name)
    if not text:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16) or int(text) < lowest:
        raise UsageError(f"{name} cannot be {text[:40]!r}; write a number")
    return int(text)
