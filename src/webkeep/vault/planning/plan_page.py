"""A plan as a page for people: its segments, the chance of everything by the share of pages that archives hold, drawn
and as a table, what losses together cost, and advice; one file that needs nothing from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.presentation import format_count, format_share, format_size
from webkeep.presentation.drawings import PlotLine, render_figure, render_legend, render_line_plot, series_style
from webkeep.presentation.pages import Markup, element, join_markup, render_table, stream_report
from webkeep.vault.planning.page_growth import added_bytes, written_block_bytes
from webkeep.vault.planning.plan_forecast import PlanForecast
from webkeep.vault.planning.plan_proposal import PlanProposal, PlanRequest
from webkeep.vault.planning.webmaster_advice import WebmasterAdvice

_MAX_DRAWN_SEGMENTS = 6
"""Lines beside the two of the whole that can still be told apart."""
_TABLE_STEPS = 10
"""Rows of the table of shares."""
_MAX_NAMED_PAGES = 20
"""Pages that a piece of advice names; how many there are in all it says."""

_SEGMENT_HEADS = ("segment", "components", "packed", "r", "n", "block", "a page grows by", "chance")


@dataclass(frozen=True, slots=True)
class PlanReport:
    """Everything that is said of a plan."""

    request: PlanRequest
    proposal: PlanProposal
    forecast: PlanForecast
    advice: tuple[WebmasterAdvice, ...]


def format_chance(chance: float) -> str:
    """A chance with as many digits as it takes to see what it lacks of certainty, up to three."""
    if chance >= 1.0 or chance <= 0.0:
        return f"{chance:.0%}"
    shown = (f"{chance:.{digits}%}" for digits in range(1, 4))
    return next((each for each in shown if not each.startswith("100")), "> 99.999%")


def select_shares(forecast: PlanForecast) -> list[int]:
    """Which of the forecast's shares stand in tables."""
    step = max((len(forecast.by_share) - 1) // _TABLE_STEPS, 1)
    return list(range(step, len(forecast.by_share), step))


def draw_forecast(forecast: PlanForecast) -> Markup:
    """The chances by the share of pages held, as lines with their legend."""
    lines = list(_forecast_lines(forecast))
    plot = render_line_plot(lines, "share of the pages that archives hold", "chance that it comes back")
    return join_markup((plot, render_legend(lines)))


def _forecast_lines(forecast: PlanForecast) -> Iterator[PlotLine]:
    shares = forecast.by_share
    yield PlotLine("everything", tuple((each.share, each.whole) for each in shares), series_style(0))
    if any(each.together != each.whole for each in shares):
        points = tuple((each.share, each.together) for each in shares)
        yield PlotLine("everything, if pages of one directory are lost together", points, series_style(0, 1))
    if len(forecast.segments) > 1:
        for at, segment in enumerate(forecast.segments[:_MAX_DRAWN_SEGMENTS]):
            points = tuple((each.share, each.segments[at]) for each in shares)
            yield PlotLine(segment.name, points, series_style(at + 1, 2))


def render_plan_page(report: PlanReport) -> Iterator[bytes]:
    """The page, piece by piece."""
    return stream_report("Plan of a vault", _render_pieces(report))


def _render_pieces(report: PlanReport) -> Iterator[object]:
    forecast = report.forecast
    yield element("h1", "Plan of a vault")
    yield element("p", f"{describe_plan(report)}.", class_="headline")
    yield element("h2", "Segments")
    yield from render_table(_SEGMENT_HEADS, _segment_rows(report), class_="figures")
    yield element("p", f"{describe_manifest(report)}.")
    yield element("h2", "By the share of pages that archives hold")
    yield render_figure(draw_forecast(forecast), "For pages held at random, and as lost together.")
    heads = ("pages held", *(each.name for each in forecast.segments), "everything", "lost together")
    yield from render_table(heads, _share_rows(forecast), class_="figures")
    yield element("h2", "Losses together")
    yield [element("p", f"{line}.") for line in describe_margin(report)]
    yield element("h2", "Advice")
    yield element("ul", [_render_advice(each) for each in report.advice])


def describe_plan(report: PlanReport) -> str:
    """A plan in one line."""
    plan, forecast = report.proposal.plan, report.forecast
    sealed = sum(each.sealed_bytes for each in plan.segments)
    carriers = len({page for each in plan.segments for page in each.pages})
    most = max(added_bytes(each) for each in plan.segments)
    return (
        f"{format_size(sealed)} in {format_count(len(plan.segments), 'segment')} over "
        f"{format_count(carriers, 'page')}, each up to {format_size(most)} larger; all of it comes back with a chance "
        f"of {format_chance(forecast.whole)}"
    )


def describe_manifest(report: PlanReport) -> str:
    """Where the manifest is, and what it costs these pages."""
    pages = min(report.request.manifest_pages, len(report.request.pages))
    return (
        f"The manifest is in the {format_count(pages, 'page that is', 'pages that are')} seen most, for which "
        f"{format_size(report.request.manifest_bytes)} more are left free"
    )


def describe_margin(report: PlanReport) -> list[str]:
    """What losses together cost, and what archives are worth, sentence by sentence."""
    forecast, model = report.forecast, report.request.model
    lines = [
        f"If every page were missed by itself, the chance would be {format_chance(forecast.independent)}",
        f"For losses together blocks are {forecast.margin:.2f} times as large as they would be without "
        f"(correlation within directories {model.directory_correlation:.2f})",
    ]
    lines += [f"Without {name} the chance is {format_chance(chance)}" for name, chance in forecast.without]
    if forecast.any_answers < 1.0:
        lines.append(
            f"All this holds where any archive answers after the loss, which has a chance of "
            f"{format_chance(forecast.any_answers)}"
        )
    return lines


def _segment_rows(report: PlanReport) -> Iterator[Sequence[object]]:
    for segment, forecast in zip(report.proposal.plan.segments, report.forecast.segments, strict=True):
        needed = f"{segment.needed:,}" + (f" (+{segment.spare_blocks})" if segment.spare_blocks else "")
        yield (
            element("th", segment.name), ", ".join(segment.components), format_size(segment.sealed_bytes), needed,
            f"{segment.total:,}", format_size(written_block_bytes(segment)), format_size(added_bytes(segment)),
            format_chance(forecast.chance),
        )  # fmt: skip


def _share_rows(forecast: PlanForecast) -> Iterator[Sequence[object]]:
    for at in select_shares(forecast):
        each = forecast.by_share[at]
        chances = (*each.segments, each.whole, each.together)
        yield (element("th", format_share(each.share)), *(format_chance(chance) for chance in chances))


def _render_advice(advice: WebmasterAdvice) -> Markup:
    named = ", ".join(advice.pages[:_MAX_NAMED_PAGES])
    more = f" and {len(advice.pages) - _MAX_NAMED_PAGES:,} more" if len(advice.pages) > _MAX_NAMED_PAGES else ""
    return element("li", f"{advice.text}.", element("small", f" {named}{more}") if named else None)
