"""What can be started with one click, and the plan that a form makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.pages.plan_fields import read_plan_fields
from webkeep.dashboard.sent_forms import text_of
from webkeep.errors import UsageError
from webkeep.service import check_sent_plan, check_sent_url
from webkeep.service.jobs import JobKind


@dataclass(frozen=True, slots=True)
class CapturePreset:
    """One choice of the start page."""

    name: str
    label: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """What its plan says beside the seed, where the form says nothing else."""
    times: str = ""
    """How often it is done again by a schedule; empty for once."""
    kind: JobKind = JobKind.CAPTURE


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
    values = {**preset.options, **read_plan_fields(form)}
    plan = check_sent_plan({**values, "seeds": [url]}, is_local_allowed)
    return {**plan, "seeds": list(parse_plan(plan).seeds)}


def complete_url(text: str) -> str:
    """An address as people type it, with its scheme."""
    return text if "://" in text or not text else f"https://{text}"
