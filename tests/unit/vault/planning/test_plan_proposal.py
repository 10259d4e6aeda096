from dataclasses import replace

import pytest

from webkeep.errors import UsageError
from webkeep.vault import CarrierPage
from webkeep.vault.planning import (
    ArchiveOdds,
    LossModel,
    PackingApproach,
    PageOdds,
    PlanProposal,
    PlanRequest,
    SegmentSource,
    forecast_plan,
    propose_plan,
)

MONARCH = (368_065, 250_000, 160_000, 90_000, 60_000, 40_000, 20_000, 9_000, 5_000, 3_000)
"""Ten archives of about a megabyte, the first of which is known."""


def block_room(text: int) -> int:
    return (text - 600) * 57 // 77


def build_request(sizes: tuple[int, ...], pages: int = 123, share: float = 0.6, rho: float = 0.0) -> PlanRequest:
    carriers = tuple(CarrierPage(f"/d{at % 12}/{at}", 20_000) for at in range(pages))
    odds = tuple(PageOdds(page.path, f"/d{at % 12}/", (share,)) for at, page in enumerate(carriers))
    sources = tuple(SegmentSource(f"s{at}", (f"c{at}",), size) for at, size in enumerate(sizes))
    return PlanRequest(sources, carriers, odds, LossModel((ArchiveOdds("one"),), rho))


def whole_chance(request: PlanRequest, proposal: PlanProposal) -> float:
    return request.model.whole_chance(
        [([page.odds for page in each.pages], each.counted_blocks) for each in proposal.layouts]
    )


def test_one_segment_is_spread_over_all_pages_in_the_smallest_blocks_that_suffice() -> None:
    proposal = propose_plan(build_request((1_000_000,)), block_room)
    (segment,) = proposal.plan.segments
    assert (segment.needed, segment.total, segment.block_bytes) == (57, 123, 17_544)
    assert proposal.is_reached
    assert proposal.approach is PackingApproach.ALL_OR_NOTHING


def test_segments_have_pages_of_their_own_and_reach_together_what_is_wanted() -> None:
    request = build_request(MONARCH, share=0.8)
    proposal = propose_plan(request, block_room)
    assert proposal.approach is PackingApproach.SEGMENTED
    taken = [page for segment in proposal.plan.segments for page in segment.pages]
    assert sorted(taken) == list(range(123))
    assert whole_chance(request, proposal) >= 0.999


def test_components_too_small_for_pages_of_their_own_are_packed_together() -> None:
    proposal = propose_plan(build_request(MONARCH), block_room)
    (whole,) = propose_plan(
        replace(build_request(MONARCH), approach=PackingApproach.ALL_OR_NOTHING), block_room
    ).plan.segments
    segments = proposal.plan.segments
    assert 1 < len(segments) < len(MONARCH)
    assert sorted(name for each in segments for name in each.components) == sorted(f"c{at}" for at in range(10))
    assert max(each.block_bytes for each in segments) <= 2 * whole.block_bytes


def test_segments_that_are_asked_for_are_kept_apart_whatever_it_costs() -> None:
    request = replace(build_request(MONARCH, share=0.8), approach=PackingApproach.SEGMENTED)
    assert len(propose_plan(request, block_room).plan.segments) == len(MONARCH)


def test_no_page_grows_beyond_its_limit() -> None:
    request = build_request(MONARCH)
    full = tuple(replace(page, size_bytes=200_000 if at % 3 else 20_000) for at, page in enumerate(request.pages))
    proposal = propose_plan(replace(request, pages=full, approach=PackingApproach.ALL_OR_NOTHING), block_room)
    (segment,) = proposal.plan.segments
    assert all(segment.block_bytes <= block_room(214_000 - full[page].size_bytes) for page in segment.pages)
    assert segment.total == 41


def test_what_the_manifest_takes_is_no_room_for_blocks() -> None:
    request = build_request((1_000_000,), pages=60)
    tight = replace(request, max_added_bytes=45_000, manifest_bytes=30_000, manifest_pages=8)
    (segment,) = propose_plan(tight, block_room).plan.segments
    assert segment.pages and min(segment.pages) == 8


def test_the_most_needed_segments_are_in_the_likeliest_pages() -> None:
    request = build_request((200_000, 200_000, 200_000))
    odds = tuple(replace(each, chances=(0.95 - at * 0.005,)) for at, each in enumerate(request.odds))
    first, _, last = propose_plan(replace(request, odds=odds), block_room).layouts
    least = min(page.odds.chance for page in first.pages[: first.needed])
    assert least > max(page.odds.chance for page in last.pages[: last.needed])


def test_pages_of_one_directory_are_dealt_out_to_different_segments() -> None:
    for layout in propose_plan(build_request((200_000, 200_000, 200_000), pages=120), block_room).layouts:
        by_directory = [page.odds.directory for page in layout.pages]
        assert max(map(by_directory.count, by_directory)) <= len(by_directory) // 12 + 2


def test_losses_together_are_answered_with_larger_blocks() -> None:
    request = build_request(MONARCH, rho=0.2)
    proposal = propose_plan(request, block_room)
    forecast = forecast_plan(request, proposal, block_room, 20)
    assert forecast.whole >= 0.999
    assert forecast.independent > forecast.whole
    assert forecast.margin > 1.1


def test_where_what_is_wanted_cannot_be_reached_the_nearest_is_proposed_and_said_to_be() -> None:
    request = build_request((1_000, 3_000), pages=5)
    proposal = propose_plan(request, block_room)
    assert not proposal.is_reached
    assert 0.9 < whole_chance(request, proposal) < 0.999


def test_more_than_pages_can_hold_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"30 MB .* do not fit into 123 pages.*add pages, or protect less"):
        propose_plan(build_request((30_000_000,)), block_room)


def test_above_255_blocks_the_plan_counts_with_what_a_fountain_code_takes_beyond_r() -> None:
    (layout,) = propose_plan(build_request((10_000_000,), pages=2000), block_room).layouts
    assert layout.counted_blocks == layout.needed + 2
    (layout,) = propose_plan(build_request((1_000_000,), pages=255), block_room).layouts
    assert layout.counted_blocks == layout.needed


@pytest.mark.parametrize("wanted", [0.0, 1.0, -1.0])
def test_chances_that_cannot_be_are_refused(wanted: float) -> None:
    with pytest.raises(UsageError, match="chance"):
        replace(build_request((1000,)), wanted=wanted)


def test_the_forecast_rises_with_the_share_of_pages_held() -> None:
    request = build_request(MONARCH, rho=0.1)
    forecast = forecast_plan(request, propose_plan(request, block_room), block_room, 20)
    wholes = [each.whole for each in forecast.by_share]
    assert wholes == sorted(wholes)
    assert (wholes[0], wholes[-1]) == (0.0, 1.0)
    assert all(each.whole <= min(each.segments) for each in forecast.by_share)
    at_half = forecast.by_share[10]
    assert at_half.together < at_half.whole


def test_two_archives_are_forecast_without_each_of_them() -> None:
    request = build_request((200_000,))
    odds = tuple(replace(each, chances=(0.6, 0.3)) for each in request.odds)
    model = LossModel((ArchiveOdds("large", 0.98), ArchiveOdds("small", 0.98)), 0.1)
    request = replace(request, odds=odds, model=model)
    forecast = forecast_plan(request, propose_plan(request, block_room), block_room, 10)
    without = dict(forecast.without)
    assert without["large"] < without["small"]
    assert forecast.whole >= 0.999
