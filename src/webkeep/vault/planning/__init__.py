"""Planning a vault: how likely blocks come back, the layout that makes it likely enough, and what it is worth."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.planning.block_layout import (
        PackingApproach as PackingApproach,
        SegmentLayout as SegmentLayout,
        SegmentSource as SegmentSource,
        count_blocks as count_blocks,
    )
    from webkeep.vault.planning.coverage_estimate import (
        DEFAULT_ARCHIVE_ANSWERS as DEFAULT_ARCHIVE_ANSWERS,
        DEFAULT_DIRECTORY_CORRELATION as DEFAULT_DIRECTORY_CORRELATION,
        CoverageEstimate as CoverageEstimate,
        assume_coverage as assume_coverage,
        estimate_coverage as estimate_coverage,
    )
    from webkeep.vault.planning.loss_model import (
        ArchiveOdds as ArchiveOdds,
        LossModel as LossModel,
        PageOdds as PageOdds,
        directory_loss as directory_loss,
    )
    from webkeep.vault.planning.page_growth import (
        added_bytes as added_bytes,
        block_room as block_room,
        written_block_bytes as written_block_bytes,
    )
    from webkeep.vault.planning.plan_forecast import (
        PlanForecast as PlanForecast,
        ShareForecast as ShareForecast,
        forecast_plan as forecast_plan,
    )
    from webkeep.vault.planning.plan_outlook import (
        USUAL_SHARE as USUAL_SHARE,
        ShareOutlook as ShareOutlook,
        forecast_outlook as forecast_outlook,
    )
    from webkeep.vault.planning.plan_page import (
        PlanReport as PlanReport,
        describe_manifest as describe_manifest,
        describe_margin as describe_margin,
        describe_plan as describe_plan,
        draw_forecast as draw_forecast,
        format_chance as format_chance,
        render_plan_page as render_plan_page,
        select_shares as select_shares,
    )
    from webkeep.vault.planning.plan_proposal import (
        DEFAULT_MAX_ADDED_BYTES as DEFAULT_MAX_ADDED_BYTES,
        DEFAULT_WANTED as DEFAULT_WANTED,
        PlanProposal as PlanProposal,
        PlanRequest as PlanRequest,
        propose_plan as propose_plan,
    )
    from webkeep.vault.planning.recovery_odds import (
        CarrierGroup as CarrierGroup,
        chance_by_draw as chance_by_draw,
        chance_of_enough as chance_of_enough,
    )
    from webkeep.vault.planning.webmaster_advice import (
        PageTraits as PageTraits,
        WebmasterAdvice as WebmasterAdvice,
        advise_webmaster as advise_webmaster,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "block_layout": ("PackingApproach", "SegmentLayout", "SegmentSource", "count_blocks"),
            "coverage_estimate": (
                "DEFAULT_ARCHIVE_ANSWERS",
                "DEFAULT_DIRECTORY_CORRELATION",
                "CoverageEstimate",
                "assume_coverage",
                "estimate_coverage",
            ),
            "loss_model": ("ArchiveOdds", "LossModel", "PageOdds", "directory_loss"),
            "page_growth": ("added_bytes", "block_room", "written_block_bytes"),
            "plan_forecast": ("PlanForecast", "ShareForecast", "forecast_plan"),
            "plan_outlook": ("USUAL_SHARE", "ShareOutlook", "forecast_outlook"),
            "plan_page": (
                "PlanReport",
                "describe_manifest",
                "describe_margin",
                "describe_plan",
                "draw_forecast",
                "format_chance",
                "render_plan_page",
                "select_shares",
            ),
            "plan_proposal": (
                "DEFAULT_MAX_ADDED_BYTES",
                "DEFAULT_WANTED",
                "PlanProposal",
                "PlanRequest",
                "propose_plan",
            ),
            "recovery_odds": ("CarrierGroup", "chance_by_draw", "chance_of_enough"),
            "webmaster_advice": ("PageTraits", "WebmasterAdvice", "advise_webmaster"),
        },
    )
