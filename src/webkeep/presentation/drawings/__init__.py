"""Drawings as SVG: shapes and scales, and charts made of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.presentation.drawings.area_chart import (
        AreaBand as AreaBand,
        render_area_chart as render_area_chart,
        render_area_legend as render_area_legend,
        render_colour_legend as render_colour_legend,
    )
    from webkeep.presentation.drawings.canvas_figure import (
        read_canvas_script as read_canvas_script,
        render_scatter_canvas as render_scatter_canvas,
        render_tree_canvas as render_tree_canvas,
    )
    from webkeep.presentation.drawings.charts import (
        PlotLine as PlotLine,
        render_bar_chart as render_bar_chart,
        render_column_chart as render_column_chart,
        render_figure as render_figure,
        render_legend as render_legend,
        render_line_plot as render_line_plot,
        series_style as series_style,
    )
    from webkeep.presentation.drawings.drawing import (
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
    from webkeep.presentation.drawings.picture_slider import (
        SliderPicture as SliderPicture,
        read_slider_script as read_slider_script,
        render_picture_slider as render_picture_slider,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "area_chart": ("AreaBand", "render_area_chart", "render_area_legend", "render_colour_legend"),
            "canvas_figure": ("read_canvas_script", "render_scatter_canvas", "render_tree_canvas"),
            "picture_slider": ("SliderPicture", "read_slider_script", "render_picture_slider"),
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
        },
    )
