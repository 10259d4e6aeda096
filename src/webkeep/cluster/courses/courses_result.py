"""What all courses of a capture came to, beside their fates: pages that were run in browsers, and second visits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from webkeep.cluster.store.course_rows import CourseSummary
from webkeep.crawl.browsing import BrowserReport


@dataclass(frozen=True, slots=True)
class CoursesResult:
    """What all courses came to."""

    begun_anew: int = 0
    """How often a course was begun anew, as the worker was lost that had begun it."""
    not_seen_again: int = 0
    browsed: BrowserReport | None = None


def read_courses_result(courses: Iterable[CourseSummary]) -> CoursesResult:
    """What courses came to together."""
    begun_anew, not_seen_again = 0, 0
    browsed: BrowserReport | None = None
    for course in courses:
        report: Mapping[str, Any] = course.report
        begun_anew += course.begun_anew
        not_seen_again += int(report.get("not_seen_again", 0))
        if report.get("browsed"):
            browsed = _add_report(browsed or BrowserReport(), report["browsed"])
    return CoursesResult(begun_anew, not_seen_again, browsed)


def _add_report(total: BrowserReport, report: Mapping[str, Any]) -> BrowserReport:
    """Numbers are added, failures gathered; of words the first ones stay."""
    for each in fields(BrowserReport):
        before, more = getattr(total, each.name), report.get(each.name)
        if isinstance(before, bool):
            setattr(total, each.name, before or bool(more))
        elif isinstance(before, int | float):
            setattr(total, each.name, before + (more or 0))
        elif isinstance(before, dict):
            before.update(more or {})
        elif isinstance(before, str):
            setattr(total, each.name, before or str(more or ""))
    return total
