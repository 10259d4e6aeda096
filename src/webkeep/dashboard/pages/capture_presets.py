"""What can be started with one click, and the plan that a form makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.sent_forms import text_of
from webkeep.errors import UsageError
from webkeep.service import check_sent_plan, check_sent_url

_NUMBERS = ("depth", "max_urls")
"""Options of the form that are whole numbers; an empty one is left to its default."""


@dataclass(frozen=True, slots=True)
class CapturePreset:
    """One choice of the start page."""

    name: str
    label: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """What its plan says beside the seed."""
    times: str = ""
    """How often it is done again by a schedule; empty for once."""


PRESETS = (
    CapturePreset("site", "This site", "every page of it that links lead to"),
    CapturePreset("page", "This page", "the page alone, with all that it needs", {"scope": "page"}),
    CapturePreset("follow", "Follow it", "the site now, and again every day", times="@daily"),
)


def find_preset(name: str) -> CapturePreset:
    """A preset by its name."""
    for preset in PRESETS:
        if preset.name == name:
            return preset
    raise UsageError(f"there is no preset {name[:40]!r}; choose one of the start page")


def plan_from_form(form: FormData, preset: CapturePreset, is_local_allowed: bool) -> dict[str, Any]:
    """The plan that a form asks for, with its seed; refused where it names what may not be named."""
    url = check_sent_url(complete_url(text_of(form, "url")), is_local_allowed)
    values: dict[str, Any] = dict(preset.options)
    values |= {name: _whole_number(name, text) for name in _NUMBERS if (text := text_of(form, name))}
    if delay := text_of(form, "delay"):
        values["delay"] = parse_delay(delay)
    if rules := [line.strip() for line in text_of(form, "exclude").splitlines() if line.strip()]:
        values["exclude"] = rules
    plan = check_sent_plan({**values, "seeds": [url]}, is_local_allowed)
    return {**plan, "seeds": list(parse_plan(plan).seeds)}


def parse_delay(text: str) -> float:
    """Seconds between two requests to a host."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise UsageError(f"not a delay: {text[:40]!r}; write seconds from 0 to 3600")
    return seconds


def complete_url(text: str) -> str:
    """An address as people write it, with what it is asked for by."""
    return text if "://" in text or not text else f"https://{text}"


def _whole_number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise UsageError(f"not a number for {name.replace('_', ' ')}: {text[:40]!r}; write digits alone")
    return int(text)
