"""What a capture would mean, before it is begun: `webkeep check --site` in a process beside the service, and a page
that tells what is known by then. It asks no more of a site than a person who looks at one page.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.capture_presets import find_preset, plan_from_form
from webkeep.dashboard.pages.plan_fields import FIELDS, MORE_FIELD, render_plan_text
from webkeep.dashboard.pages.start import offered_repositories, render_start
from webkeep.dashboard.rendering import see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.process import write_atomically
from webkeep.service.jobs import JobKind
from webkeep.service.run import Service, SidePiece, SideStage

_MAX_SECONDS = 90.0
"""So long a look may take in all; its parts have shorter limits."""
_BOUNDS = {"timeout": 10.0, "retries": 0, "max_seconds": 20.0, "max_bytes": 50_000_000, "page_seconds": 15.0,
           "browser_seconds": 15.0, "screenshots": False, "states": 0}  # fmt: skip
"""What a look may take of a site's and of people's time."""
_FRESH_SECONDS = 600
"""So long a look holds good."""
_FORM_FILE = "form.json"
_KEPT_FIELDS = ("url", "preset", "collection", "title", MORE_FIELD, *(field.name for field in FIELDS))


async def begin_preview(request: Request) -> Response:
    """Look at what the form asks for, and lead to what is found."""
    page, form = page_of(request), await read_form(request)
    if not page.visitor.may_curate_any:
        raise HTTPException(403)
    preset = find_preset(text_of(form, "preset", "site"))
    if preset.kind is JobKind.RECOVER:
        raise UsageError("what is lost cannot be looked at; start it, and what archives hold of it is told")
    plan = plan_from_form(form, preset, page.visitor.is_administrator, offered_repositories(page.service))
    said = {name: text_of(form, name) for name in _KEPT_FIELDS if text_of(form, name)}
    name = await asyncio.to_thread(_begin, page, plan, said)
    return see_other(f"/previews/{name}")


def _begin(page: PageContext, plan: Mapping[str, Any], said: Mapping[str, str]) -> str:
    bucket = page.service.clock.now().micros // (_FRESH_SECONDS * 1_000_000)
    who = page.visitor.session_key or page.visitor.token_id
    asked = json.dumps([bucket, who, dict(plan), dict(said)], sort_keys=True)
    name = hashlib.sha256(asked.encode()).hexdigest()[:32]
    limits = parse_plan(plan)
    bounds = {**_BOUNDS, "max_seconds": min(_BOUNDS["max_seconds"], limits.max_seconds or _MAX_SECONDS)}
    values = {option: value for option, value in plan.items() if option not in ("seeds", *bounds)}

    def make_words(folder: Path) -> list[str]:
        write_atomically(folder / "plan.toml", "".join(render_plan_text({**values, **bounds})).encode())
        write_atomically(folder / _FORM_FILE, json.dumps(dict(said)).encode())
        return ["check", "--site", f"--plan={folder / 'plan.toml'}", str(plan["seeds"][0])]

    page.service.side_work.begin(f"preview-{name}", make_words, _MAX_SECONDS)
    return name


async def show_preview(request: Request) -> Response:
    """The start page with what is known by now of what its form asks for."""
    shown = await asyncio.to_thread(find_preview, page_of(request).service, request.path_params["preview"])
    answer = await render_start(request, shown.said, shown)
    if not shown.is_over:
        answer.headers["refresh"] = "1"
    return answer


def find_preview(service: Service, name: str) -> SitePreview:
    """A look that was begun; 404 where there is none."""
    piece = service.side_work.find(f"preview-{name}")
    if piece is None:
        raise HTTPException(404)
    said = read_json((piece.folder / _FORM_FILE).read_bytes())
    return SitePreview(piece, {str(key): str(value) for key, value in said.items()} if isinstance(said, dict) else {})


class SitePreview:
    """What a look has found so far."""

    def __init__(self, piece: SidePiece, said: Mapping[str, str]) -> None:
        self.said = said
        """What stood in the form."""
        self.is_over = piece.over.is_set()
        self.trouble = piece.message if piece.stage is SideStage.FAILED else ""
        told = piece.read_output()
        self.summary = told[-1] if self.is_over and told and "url" in told[-1] else {}
        events = [each["site"] for each in told if each.get("event") == "site"]
        values = self.summary.get("site") or (events[-1] if events else None)
        self.site_values: Mapping[str, Any] = values if isinstance(values, Mapping) else {}

    @property
    def lines(self) -> Iterator[tuple[str, str]]:
        """A label and a line about each thing that is known."""
        from webkeep.quality.report import list_outlook, parse_outlook  # few pages need what is behind it

        return list_outlook(parse_outlook(self.site_values)) if self.site_values else iter(())

    @property
    def archivability(self) -> float | None:
        """How much of the page can be archived; None where that is not known."""
        value = self.summary.get("archivability")
        return float(value) if isinstance(value, int | float) else None

    @property
    def obstacles(self) -> list[Mapping[str, Any]]:
        """What stands in the way."""
        return [each for each in self.summary.get("obstacles", []) if isinstance(each, dict)]
