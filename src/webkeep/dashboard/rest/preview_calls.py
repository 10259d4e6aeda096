"""Calls about what a capture would mean, before it is begun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from webkeep.dashboard.pages import site_previews
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.dashboard.rest.job_calls import CaptureOrder
from webkeep.service.accounts import Permission


@dataclass(frozen=True, slots=True)
class PreviewAnswer:
    """What is known by now of what a capture would mean."""

    id: str
    is_over: Annotated[bool, "whether nothing more will be known"]
    trouble: Annotated[str, "why nothing could be looked at; empty where that is not so"]
    archivability: Annotated[float | None, "how much of the page can be archived; null where that is not known"]
    site: Annotated[Mapping[str, Any], "robots, sitemap, page and estimate, as webkeep check --site tells them"]
    obstacles: Annotated[tuple[Mapping[str, Any], ...], "what stands in the way"]


def find_preview(asked: ApiRequest) -> PreviewAnswer:
    """The look that a path names."""
    found = site_previews.find_preview(asked.page.service, asked.path["preview"])
    told = (found.is_over, found.trouble, found.archivability)
    return PreviewAnswer(asked.path["preview"], *told, found.site_values, tuple(found.obstacles))


PREVIEW_CALLS: tuple[ApiCall, ...] = (
    ApiCall("POST", "/previews", Permission.SIGNED_IN, "Look at what a capture would mean, before it is begun.",
            PreviewAnswer, find_preview, body=CaptureOrder, form=site_previews.begin_preview,
            leads_to="/previews/{preview}"),
    ApiCall("GET", "/previews/{preview}", Permission.SIGNED_IN, "What is known by now of what a capture would mean.",
            PreviewAnswer, find_preview, pages=(site_previews.show_preview,)),
)  # fmt: skip
"""All of them."""
