"""Scenario vault: plans for server components in pages, beside losses drawn one by one: pages alone, pages of one
directory together, and whole archives; what the planner says, and what the margin for losses together buys.

Losses are drawn page by page on the plan's own assignment and know nothing of the planner's formulas. One row has
directories whose shares merely vary (a beta distribution of the same correlation): losses of another kind than the
planner reckons with.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt

from webkeep.lab.results.result_table import ResultCell, ResultColumn, ResultRow, ResultTable
from webkeep.presentation import format_count
from webkeep.vault import CarrierPage
from webkeep.vault.planning import (
    ArchiveOdds,
    LossModel,
    PageOdds,
    PlanProposal,
    PlanRequest,
    SegmentSource,
    directory_loss,
    forecast_plan,
    propose_plan,
)

COLUMNS = (
    ResultColumn("survived", "survived", digits=2),
    ResultColumn("errors", "standard errors off", is_share=False, digits=2),
    ResultColumn("needed", "r", is_share=False, digits=0),
    ResultColumn("total", "n", is_share=False, digits=0),
    ResultColumn("margin", "blocks larger", is_share=False, digits=2),
    ResultColumn("unprepared", "planned as if independent", digits=2),
)
PAGE_COUNT, DIRECTORY_COUNT = 123, 12
"""Pages as many as the digital library of E7 had, ten to a directory."""
_SEGMENT_BYTES = (300_000, 240_000, 160_000)
"""Of components as packed: three of different size, about as much as a small application."""
_WANTED = 0.99
"""Less than is usually wanted, so that losses are seen in a number of draws that can be waited for."""
_MAX_ERRORS = 4.0
"""Standard errors that a sum of draws may be off: once in 16,000 it is more by chance."""
_NOTES = (
    "Survived is the share of drawn losses after which everything comes back, beside what the planner says.",
    "The whole of several segments that share directories is at least as likely as the planner says.",
    "The last column is a plan that counts on no losses together, under the same losses.",
)


@dataclass(frozen=True, slots=True)
class LossSetting:
    """Pages, segments and how they are lost."""

    name: str
    share: float
    parts: int
    model: LossModel
    varies: bool = False
    """Whether shares of directories vary, in place of whole directories missed."""

    @property
    def is_bound(self) -> bool:
        """Whether the planner only says that it is at least so likely."""
        return self.varies or (self.parts > 1 and self.model.directory_correlation > 0)


def list_settings() -> list[LossSetting]:
    """Every share of pages with every kind of loss, in one segment and in three."""
    one, two = (ArchiveOdds("a"),), (ArchiveOdds("a", 0.97), ArchiveOdds("b", 0.9))
    kinds = {
        "alone": LossModel(one),
        "directories 0.1": LossModel(one, 0.1),
        "directories 0.3": LossModel(one, 0.3),
        "archives": LossModel(two),
        "both": LossModel(two, 0.1),
    }
    settings = [
        LossSetting(f"{name}, {share:.0%} held", share, parts, model)
        for name, model in kinds.items()
        for share in (0.4, 0.6, 0.8)
        for parts in (1, 3)
    ]
    return [*settings, LossSetting("directories vary 0.1, 60% held", 0.6, 1, LossModel(one, 0.1), varies=True)]


def vault_losses_block(losses: int = 10_000, seed: int = 1) -> ResultTable:
    """What the planner says of every setting, and how many of so many losses are survived."""
    rows = tuple(
        _try_setting(setting, losses, random.Random(f"{seed}/{setting.name}/{setting.parts}"))
        for setting in list_settings()
    )
    title = f"Server components after {losses:,} losses of each kind"
    return ResultTable("vault", title, "losses, pages held, segments", COLUMNS, rows, _NOTES, reference="told")


def _try_setting(setting: LossSetting, losses: int, chance: random.Random) -> ResultRow:
    request = build_request(setting)
    proposal = propose_plan(request, _block_room)
    forecast = forecast_plan(request, proposal, _block_room, 1)
    told = forecast.whole * forecast.any_answers
    survived = count_survived(request, proposal, losses, chance, setting.varies) / losses
    error = sqrt(max(told * (1 - told), 1 / losses) / losses)
    unprepared = propose_plan(
        replace(request, model=request.model.independent, approach=proposal.approach), _block_room
    )
    caught_out = count_survived(request, unprepared, losses // 10, chance, setting.varies) / (losses // 10)
    off = (survived - told) / error
    values = {
        "errors": min(off, 0.0) if setting.is_bound else off,
        "needed": float(sum(each.needed for each in proposal.plan.segments)),
        "total": float(sum(each.total for each in proposal.plan.segments)),
        "margin": forecast.margin,
        "unprepared": caught_out,
    }
    # A bound may be exceeded by all that there is above it.
    tolerance = 1.0 if setting.is_bound and survived >= told else _MAX_ERRORS * error
    cells = [ResultCell(survived, told, tolerance=tolerance), *(ResultCell(value) for value in values.values())]
    return ResultRow(f"{setting.name}, {format_count(len(proposal.layouts), 'segment')}", tuple(cells))


def build_request(setting: LossSetting) -> PlanRequest:
    """What the plan of a setting is made for; every archive holds its part of the share."""
    count = len(setting.model.archives)
    chances = (1.0 - (1.0 - setting.share) ** (1 / count),) * count
    paths = [f"/{at % DIRECTORY_COUNT}/{at}" for at in range(PAGE_COUNT)]
    pages = tuple(CarrierPage(path, 20_000) for path in paths)
    odds = tuple(PageOdds(path, path.rpartition("/")[0], chances) for path in paths)
    sizes = _SEGMENT_BYTES if setting.parts > 1 else (sum(_SEGMENT_BYTES),)
    sources = tuple(SegmentSource(f"s{at}", (f"c{at}",), size) for at, size in enumerate(sizes))
    return PlanRequest(sources, pages, odds, setting.model, _WANTED)


def _block_room(text: int) -> int:
    return (text - 1000) * 3 // 4


def count_survived(
    request: PlanRequest, proposal: PlanProposal, losses: int, chance: random.Random, varies: bool = False
) -> int:
    """After how many of so many drawn losses every segment still has the blocks that it counts with."""
    carried: dict[str, list[tuple[PageOdds, int]]] = {}
    for number, layout in enumerate(proposal.layouts):
        for page in layout.pages:
            carried.setdefault(page.odds.directory, []).append((page.odds, number))
    needed = [layout.counted_blocks for layout in proposal.layouts]
    model = request.model
    draw = _draw_varying if varies else _draw_missed
    survived = 0
    for _ in range(losses):
        answering = [chance.random() < archive.answers for archive in model.archives]
        held = draw(carried, answering, model.directory_correlation, chance)
        counts = [0] * len(needed)
        for number in held:
            counts[number] += 1
        survived += all(count >= need for count, need in zip(counts, needed, strict=True))
    return survived


_Carried = Mapping[str, Sequence[tuple[PageOdds, int]]]


def _draw_missed(
    carried: _Carried, answering: Sequence[bool], correlation: float, chance: random.Random
) -> Iterator[int]:
    """The segments of pages that are held, where directories are missed as a whole."""
    held_by = _memoize(lambda chances: _union(chances, answering))
    draw = chance.random
    for pages in carried.values():
        missed = directory_loss(sum(held_by(page.chances) for page, _ in pages) / len(pages), correlation)
        if not missed or draw() >= missed:
            for page, segment in pages:
                if draw() * (1 - missed) < held_by(page.chances):
                    yield segment


def _draw_varying(
    carried: _Carried, answering: Sequence[bool], correlation: float, chance: random.Random
) -> Iterator[int]:
    """The segments of pages that are held, where the share of a directory varies from loss to loss."""
    for pages in carried.values():
        share = sum(_union(page.chances, answering) for page, _ in pages) / len(pages)
        spread = (1 - correlation) / correlation
        drawn = chance.betavariate(share * spread, (1 - share) * spread)
        yield from (segment for _, segment in pages if chance.random() < drawn)


def _union(chances: Sequence[float], answering: Sequence[bool]) -> float:
    return 1 - prod(1 - each for each, is_there in zip(chances, answering, strict=True) if is_there)


def _memoize(function: Callable[[tuple[float, ...]], float]) -> Callable[[tuple[float, ...]], float]:
    known: dict[tuple[float, ...], float] = {}

    def look_up(key: tuple[float, ...]) -> float:
        if key not in known:
            known[key] = function(key)
        return known[key]

    return look_up
