"""Usage statistics of recoveries for visitors: by month, per recovery, by repository and by the ends of names."""

from __future__ import annotations

import asyncio

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render
from webkeep.presentation import format_share
from webkeep.presentation.drawings import render_bar_chart, render_column_chart, render_figure
from webkeep.service.recoveries import UsageStatistics, compute_usage
from webkeep.service.run import Service

_MAX_DOMAINS, _MAX_MONTHS = 12, 24
"""In a drawing; the tables have all."""


async def show_usage(request: Request) -> Response:
    """All figures, and what they look like."""
    usage = await asyncio.to_thread(_compute, page_of(request).service)
    return render(request, "recovery_usage.html", usage=usage, drawings=draw_usage(usage))


def _compute(service: Service) -> UsageStatistics:
    return compute_usage(service.recoveries.list_recoveries())


def draw_usage(usage: UsageStatistics) -> list[Markup]:
    """The drawings; there are none of nothing."""
    months = {each.month: each.completed for each in usage.months[-_MAX_MONTHS:]}
    recovered = {each.month: each.recovered for each in usage.months[-_MAX_MONTHS:]}
    repositories = [
        (each.name, each.contributed_share, format_share(each.contributed_share)) for each in usage.repositories
    ]
    ends = [
        (f".{each.end}", each.mean_share, f"{format_share(each.mean_share)} of {each.recoveries:,}")
        for each in usage.domains[:_MAX_DOMAINS]
    ]
    drawn = (
        render_figure(render_column_chart("Completed recoveries by month", months), "Completed recoveries by month."),
        render_figure(render_column_chart("Recovered resources by month", recovered), "Recovered resources by month."),
        render_figure(
            render_bar_chart("What each repository gave", repositories),
            "What each repository gave of all that is back.",
        ),
        render_figure(
            render_bar_chart("Recovered shares by the ends of names", ends),
            "What was recovered in the mean, by the ends of names; behind each how many there were.",
        ),
    )
    return [Markup(each) for each in drawn if each]
