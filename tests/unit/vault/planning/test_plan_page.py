import hashlib

import pytest

from webkeep.vault import CarrierPage, SegmentPlan
from webkeep.vault.blocks import BlockSigner, SegmentIdentity, make_comment
from webkeep.vault.planning import (
    ArchiveOdds,
    LossModel,
    PageOdds,
    PlanReport,
    PlanRequest,
    SegmentSource,
    WebmasterAdvice,
    added_bytes,
    block_room,
    describe_margin,
    describe_plan,
    forecast_plan,
    format_chance,
    propose_plan,
    render_plan_page,
    written_block_bytes,
)


def build_report() -> PlanReport:
    paths = [f"/{at % 6}/{at}" for at in range(60)]
    odds = tuple(PageOdds(path, path[:3], (0.5, 0.4)) for path in paths)
    sources = (SegmentSource("app", ("app",), 60_000), SegmentSource("data", ("data", "<db>"), 40_000))
    model = LossModel((ArchiveOdds("wayback", 0.98), ArchiveOdds("own", 0.98)), 0.1)
    request = PlanRequest(sources, tuple(CarrierPage(path, 3000) for path in paths), odds, model)
    proposal = propose_plan(request, block_room)
    advice = (WebmasterAdvice("far", "Bring <them> nearer", tuple(paths[:30])),)
    return PlanReport(request, proposal, forecast_plan(request, proposal, block_room, 20), advice)


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.0, "0%"), (1.0, "100%"), (0.5, "50.0%"), (0.9996, "99.96%"), (0.999996, "> 99.999%"), (0.9994, "99.9%")],
)
def test_a_chance_shows_what_it_lacks_of_certainty(chance: float, text: str) -> None:
    assert format_chance(chance) == text


def test_a_plan_is_a_page_with_a_picture_tables_and_advice() -> None:
    text = b"".join(render_plan_page(build_report())).decode()
    assert text.count("<svg") >= 1 and "everything, if pages of one directory are lost together" in text
    assert "data, &lt;db&gt;" in text and "Bring &lt;them&gt; nearer." in text and "and 10 more" in text
    assert text.count("<tr") >= 12


def test_losses_together_are_put_in_words() -> None:
    report = build_report()
    lines = describe_margin(report)
    assert [line.partition(" ")[0] for line in lines] == ["If", "For", "Without", "Without", "All"]
    assert "100 kB in 2 segments over 60 pages" in describe_plan(report)


@pytest.mark.parametrize(("size", "needed", "total"), [(10_000, 3, 40), (368_065, 8, 40), (5_000_000, 700, 1500)])
def test_a_page_grows_by_what_is_really_written(size: int, needed: int, total: int) -> None:
    segment = SegmentPlan("lib", ("lib",), size, needed, total, (0,) * total)
    signer = BlockSigner(BlockSigner.new_secret())
    identity = SegmentIdentity(
        signer.vault, "lib", "20261118T060000Z-0a1b2c3d", segment.code, total, needed, size,
        hashlib.sha256(b"").hexdigest(), "age",
    )  # fmt: skip
    comment = make_comment(identity, total - 1, bytes(identity.layout.block_bytes), signer)
    assert added_bytes(segment) == len(comment)
    assert written_block_bytes(segment) == identity.layout.block_bytes


@pytest.mark.parametrize("text_bytes", [0, 500, 2_000, 50_000, 100_000])
def test_a_block_of_the_room_told_fits_whatever_its_segment_is(text_bytes: int) -> None:
    room = block_room(text_bytes)
    assert room >= 0
    if room:
        segment = SegmentPlan("n" * 64, ("n",), room * 60_000 // 2, 30_000, 60_000, (0,) * 60_000)
        assert added_bytes(segment) <= text_bytes
        assert text_bytes - room * 77 / 57 < 1_200
    else:
        assert text_bytes < 1_000
