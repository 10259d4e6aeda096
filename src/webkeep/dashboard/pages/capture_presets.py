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
from webkeep.service.collections import check_no_password
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
    CapturePreset("evidence", "Evidence", "a package that proves to others what stood there", {"scope": "page"},
                  kind=JobKind.EVIDENCE),
    CapturePreset("recover", "Recover what was lost", "out of other archives, into the collection",
                  kind=JobKind.RECOVER),
)  # fmt: skip


def find_preset(name: str) -> CapturePreset:
    """A preset by its name."""
    for preset in PRESETS:
        if preset.name == name:
            return preset
    raise UsageError(f"there is no preset {name[:40]!r}; choose one of the start page")


def plan_from_form(
    form: FormData, preset: CapturePreset, is_local_allowed: bool, offered: Mapping[str, str]
) -> dict[str, Any]:
    """The plan that a form asks for, with its seed; refused where it names what may not be named.

    What is lost is recovered out of the repositories that are `offered`, by their names; an administrator may name any.
    """
    url = check_sent_url(complete_url(text_of(form, "url")), is_local_allowed)
    check_no_password(url)
    if preset.kind is JobKind.RECOVER:
        return {"seeds": [url], "repositories": _read_repositories(form, offered, is_local_allowed)}
    values = {**preset.options, **read_plan_fields(form)}
    plan = check_sent_plan({**values, "seeds": [url]}, is_local_allowed)
    return {**plan, "seeds": list(parse_plan(plan).seeds)}


def _read_repositories(form: FormData, offered: Mapping[str, str], may_name_any: bool) -> list[str]:
    asked = [line.strip() for line in text_of(form, "repositories").splitlines() if line.strip()]
    if not asked and not offered:
        raise UsageError("say out of which archives, such as wayback; or an administrator offers some (--visitors)")
    unknown = [each for each in asked if each not in offered]
    if unknown and not may_name_any:
        known = ", ".join(offered) or "none"
        raise UsageError(f"{unknown[0][:80]!r} is not offered; there is {known}, and an administrator may name others")
    return [offered.get(each, each) for each in asked] or list(offered.values())


def complete_url(text: str) -> str:
    """An address as people type it, with its scheme; refused where there are several."""
    if any("://" in word for word in text.split()[1:]):
        raise UsageError("that is more than one address; write one, and bring the others as a list, a line each")
    return text if "://" in text or not text else f"https://{text}"
