"""The history of a seed at a glance: a column for every job, where it lies in time, and what came of its URLs."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.model import Moment
from webkeep.presentation import format_count, format_date, format_moment
from webkeep.presentation.drawings import PlotAxis, draw_circle, draw_line, draw_rect, draw_svg, draw_text
from webkeep.presentation.pages import Markup, element
from webkeep.service.jobs import ENDED_STATES, Job, JobState

_WIDTH, _HEIGHT = 720.0, 170.0
"""Of the drawing, which is as wide as a page and low enough to leave the list of jobs in sight."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 14.0, 12.0, 28.0
"""Room for numbers and dates around the columns."""
_COLUMN = 9.0
"""How wide a column is; jobs that lie nearer together are drawn over each other, the later ones in front."""
_MARK_RADIUS = 4.0
"""Large enough to be pointed at."""
_MAX_JOBS = 400
"""Of the newest ones: more columns than that nobody tells apart."""
_PARTS = (
    ("stored", "new or changed", "series2"),
    ("duplicates", "as before", "series7"),
    ("failed", "failed", "mark-bad"),
)
"""What is stacked in a column: the name in a summary, what people are told, and its colour."""
_DATE_TICKS = 5
"""Dates below, so that none touches another."""

_MINUTE_CHARS = len("2026-05-01 12:00")
"""Of a moment as it is written, up to its minute."""


def render_timeline(jobs: Sequence[Job]) -> Markup:
    """A drawing of the jobs of a seed, newest first as they are listed; nothing where there are none."""
    shown = list(reversed(jobs[:_MAX_JOBS]))
    if not shown:
        return Markup("")
    times = _time_axis(shown)
    top = max((_total(job) for job in shown), default=0) or 1
    columns = [_draw_job(job, times, top) for job in shown]
    first, last = format_moment(shown[0].created), format_moment(shown[-1].created)
    label = f"{format_count(len(shown), 'job')} from {first} to {last}"
    drawing = draw_svg(_WIDTH, _HEIGHT, *_draw_grid(times, top), *columns, label=label)
    return element("figure", drawing, _render_legend(), class_="timeline")


def _time_axis(jobs: Sequence[Job]) -> PlotAxis:
    first, last = jobs[0].created.micros, jobs[-1].created.micros
    room = max((last - first) * 0.04, 3_600_000_000)
    return PlotAxis(first - room, last + room)


def _total(job: Job) -> int:
    return sum(_count(job, name) for name, _, _ in _PARTS)


def _count(job: Job, name: str) -> int:
    value = job.summary.get(name, 0)
    return value if isinstance(value, int) else 0


def _place_of(at: Moment, times: PlotAxis) -> float:
    return _LEFT + times.share(at.micros) * (_WIDTH - _LEFT - _RIGHT)


def _draw_grid(times: PlotAxis, top: int) -> list[Markup]:
    floor = _HEIGHT - _BOTTOM
    shapes = [
        draw_line(_LEFT, floor, _WIDTH - _RIGHT, floor, "grid"),
        draw_line(_LEFT, _TOP, _WIDTH - _RIGHT, _TOP, "grid"),
    ]
    shapes += [draw_text(_LEFT - 6, floor + 4, "0", "end"), draw_text(_LEFT - 6, _TOP + 4, f"{top:,}", "end")]
    shown = [Moment(int(tick)) for tick in times.ticks(_DATE_TICKS)[1:-1]]
    dates = [format_date(at) for at in shown]
    if len(set(dates)) < len(dates):  # so near together that dates tell nothing
        dates = [format_moment(at)[:_MINUTE_CHARS] for at in shown]
    for at, date in zip(shown, dates, strict=True):
        shapes.append(draw_text(_place_of(at, times), _HEIGHT - 8, date, "middle"))
    return shapes


def _draw_job(job: Job, times: PlotAxis, top: int) -> Markup:
    """A column of what was captured; below it a mark of how the job ended."""
    middle, at, shapes = _place_of(job.created, times), _HEIGHT - _BOTTOM, []
    for name, _, colour in _PARTS:
        height = _count(job, name) / top * (_HEIGHT - _TOP - _BOTTOM)
        at -= height
        if height:
            shapes.append(draw_rect(middle - _COLUMN / 2, at, _COLUMN, max(height, 1.5), colour))
    shapes.append(draw_circle(middle, _HEIGHT - _BOTTOM, _MARK_RADIUS, f"mark-{_mark_of(job)}"))
    return element("a", element("title", _describe(job)), shapes, href=f"/jobs/{job.id}")


def _mark_of(job: Job) -> str:
    if job.state not in ENDED_STATES:
        return "open"
    is_whole = job.state is JobState.DONE and not job.summary.get("seeds_missed")
    return "good" if is_whole else "bad"


def _describe(job: Job) -> str:
    counts = ", ".join(f"{_count(job, name):,} {words}" for name, words, _ in _PARTS if job.summary)
    missed = "; the seed itself was not reached" if job.summary.get("seeds_missed") else ""
    return f"{format_moment(job.created)}: {job.state.value}{', ' if counts else ''}{counts}{missed}"


def _render_legend() -> Markup:
    keys = [_render_key(colour, words) for _, words, colour in _PARTS]
    marks = [("good", "done"), ("bad", "failed, or not reached"), ("open", "not over")]
    keys += [
        element("li", draw_svg(12, 12, draw_circle(6, 6, _MARK_RADIUS, f"mark-{name}"), class_="chart key"), words)
        for name, words in marks
    ]
    return element("ul", keys, class_="legend")


def _render_key(colour: str, words: str) -> Markup:
    return element("li", draw_svg(12, 12, draw_rect(0, 0, 12, 12, colour), class_="chart key"), words)
