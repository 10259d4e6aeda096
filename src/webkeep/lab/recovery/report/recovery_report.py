"""The report of the laboratory of recovery: its introduction, and the counts of figures that agree."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.results.result_page import ResultReport, render_result_page, sum_agreements
from webkeep.lab.results.result_table import ResultTable, count_agreements, count_near_published
from webkeep.presentation.pages import Markup

_INTRODUCTION = Markup(
    "Each figure comes from simulated sites and repositories; below it, where there are such figures, <b>C</b>, of "
    "check runs with the same parameters, and <b>P</b>, as published in 2007."
)


def render_report(tables: Sequence[ResultTable]) -> bytes:
    """The whole page."""
    near, compared = count_near_published(tables)
    sums = sum_agreements(count_agreements(tables), "figures agree with what they are held against")
    sums.append((f"{near:,} of {compared:,}", "published figures within the band"))
    heading = "Recovery in the laboratory"
    return render_result_page(ResultReport("Laboratory: recovery", heading, _INTRODUCTION, sums, tables))
