"""What the experiments are held against: published figures, and figures recomputed from the published formulas, by how
much a value may be off them, and known differences with their reasons.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from webkeep.lab.coherence.tree_site import TreeSite

LINK_ORDERS = 5
"""Over how many orders of links the recomputed figures of orders that depend on them are means."""


@dataclass(frozen=True, slots=True)
class ExpectedFigure:
    """A recomputed figure, and by how much a value may be off it."""

    value: float
    tolerance: float
    is_mean: bool = False
    """Whether it is a mean over orders of links, so that a value scatters around it by more than the tolerance."""


@cache
def _read_figures() -> dict[str, Any]:
    text = (files("webkeep.lab.coherence") / "figures.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def published_figure(table: str, row: str, column: str) -> float | None:
    """The figure that was printed in a table, if there is one."""
    figure: float | None = _read_figures()["published"].get(table, {}).get(row, {}).get(column)
    return figure


def recomputed_blur(site: TreeSite, contender: str) -> ExpectedFigure | None:
    """The recomputed blur of a page; a slower crawl multiplies it."""
    figure = _find_figure("blur", site, contender, slow=1)
    if isinstance(figure, list):
        mean, low, high = figure
        # A range of five values spans about 2.3 standard deviations, and two means of five are compared.
        return ExpectedFigure(mean * site.slow, 0.8 * (high - low) * site.slow + 0.006 * site.slow, is_mean=True)
    return None if figure is None else ExpectedFigure(figure * site.slow, 0.0006 * site.slow)


def recomputed_incoherence(site: TreeSite, contender: str) -> ExpectedFigure | None:
    """The recomputed number of incoherent pages."""
    figure = _find_figure("incoherence", site, contender, slow=site.slow)
    is_mean = contender in {"breadth-first-lifo", "depth-first-lifo"}
    return None if figure is None else ExpectedFigure(figure, 0.6, is_mean)


def _find_figure(kind: str, site: TreeSite, contender: str, slow: float) -> Any:
    for row in _read_figures()[kind]:
        if (row["pages"], row["leaves"], row["skew"], row["slow"]) == (site.pages, site.leaves.value, site.skew, slow):
            return (
                row["figures"].get(contender)
                if site == TreeSite(site.pages, site.leaves, site.skew, site.slow)
                else None
            )
    return None


def recomputed_threshold(form: str, skew: str, sureness: str) -> ExpectedFigure | None:
    """The recomputed incoherence of SHARC-Threshold in one of its two forms."""
    return _figure_by_probability(_read_figures()["threshold"].get(form, {}), skew, sureness)


def recomputed_intervals(skew: str, sureness: str) -> ExpectedFigure | None:
    """The recomputed incoherence of SHARC-Intervals before shrinking."""
    return _figure_by_probability(_read_figures()["intervals"], skew, sureness)


def _figure_by_probability(rows: dict[str, dict[str, float]], skew: str, sureness: str) -> ExpectedFigure | None:
    figure = rows.get(skew, {}).get(sureness)
    return None if figure is None else ExpectedFigure(figure, 0.6)


KNOWN_DIFFERENCES = {
    ("5.13", "0.5", "sharc-selective"): "ties",
    ("5.14", "0.5", "sharc-selective"): "ties",
}
"""Where a recomputed figure is known to be another, and why."""

DIFFERENCE_REASONS = {
    "ties": "Early in this crawl no known page has a chance to last, and decisions hang on differences of less than "
    "1e-16 of a page. The recomputed figures (9982 with cold leaves, 9950 with hot ones) come out if differences up to "
    "somewhere between 1e-16 and 1e-13 are taken for ties; decided exactly they are 9949.7 and 9950.7.",
}
"""The reasons in words."""
