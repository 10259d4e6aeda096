"""Experiment E7: a digital library whose server components are in its pages, week by week: what caches hold of its
pages as published, and what comes back of the components; how blocks of several versions stand beside each other.

Each week as many pages as were published are held, drawn anew. A page whose blocks moved is shown as it was until
caches have caught up with it. What was published counts the newest version of each segment; beside it stands what comes
back where an older version will do as well.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.parameters import InjectionParameters, read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row, plot_columns

COLUMNS = (
    ResultColumn("pages", "pages held"),
    ResultColumn("server_files", "newest version recovered"),
    ResultColumn("any_version", "any version recovered"),
)
_WEEK_DAYS = 7
"""Pages were looked for at the end of each week."""
_REASONS = {1: "one run on a site of which caches had only begun to take some directories; ours is a mean"}
_NOTE = (
    "Pages held are given; what comes back follows from the blocks in them. Week 10: a page that nothing led to is "
    "linked; 13: a segment moves within its pages; 16: everything is packed anew; 19: the site is gone."
)


@dataclass(frozen=True, slots=True)
class _Refresh:
    """On which day after the change caches show the new version of each page."""

    moved: tuple[float, ...]
    packed_anew: tuple[float, ...]


def components_block(seed: int = 1, runs: int = 200) -> ResultTable:
    """Every week in so many runs, beside what was published."""
    habits, told = read_parameters().injection, read_published()["server_components"]["weeks"]
    chance = random.Random(f"{seed}/components")
    newest: dict[int, list[float]] = {each["week"]: [] for each in told}
    any_version: dict[int, list[float]] = {each["week"]: [] for each in told}
    for _ in range(runs):
        refresh = _Refresh(*(_draw_days(habits, days, chance) for days in (habits.comment_days, habits.visible_days)))
        for each in told:
            held = _draw_held(habits, each["week"], each["pages"], chance)
            share, old_share = _recovered_shares(habits, refresh, each["week"], held)
            newest[each["week"]].append(share)
            any_version[each["week"]].append(max(share, old_share))
    rows = []
    for each in told:
        week = each["week"]
        values = {"pages": each["pages"], "server_files": fmean(newest[week]), "any_version": fmean(any_version[week])}
        printed = {"server_files": each["server_files"]}
        rows.append(build_row(str(week), COLUMNS, values, None, printed, {"server_files": _REASONS.get(week, "")}))
    title = "Server components in the pages of a digital library, week by week"
    lines = plot_columns(COLUMNS, rows)
    return ResultTable("E7", title, "week", COLUMNS, tuple(rows), (_NOTE,), lines, "week", "share held and recovered")


def _draw_days(habits: InjectionParameters, days: tuple[float, float], chance: random.Random) -> tuple[float, ...]:
    return tuple(chance.uniform(*days) for _ in range(habits.pages))


def _draw_held(habits: InjectionParameters, week: int, share: float, chance: random.Random) -> frozenset[int]:
    """The pages that caches hold; the last of them only once something leads to it."""
    linked = habits.pages - (week < habits.orphan_linked_week)
    return frozenset(chance.sample(range(linked), min(round(share * habits.pages), linked)))


def _recovered_shares(
    habits: InjectionParameters, refresh: _Refresh, week: int, held: frozenset[int]
) -> tuple[float, float]:
    """The share of bytes that comes back of the newest version of each segment, and of any version."""
    anew = frozenset(page for page in held if _is_shown(refresh.packed_anew[page], habits.packed_anew_week, week))
    newest, any_version = 0.0, 0.0
    for number, (segment, pages) in enumerate(zip(habits.segments, _segment_pages(habits), strict=True)):
        old = [page for page in pages if page in held - anew]
        is_moved = number == habits.moved_segment
        moved = [page for page in old if is_moved and _is_shown(refresh.moved[page], habits.moved_week, week)]
        is_back_moved = len(moved) >= habits.moved_needed
        is_back_old = len(old) - len(moved) >= segment.needed
        newest += segment.share * (is_back_moved if is_moved and week >= habits.moved_week else is_back_old)
        any_version += segment.share * (is_back_moved or is_back_old)
    if week < habits.packed_anew_week:
        return newest, any_version
    return float(len(anew) >= habits.packed_anew_needed), any_version


def _is_shown(days: float, changed_week: int, week: int) -> bool:
    """Whether at the end of a week caches show a page as it is since another week began."""
    return days <= (week - changed_week + 1) * _WEEK_DAYS


@cache
def _segment_pages(habits: InjectionParameters) -> list[range]:
    starts = [sum(each.pages for each in habits.segments[:number]) for number in range(len(habits.segments))]
    return [range(start, start + each.pages) for start, each in zip(starts, habits.segments, strict=True)]
