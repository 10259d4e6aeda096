"""Metrics of a service in the text format of Prometheus; numbers alone, and no name of a collection or a person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.service.jobs import JobState
from webkeep.service.run import Service
from webkeep.version import __version__

_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Of the text format."""


async def answer_metrics(request: Request) -> Response:
    """How the service is, in numbers."""
    text = await asyncio.to_thread(write_metrics, page_of(request).service)
    return Response(text.encode(), headers={"content-type": _MEDIA_TYPE})


def write_metrics(service: Service) -> str:
    """All metrics of a service."""
    counts, gauges = service.jobs.counts(), service.gauges
    lines = [
        *_write_gauge("webkeep_info", "Which webkeep it is.", "version", {__version__: 1}),
        *_write_gauge(
            "webkeep_jobs", "Jobs by state.", "state", {each.value: counts.get(each, 0) for each in JobState}
        ),
        *_write_gauge("webkeep_notices_waiting", "Notices not sent yet.", "kind", service.notices.count_waiting()),
        *_write_gauge(
            "webkeep_runner_age_seconds", "Since a runner looked last.", "runner", gauges.runner_ages_seconds()
        ),
        *_write_gauge("webkeep_stored_bytes", "What all collections take.", "", {"": gauges.stored_bytes()}),
        *_write_gauge("webkeep_disk_free_bytes", "What is free of the disk.", "", {"": gauges.free_bytes()}),
    ]
    return "".join(f"{line}\n" for line in lines)


def _write_gauge(name: str, words: str, label: str, values: Mapping[str, float]) -> Iterable[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} gauge"
    for key, value in values.items():
        yield f'{name}{{{label}="{key}"}} {value}' if label else f"{name} {value}"
