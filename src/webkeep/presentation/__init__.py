"""What people read: numbers and dates in words, markup, pages with their style, drawings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.presentation.charts import (
        PlotLine as PlotLine,
        render_bar_chart as render_bar_chart,
        render_column_chart as render_column_chart,
        render_figure as render_figure,
        render_legend as render_legend,
        render_line_plot as render_line_plot,
        series_style as series_style,
    )
    from webkeep.presentation.drawing import (
        PlotAxis as PlotAxis,
        draw_bend as draw_bend,
        draw_circle as draw_circle,
        draw_cross as draw_cross,
        draw_group as draw_group,
        draw_line as draw_line,
        draw_rect as draw_rect,
        draw_svg as draw_svg,
        draw_text as draw_text,
    )
    from webkeep.presentation.markup import (
        Markup as Markup,
        element as element,
        escape_text as escape_text,
        join_markup as join_markup,
        render_facts as render_facts,
        render_row as render_row,
        render_table as render_table,
    )
    from webkeep.presentation.number_format import (
        format_count as format_count,
        format_date as format_date,
        format_duration as format_duration,
        format_elapsed as format_elapsed,
        format_exact_size as format_exact_size,
        format_instant as format_instant,
        format_moment as format_moment,
        format_share as format_share,
        format_size as format_size,
        format_times_seen as format_times_seen,
        write_size as write_size,
        write_time as write_time,
    )
    from webkeep.presentation.page import (
        PAGE_END as PAGE_END,
        PAGE_STYLE as PAGE_STYLE,
        REPORT_STYLE as REPORT_STYLE,
        SERVER_STYLE as SERVER_STYLE,
        begin_page as begin_page,
        read_style as read_style,
        render_page as render_page,
        stream_report as stream_report,
    )
    from webkeep.presentation.visible_text import (
        escape_controls as escape_controls,
        escape_controls_in_lines as escape_controls_in_lines,
        escape_json_controls as escape_json_controls,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "charts": (
                "PlotLine",
                "render_bar_chart",
                "render_column_chart",
                "render_figure",
                "render_legend",
                "render_line_plot",
                "series_style",
            ),
            "drawing": (
                "PlotAxis",
                "draw_bend",
                "draw_circle",
                "draw_cross",
                "draw_group",
                "draw_line",
                "draw_rect",
                "draw_svg",
                "draw_text",
            ),
            "markup": ("Markup", "element", "escape_text", "join_markup", "render_facts", "render_row", "render_table"),
            "number_format": (
                "format_count",
                "format_date",
                "format_duration",
                "format_elapsed",
                "format_exact_size",
                "format_instant",
                "format_moment",
                "format_share",
                "format_size",
                "format_times_seen",
                "write_size",
                "write_time",
            ),
            "page": (
                "PAGE_END",
                "PAGE_STYLE",
                "REPORT_STYLE",
                "SERVER_STYLE",
                "begin_page",
                "read_style",
                "render_page",
                "stream_report",
            ),
            "visible_text": ("escape_controls", "escape_controls_in_lines", "escape_json_controls"),
        },
    )
