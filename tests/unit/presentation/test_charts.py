"""Drawings: shapes at their places, words that are words, and charts of any numbers."""

import re

import pytest

from webkeep.presentation.drawings import (
    AreaBand,
    PlotAxis,
    PlotLine,
    draw_bend,
    draw_circle,
    draw_cross,
    draw_line,
    draw_rect,
    draw_svg,
    draw_text,
    render_area_chart,
    render_bar_chart,
    render_column_chart,
    render_figure,
    render_legend,
    render_line_plot,
    series_style,
)
from webkeep.presentation.drawings.drawing import cut_text, format_tick, round_up, round_up_to_steps


def test_lines_span_the_plot_from_the_least_to_the_most() -> None:
    drawn = render_line_plot([PlotLine("one", ((1.0, 0.0), (100.0, 10.0)), "series0")], "pages", "blur", is_log=True)
    assert 'd="M64 296L624 14"' in drawn
    assert "<title>one: 10</title>" in drawn
    assert 'aria-label="blur by pages"' in drawn
    assert render_line_plot([], "pages", "blur") == ""
    assert "one</li>" in render_legend([PlotLine("one", (), "series0")])


def test_many_points_are_a_line_with_few_ticks() -> None:
    drawn = render_line_plot([PlotLine("all", tuple((float(x), x / 500) for x in range(500)), "series1")], "x", "y")
    assert drawn.count("<circle") == 0
    assert drawn.count("<text") == 6 + 6 + 1


@pytest.mark.parametrize(
    ("axis", "share"), [(PlotAxis(1, 100, True), 0.5), (PlotAxis(0, 20), 0.5), (PlotAxis(10, 10), 0.5)]
)
def test_values_have_their_place_on_an_axis(axis: PlotAxis, share: float) -> None:
    assert axis.share(10) == pytest.approx(share)


def test_axes_end_at_round_numbers() -> None:
    assert [round_up(value) for value in (0, 0.0123, 3, 9.6, 1234)] == [1.0, pytest.approx(0.015), 3, 10, 1500]
    assert PlotAxis(0, 10).ticks(3) == [0, 5, 10]
    assert [format_tick(value) for value in (0.30000000000000004, 12.5, 12345)] == ["0.3", "12.5", "12,345"]


@pytest.mark.parametrize(
    ("value", "end"), [(0.0, 4), (1, 4), (3, 4), (5, 8), (65, 80), (130, 200), (1_040_000, 2_000_000), (999, 1000)]
)
def test_axes_of_counts_have_whole_round_steps(value: float, end: float) -> None:
    assert round_up_to_steps(value, 4) == end
    assert all(tick % 1 == 0 for tick in PlotAxis(0, end).ticks(5))


def test_names_and_sizes_beside_areas_are_whole() -> None:
    days = [f"2026-0{month}-01" for month in range(1, 5)]
    drawn = render_area_chart("Growth", days, [AreaBand("b", (5, 5, 5, 1_040_000), "series1")], str)
    assert ">2000000.0<" in drawn
    assert re.search(r'<text x="640" y="228" text-anchor="end">2026-04-01', drawn)


def test_shapes_are_at_their_places() -> None:
    assert draw_line(0, 1.005, 2.5, -0.001, "x") == '<line class="x" x1="0" x2="2.5" y1="1" y2="0"></line>'
    assert draw_rect(1, 2, -3, 4) == '<rect x="1" y="2" width="0" height="4"></rect>'
    assert draw_circle(1, 2, 3, title="<") == '<circle cx="1" cy="2" r="3"><title>&lt;</title></circle>'
    assert draw_text(1, 2, "a&b", "end") == '<text x="1" y="2" text-anchor="end">a&amp;b</text>'
    assert 'd="M0 0C0 5 4 5 4 10"' in draw_bend((0, 0), (4, 10))
    assert 'd="M7 7l6 6m0 -6l-6 6"' in draw_cross(10, 10, 3)


def test_a_drawing_is_described_or_hidden() -> None:
    assert 'viewBox="0 0 10 20" role="img" aria-label="L"' in draw_svg(10, 20, label="L")
    assert 'width="10" height="20" aria-hidden="true"' in draw_svg(10, 20)
    assert 'viewBox="-5 -10 10 20"' in draw_svg(10, 20, label="L", centred=True)


def test_bars_and_columns_are_as_long_as_their_numbers() -> None:
    bars = render_bar_chart("T", [("a" * 60, 10.0, "ten"), ("<b>", 5.0, "five"), ("none", 0.0, "0")])
    wide, narrow = bars.split("</svg>")[:2]
    assert re.findall(r'width="([\d.]+)" height="16"', wide) == ["330", "165", "0"]
    assert re.findall(r'width="([\d.]+)" height="14"', narrow) == ["305.6", "152.8", "0"]
    for drawn in (wide, narrow):
        assert "&lt;b&gt;" in drawn
        assert "a" * 60 not in drawn
    assert "a" * 50 in narrow, "names have all of the width where they stand above their bars"
    columns = render_column_chart("T", {"1999": 4, "2001": 1})
    assert re.findall(r'height="([\d.]+)"><title>', columns) == ["160", "40"]
    assert render_bar_chart("T", []) == render_column_chart("T", {}) == ""
    assert render_bar_chart("T", [("a", 0.0, "0")])
    assert render_column_chart("T", {"a": 0})


def test_no_chart_no_figure() -> None:
    assert render_figure(render_bar_chart("T", []), "words") == ""
    assert "<figcaption>words</figcaption></figure>" in render_figure(draw_svg(1, 1), "words")


def test_words_are_cut_where_room_ends() -> None:
    assert cut_text("short", 220) == "short"
    assert cut_text("x" * 50, 66) == "x" * 9 + "…"


def test_series_have_colours_and_dashes_however_many_there_are() -> None:
    assert [series_style(0), series_style(9, 1), series_style(3, 5)] == ["series0", "series1 dashed", "series3 dotted"]


def test_few_places_are_columns_and_slope_nowhere() -> None:
    """Between two captures nobody looked, so that no line may lead from one to the other."""
    two = render_area_chart("Pages", ["one", "two"], [AreaBand("new", (4, 0), "a"), AreaBand("same", (0, 4), "b")])
    many = render_area_chart("Pages", list("abcd"), [AreaBand("new", (4, 4, 4, 4), "a")])
    steps = re.findall(r'class="area a" d="([^"]*)"', two)[0]
    assert steps.count("M") == steps.count("Z") == 2, "one for each place"
    assert re.findall(r'class="area a" d="([^"]*)"', many)[0].count("M") == 1


def test_areas_are_drawn_for_phones_as_well() -> None:
    drawn = render_area_chart("Pages", list("abcd"), [AreaBand("new", (4, 4, 4, 4), "a")])
    assert drawn.count("chart wide") == drawn.count("chart narrow") == 1
