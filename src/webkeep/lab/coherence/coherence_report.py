"""The report of the laboratory of blur and coherence: its introduction, the counts of cells that agree, and the table
of Scouting beside the best published strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.lab.coherence.coherence_table import table_label
from webkeep.lab.coherence.simulated_tables import SIMULATED_TABLE
from webkeep.lab.coherence.strategy_duels import StrategyDuel, count_verdicts
from webkeep.lab.results.result_page import ResultReport, ResultSection, render_result_page, sum_agreements
from webkeep.lab.results.result_table import ResultTable, count_agreements, count_near_published
from webkeep.presentation.pages import Markup, element, join_markup, render_table

_INTRODUCTION = Markup(
    "Each cell is the value expected by the model; below it, where there are such figures, <b>R</b>, recomputed from "
    "the published formulas, and <b>P</b>, as published from one simulated crawl."
)
_DUEL_HEAD = ("table", "setting", "best published online", "its pages", "Scouting", "difference", "", "all known")


@dataclass(frozen=True, slots=True)
class CoherenceReport:
    """What goes into the page."""

    tables: Sequence[ResultTable]
    duels: Sequence[StrategyDuel] = ()
    frontier: str = ""
    """A sentence on the crawls that went through the frontier."""


def render_report(report: CoherenceReport) -> bytes:
    """The whole page."""
    counts = count_agreements([table for table in report.tables if table.name != SIMULATED_TABLE])
    sums = sum_agreements(counts, "cells agree with the recomputed figure")
    near, compared = count_near_published(report.tables)
    if compared:
        sums.append((f"{near:,} of {compared:,}", "published counts within three standard deviations"))
    return render_result_page(
        ResultReport(
            "Laboratory: blur and coherence",
            "Blur and coherence in the laboratory",
            _INTRODUCTION,
            sums,
            report.tables,
            report.frontier,
            [_build_duel_section(report.duels)] if report.duels else [],
        )
    )


def _build_duel_section(duels: Sequence[StrategyDuel]) -> ResultSection:
    published = count_verdicts([duel for duel in duels if duel.is_published])
    elsewhere = count_verdicts([duel for duel in duels if not duel.is_published])
    words = element(
        "p",
        f"In published settings: {_tally_words(published)}. In others: {_tally_words(elsewhere)} (level is within half "
        "a per cent). Incoherent pages expected; ",
        element("i", "all known"),
        " is SHARC-Selective that knows every page beforehand.",
    )
    head = [element("th", each, class_="word") for each in _DUEL_HEAD]
    table = join_markup((words, render_table(head, map(_duel_cells, duels), class_="figures")))
    return ResultSection("scouting", "Scouting", "Scouting beside the best published online strategy", table)


def _duel_cells(duel: StrategyDuel) -> list[object]:
    words = [element("td", each, class_="word") for each in (table_label(duel.table), duel.setting, duel.best)]
    difference = element("td", f"{duel.difference:+.2%}", class_=duel.verdict)
    verdict = element("td", duel.verdict, class_="word")
    return [*words, f"{duel.published:,.1f}", f"{duel.ours:,.1f}", difference, verdict, f"{duel.knowing_all:,.1f}"]


def _tally_words(tallied: dict[str, int]) -> str:
    return ", ".join(f"{verdict} {count}" for verdict, count in tallied.items())
