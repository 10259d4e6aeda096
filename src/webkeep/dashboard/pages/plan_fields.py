"""The fields of a plan on the start page: each option with its default, which stands in the plan and nowhere else;
values out of a form, and a form out of a plan that was given back.
"""

from __future__ import annotations

import dataclasses
import enum
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData

from webkeep.crawl.plan import DEFAULT_DELAY_SECONDS, STRATEGY_NAMES, BrowserMode, CapturePlan
from webkeep.dashboard.sent_forms import text_of
from webkeep.errors import UsageError
from webkeep.formats import render_toml_value
from webkeep.presentation import write_size, write_time
from webkeep.url.scope import ScopeExtent

MAX_PLAN_BYTES = 1 << 20
"""Of a plan file: a seed and some rules."""
_MAX_WHOLE_DIGITS = 9
"""Of a whole number: a capture of a billion URLs has never been."""
_YES, _NO = "yes", "no"


class FieldKind(enum.Enum):
    """How an option is given."""

    CHOICE = "choice"
    WHOLE = "numeric"
    DECIMAL = "decimal"
    TEXT = "text"
    """A size such as 2GB, a time such as 2h."""
    FLAG = "flag"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class PlanField:
    """One option of a plan."""

    name: str
    label: str
    kind: FieldKind
    help: str = ""
    choices: Sequence[str] = ()
    unset: str = "no limit"
    """What holds where the plan's default is nothing."""

    @property
    def default(self) -> str:
        """The plan's own, in words."""
        if self.kind is FieldKind.LINES:
            return "none"
        value = _PLAN_DEFAULTS[self.name]
        if value is None or (self.kind is FieldKind.TEXT and not value):
            return self.unset
        if isinstance(value, bool):
            return _YES if value else _NO
        if self.name in _SIZES:
            return write_size(value)
        return write_time(value) if isinstance(value, float) else str(value)


_SIZES = frozenset({"max_bytes", "max_size"})
_PLAN_DEFAULTS: dict[str, Any] = {each.name: each.default for each in dataclasses.fields(CapturePlan)}
FIELDS = (
    PlanField("scope", "Scope", FieldKind.CHOICE, "how far around the address", tuple(ScopeExtent)),
    PlanField("depth", "Depth", FieldKind.WHOLE, "links from the address"),
    PlanField("external_depth", "Beyond the scope", FieldKind.WHOLE, "links that are followed there"),
    PlanField("max_urls", "At most so many URLs", FieldKind.WHOLE),
    PlanField("max_bytes", "At most so much", FieldKind.TEXT, "such as 2GB"),
    PlanField("max_seconds", "At most so long", FieldKind.TEXT, "such as 2h"),
    PlanField("max_size", "Longest answer", FieldKind.TEXT, "such as 100MB"),
    PlanField("delay", "Seconds between two requests", FieldKind.DECIMAL,
              unset=f"{DEFAULT_DELAY_SECONDS:g}, or what the server asks for"),
    PlanField("browser", "Browser", FieldKind.CHOICE, "which pages are run", tuple(BrowserMode)),
    PlanField("states", "Clicks deep", FieldKind.WHOLE, "client-side states that are walked"),
    PlanField("screenshots", "Keep pictures", FieldKind.FLAG, "of every page that is run"),
    PlanField("sitemaps", "Read sitemaps", FieldKind.FLAG),
    PlanField("strategy", "Order", FieldKind.CHOICE, "which pages first", tuple(STRATEGY_NAMES)),
    PlanField("timeout", "Patience", FieldKind.TEXT, "for one answer"),
    PlanField("retries", "Tries again", FieldKind.WHOLE),
    PlanField("exclude", "Leave out", FieldKind.LINES, "a rule a line, such as */calendar/*"),
    PlanField("include", "Take in as well", FieldKind.LINES, "a rule a line, such as *.pdf"),
)  # fmt: skip
"""What has a field of its own; all else that a plan can say is a line of TOML."""
_FIELDS_BY_NAME = {field.name: field for field in FIELDS}
MORE_FIELD = "more"
"""The field of lines in TOML."""


def read_plan_fields(form: FormData) -> dict[str, Any]:
    """What the fields of a form say, but for those that were left to their defaults."""
    values = _read_more(text_of(form, MORE_FIELD))
    for field in FIELDS:
        if text := text_of(form, field.name):
            values[field.name] = _read_value(field, text)
    return values


def _read_value(field: PlanField, text: str) -> Any:
    match field.kind:
        case FieldKind.WHOLE:
            if not text.isascii() or not text.isdecimal() or len(text) > _MAX_WHOLE_DIGITS:
                raise UsageError(f"{field.label}: not a number: {text[:40]!r}; write digits alone")
            return int(text)
        case FieldKind.DECIMAL:
            return parse_delay(text)
        case FieldKind.FLAG:
            return text == _YES
        case FieldKind.LINES:
            return [line.strip() for line in text.splitlines() if line.strip()]
        case _:
            return text


def parse_delay(text: str) -> float:
    """Seconds between two requests to a host."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise UsageError(f"not a delay: {text[:40]!r}; write seconds from 0 to 3600")
    return seconds


def _read_more(text: str) -> dict[str, Any]:
    return parse_plan_text(text) if text.strip() else {}


def parse_plan_text(text: str) -> dict[str, Any]:
    """What a plan in TOML says, by the names of options."""
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise UsageError("the plan has lists within lists beyond all need; write lines such as depth = 3") from error
    except ValueError as error:  # no TOML, or a number of thousands of digits
        raise UsageError(f"the plan is not TOML: {error}; write lines such as depth = 3") from error
    return {name.replace("-", "_"): value for name, value in values.items()}


def fill_plan_fields(values: Mapping[str, Any]) -> dict[str, str]:
    """What stands in the fields of a form for a plan; what has no field is a line of TOML."""
    filled: dict[str, str] = {}
    rest: list[str] = []
    for name, value in values.items():
        field = _FIELDS_BY_NAME.get(name)
        if name == "seeds":
            seeds = [value] if isinstance(value, str) else [str(each) for each in value]
            filled["url"] = seeds[0] if seeds else ""
        elif field is not None and not isinstance(value, Mapping):
            filled[name] = _fill_value(field, value)
        elif name != "public_only":
            rest.append(f"{name} = {render_toml_value(value)}")
    return {**filled, **({MORE_FIELD: "\n".join(rest)} if rest else {})}


def _fill_value(field: PlanField, value: Any) -> str:
    if field.kind is FieldKind.LINES:
        return "\n".join([value] if isinstance(value, str) else [str(each) for each in value])
    if isinstance(value, bool):
        return _YES if value else _NO
    return str(value)


def render_plan_text(values: Mapping[str, Any]) -> Iterator[str]:
    """A plan as a file for `webkeep capture --plan`, line by line."""
    return (f"{name} = {render_toml_value(value)}\n" for name, value in values.items() if value is not None)
