"""The query language of CDX servers: the parameters that pywb's and the Wayback Machine's clients send."""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webkeep.errors import UsageError
from webkeep.memento.cdx_filter import MOST_FILTERS, Collapse, Filter
from webkeep.memento.http_moment import last_moment
from webkeep.model import Moment
from webkeep.url import Match, read_pattern

MOST_ROWS = 100_000
"""How many rows an answer has at most, unless a smaller limit is asked for; the rest is had page by page."""

PAGE = 10_000
"""How many lines of the index make a page, where `pageSize` does not say."""

Parameters = Mapping[str, Sequence[str]]
T = TypeVar("T")


class Output(enum.StrEnum):
    """The forms of an answer."""

    CDXJ = "cdxj"
    JSON = "json"
    TEXT = "text"


class Order(enum.StrEnum):
    """The order of an answer's rows."""

    PLAIN = ""
    REVERSE = "reverse"
    CLOSEST = "closest"


@dataclass(frozen=True, slots=True)
class ResumeKey:
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
    def read(cls, text: str) -> ResumeKey:
        """Read what an earlier answer gave."""
        try:
            told = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "surrogateescape")
        except ValueError:
            told = ""
        parts = told.split(" ", 3)
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts[1:3]):
            raise UsageError("resumeKey is not one of ours; take it from the end of the answer before")
        return cls(parts[0], int(parts[1]), parts[3], int(parts[2]))


@dataclass(frozen=True, slots=True)
class CdxQuery:
    """What a client asks the index."""

    url: str
    match: Match = Match.EXACT
    since: Moment | None = None
    until: Moment | None = None
    closest: Moment | None = None
    order: Order = Order.PLAIN
    limit: int = MOST_ROWS
    from_end: bool = False
    """Whether the last rows are wanted and not the first (a negative limit)."""
    offset: int = 0
    filters: tuple[Filter, ...] = ()
    collapses: tuple[Collapse, ...] = ()
    fields: tuple[str, ...] = ()
    output: Output = Output.CDXJ
    page: int | None = None
    page_size: int = PAGE
    counts_pages: bool = False
    resume: ResumeKey | None = None
    shows_resume: bool = False

    @classmethod
    def read(cls, parameters: Parameters) -> CdxQuery:
        """Read the parameters of a request; one that cannot be understood is an error of the client."""
        written = _first(parameters, "url")
        if not written:
            raise UsageError("nothing to look up; say url=example.org/page")
        url, match = _target(written, _first(parameters, "matchType"))
        limit = _number(parameters, "limit", lowest=-MOST_ROWS)
        closest = _read(parameters, "closest", _moment)
        return cls(
            url,
            match,
            _read(parameters, "from", _moment) or _read(parameters, "from_ts", _moment),
            _read(parameters, "to", lambda text: last_moment(_moment(text), len(text[:14]))),
            closest,
            _order(parameters, closest),
            min(abs(limit), MOST_ROWS) if limit is not None else MOST_ROWS,
            limit is not None and limit < 0,
            _number(parameters, "offset") or 0,
            tuple(map(Filter.read, _all(parameters, "filter"))),
            _collapses(parameters),
            tuple(name for name in _first(parameters, "fl", "fields").split(",") if name),
            _output(_first(parameters, "output")),
            _number(parameters, "page"),
            min(max(_number(parameters, "pageSize") or PAGE, 1), MOST_ROWS),
            _yes(parameters, "showNumPages"),
            _read(parameters, "resumeKey", ResumeKey.read),
            _yes(parameters, "showResumeKey"),
        )


def _target(written: str, match_type: str) -> tuple[str, Match]:
    if not match_type:
        return read_pattern(written)
    try:
        return read_pattern(written.removeprefix("*.").removesuffix("*"))[0], Match(match_type)
    except ValueError:
        raise UsageError(f"matchType cannot be {match_type[:40]!r}; choose exact, prefix, host or domain") from None


def _order(parameters: Parameters, closest: Moment | None) -> Order:
    if closest is not None:
        return Order.CLOSEST
    return Order.REVERSE if _first(parameters, "sort") == "reverse" or _yes(parameters, "reverse") else Order.PLAIN


def _output(name: str) -> Output:
    try:
        return Output(name) if name else Output.CDXJ
    except ValueError:
        raise UsageError(f"output cannot be {name[:40]!r}; choose cdxj, json or text") from None


def _collapses(parameters: Parameters) -> tuple[Collapse, ...]:
    length = _first(parameters, "collapseTime")
    timed = [f"timestamp:{length}"] if length else []
    return tuple(map(Collapse.read, [*_all(parameters, "collapse"), *timed]))


def _moment(text: str) -> Moment:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"not a moment: {text[:40]!r}; write up to 14 digits, as in 20240301120000")
    return Moment.parse(text[:14])


def _first(parameters: Parameters, *names: str) -> str:
    return next((values[0] for name in names if (values := parameters.get(name))), "")


def _all(parameters: Parameters, name: str) -> Sequence[str]:
    values = parameters.get(name, ())
    if len(values) > MOST_FILTERS:
        raise UsageError(f"{name} comes more than {MOST_FILTERS} times; ask for less")
    return values


def _yes(parameters: Parameters, name: str) -> bool:
    return _first(parameters, name).lower() in ("true", "1", "yes", "on")


def _read(parameters: Parameters, name: str, reader: Callable[[str], T]) -> T | None:
    text = _first(parameters, name)
    return reader(text) if text else None


def _number(parameters: Parameters, name: str, lowest: int = 0) -> int | None:
    text = _first(parameters, name)
    if not text:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16) or int(text) < lowest:
        raise UsageError(f"{name} cannot be {text[:40]!r}; write a number")
    return int(text)
