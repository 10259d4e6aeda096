"""The reconstruction diagram: how much of a site is back, in rings; what each ring stands for, and its caption."""

from __future__ import annotations

from webkeep.presentation import format_share
from webkeep.presentation.drawings import draw_circle, draw_svg, render_figure
from webkeep.presentation.pages import Markup
from webkeep.recover.report.site_difference import DifferenceVector, diagram_rings

_RADIUS = 100.0
"""Units of the drawing: the radius of the original site."""


def render_reconstruction_diagram(vector: DifferenceVector) -> Markup:
    """A hole for what is missing, dark for what changed, a crust for what was added."""
    radii = diagram_rings(vector)
    rings = [("crust", radii.added), ("light", radii.identical), ("dark", radii.changed), ("hole", radii.missing)]
    drawn = [draw_circle(0, 0, _RADIUS * radius, name) for name, radius in rings if radius]
    missing, changed, added = map(format_share, (vector.missing, vector.changed, vector.added))
    words = f"missing {missing} (hole), changed {changed} (dark), added {added} (crust)"
    edge = 2 * (round(_RADIUS * radii.added) + 3)
    picture = draw_svg(edge, edge, drawn, label=words, class_="chart rings", centred=True)
    return render_figure(picture, words, class_="small")
