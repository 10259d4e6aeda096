"""What a plan is worth: the chance of every segment and of the whole as losses are expected, what losses together cost,
and both by the share of pages that archives hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webkeep.vault.planning.block_layout import SegmentLayout
from webkeep.vault.planning.loss_model import ArchiveOdds, LossModel, PageOdds
from webkeep.vault.planning.plan_proposal import BlockRoom, PlanProposal, PlanRequest, propose_plan
from webkeep.vault.planning.recovery_odds import chance_all_by_draw, chance_by_draw


@dataclass(frozen=True, slots=True)
class SegmentForecast:
    """How likely a segment comes back."""

    name: str
    chance: float
    """Where any archive answers at all."""
    independent: float
    """If every page were missed by itself, and all archives answered."""


@dataclass(frozen=True, slots=True)
class ShareForecast:
    """What comes back where archives hold just this share of the pages."""

    share: float
    segments: tuple[float, ...]
    """The chance of each segment, for pages drawn at random."""
    whole: float
    together: float
    """The chance of the whole if pages of one directory are missed together as often as the loss model says."""


@dataclass(frozen=True, slots=True)
class PlanForecast:
    """What a plan is worth."""

    segments: tuple[SegmentForecast, ...]
    whole: float
    """At least so likely everything comes back, where any archive answers at all."""
    independent: float
    any_answers: float
    """So likely any archive answers; no plan can change that."""
    without: tuple[tuple[str, float], ...]
    """The chance of the whole if one archive is gone, archive by archive; empty where there is but one."""
    margin: float
    """How many times as large blocks are than if losses were independent."""
    by_share: tuple[ShareForecast, ...]


def forecast_plan(request: PlanRequest, proposal: PlanProposal, block_room: BlockRoom, steps: int = 40) -> PlanForecast:
    """What a proposed plan is worth under the loss model it was made for."""
    model, alone = request.model, request.model.independent
    segments = [(_page_odds(each), each.counted_blocks) for each in proposal.layouts]
    return PlanForecast(
        segments=tuple(
            SegmentForecast(
                each.source.name, model.segment_chance(*segment) / model.any_answers, alone.segment_chance(*segment)
            )
            for each, segment in zip(proposal.layouts, segments, strict=True)
        ),
        whole=model.whole_chance(segments) / model.any_answers,
        independent=alone.whole_chance(segments),
        any_answers=model.any_answers,
        without=tuple(_forecast_without(model, segments)),
        margin=_measure_margin(request, proposal, block_room),
        by_share=tuple(forecast_shares(proposal.layouts, len(request.pages), model.directory_correlation, steps)),
    )


def forecast_shares(
    layouts: Sequence[SegmentLayout], page_count: int, correlation: float, steps: int
) -> list[ShareForecast]:
    """The chances by the share of pages held, from none to all of them."""
    sizes = [(len(each.pages), each.counted_blocks) for each in layouts]
    found = []
    for step in range(steps + 1):
        drawn = round(page_count * step / steps)
        segments = tuple(chance_by_draw(page_count, carriers, drawn, needed) for carriers, needed in sizes)
        whole = chance_all_by_draw(page_count, sizes, drawn)
        together = _chance_together(layouts, step / steps, correlation) if correlation else whole
        found.append(ShareForecast(step / steps, segments, whole, together))
    return found


def _chance_together(layouts: Sequence[SegmentLayout], share: float, correlation: float) -> float:
    model = LossModel((ArchiveOdds(""),), correlation)
    pages = [([replace(page.odds, chances=(share,)) for page in each.pages], each.counted_blocks) for each in layouts]
    return model.whole_chance(pages)


def _forecast_without(model: LossModel, segments: Sequence[tuple[Sequence[PageOdds], int]]) -> list[tuple[str, float]]:
    if len(model.archives) == 1:
        return []
    found = []
    for gone in range(len(model.archives)):
        archives = tuple(
            replace(each, answers=0.0 if place == gone else 1.0) for place, each in enumerate(model.archives)
        )
        chance = replace(model, archives=archives).whole_chance(segments)
        found.append((model.archives[gone].name, chance))
    return found


def _measure_margin(request: PlanRequest, proposal: PlanProposal, block_room: BlockRoom) -> float:
    if request.model == request.model.independent:
        return 1.0
    alone = propose_plan(replace(request, model=request.model.independent, approach=proposal.approach), block_room)
    return _mean_block(proposal) / _mean_block(alone)


def _mean_block(proposal: PlanProposal) -> float:
    segments = proposal.plan.segments
    return sum(each.block_bytes * each.total for each in segments) / sum(each.total for each in segments)


def _page_odds(layout: SegmentLayout) -> list[PageOdds]:
    return [page.odds for page in layout.pages]
