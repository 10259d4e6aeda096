"""Whether replay shows pages as they are live, or were at capture: renderings of both compared by picture, visible
text, console and requests.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.fidelity.fidelity_figures import (
        DEFAULT_FIDELITY_BUDGET as DEFAULT_FIDELITY_BUDGET,
        FidelityBudget as FidelityBudget,
        FidelityFigures as FidelityFigures,
        PageFidelity as PageFidelity,
    )
    from webkeep.quality.fidelity.fidelity_section import render_fidelity_section as render_fidelity_section
    from webkeep.quality.fidelity.live_changes import LiveChanges as LiveChanges
    from webkeep.quality.fidelity.page_rendering import (
        PageRendering as PageRendering,
        RenderingSource as RenderingSource,
        read_kept_rendering as read_kept_rendering,
        rendering_from_walk as rendering_from_walk,
    )
    from webkeep.quality.fidelity.picture_comparison import (
        PICTURE_MEASURE as PICTURE_MEASURE,
        PictureComparer as PictureComparer,
        PictureDifference as PictureDifference,
        ReportPicture as ReportPicture,
        read_comparison_script as read_comparison_script,
    )
    from webkeep.quality.fidelity.rendering_comparison import (
        ChangeSince as ChangeSince,
        ComparedRenderings as ComparedRenderings,
        FidelityVerdict as FidelityVerdict,
        RenderingComparison as RenderingComparison,
        compare_renderings as compare_renderings,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "fidelity_figures": ("DEFAULT_FIDELITY_BUDGET", "FidelityBudget", "FidelityFigures", "PageFidelity"),
            "fidelity_section": ("render_fidelity_section",),
            "live_changes": ("LiveChanges",),
            "page_rendering": ("PageRendering", "RenderingSource", "read_kept_rendering", "rendering_from_walk"),
            "picture_comparison": (
                "PICTURE_MEASURE",
                "PictureComparer",
                "PictureDifference",
                "ReportPicture",
                "read_comparison_script",
            ),
            "rendering_comparison": (
                "ChangeSince",
                "ComparedRenderings",
                "FidelityVerdict",
                "RenderingComparison",
                "compare_renderings",
            ),
        },
    )
