from collections.abc import Iterable

import pytest

from webkeep.vault import CarrierPage, SegmentPlan, VaultPlan
from webkeep.vault.blocks import BlockSigner, SegmentIdentity, make_comment
from webkeep.vault.health import HealthSurvey, PageHealth
from webkeep.vault.protection import PublishedSegment, VaultState

SIGNER = BlockSigner(bytes(range(32)))
NEW, OLD = "20260201T000000Z-00000002", "20260101T000000Z-00000001"
PATHS = [f"/{at}" for at in range(6)]


def identity(name: str, version: str, needed: int, total: int, signer: BlockSigner = SIGNER) -> SegmentIdentity:
    return SegmentIdentity(signer.vault, name, version, "rs-gf256-cauchy", total, needed, 8 * needed, "0" * 64, "none")


APP, MANIFEST = identity("app", NEW, 3, 5), identity("manifest", NEW, 1, 1)


def build_survey() -> HealthSurvey:
    """Five pages carry the application, the first of them the manifest too; a sixth carries nothing."""
    plan = VaultPlan(
        tuple(CarrierPage(path, 100) for path in PATHS), (SegmentPlan("app", ("app",), 24, 3, 5, (0, 1, 2, 3, 4)),)
    )
    segments = (PublishedSegment(APP, "", (0, 1, 2, 3, 4)),)
    return HealthSurvey(VaultState(NEW, plan, segments, PublishedSegment(MANIFEST, "", (0,)), ""))


def page(segment: SegmentIdentity, indexes: Iterable[int], signer: BlockSigner = SIGNER) -> list[bytes]:
    return [b"<body>", *(make_comment(segment, index, bytes(8), signer) for index in indexes)]


def test_nothing_held_is_nothing_recoverable() -> None:
    health = build_survey().conclude()
    assert not health.is_recoverable
    (app,) = health.segments
    assert (app.held, app.needed, app.short_by, app.missing_pages) == (0, 3, 3, tuple(PATHS[:5]))
    assert set(health.pages.values()) == {PageHealth.NOT_HELD}


def test_enough_blocks_of_several_archives_are_enough() -> None:
    survey = build_survey()
    survey.add_page("a", "/1", page(APP, [1]))
    survey.add_page("a", "/2", page(APP, [2]))
    survey.add_page("b", "/2", page(APP, [2]))
    survey.add_page("b", "/3", page(APP, [3]))
    (app,) = survey.conclude().segments
    assert app.is_recoverable
    assert app.by_archive == {"a": 2, "b": 2}
    assert app.hangs_on == ("a", "b")
    assert app.missing_pages == ("/0", "/4")


def test_what_is_held_twice_hangs_on_nobody() -> None:
    survey = build_survey()
    for archive in ("a", "b"):
        for number in (1, 2, 3):
            survey.add_page(archive, f"/{number}", page(APP, [number]))
    (app,) = survey.conclude().segments
    assert app.is_recoverable and app.hangs_on == ()


def test_pages_are_rated_by_the_best_that_is_held_of_them() -> None:
    survey = build_survey()
    older = identity("app", OLD, 3, 5)
    survey.add_page("a", "/0", [*page(APP, [0]), *page(MANIFEST, [0])])
    survey.add_page("a", "/1", page(older, [1]))
    survey.add_page("b", "/1", page(APP, [1]))
    survey.add_page("a", "/2", page(older, [2]))
    survey.add_page("a", "/3", [b"<body>no comments here"])
    survey.add_page("a", "/9", page(APP, [4]))
    health = survey.conclude()
    assert list(health.pages.values()) == [
        PageHealth.CURRENT, PageHealth.CURRENT, PageHealth.OUTDATED, PageHealth.STRIPPED, PageHealth.NOT_HELD,
        PageHealth.NOT_HELD,
    ]  # fmt: skip
    assert health.manifest.is_recoverable
    assert health.segments[0].held == 2


def test_an_older_version_that_is_whole_is_told() -> None:
    survey = build_survey()
    older = identity("app", OLD, 2, 5)
    for number in (1, 2):
        survey.add_page("a", f"/{number}", page(older, [number]))
    (app,) = survey.conclude().segments
    assert not app.is_recoverable and app.older_version == OLD


def test_blocks_of_others_and_broken_ones_do_not_count() -> None:
    survey = build_survey()
    other = BlockSigner(bytes(32))
    survey.add_page("a", "/1", page(identity("app", NEW, 3, 5, other), [1], other))
    survey.add_page("a", "/2", [b"".join(page(APP, [2]))[:-60]])
    survey.add_page("a", "/3", page(APP, [3], other))
    health = survey.conclude()
    assert health.foreign == 1
    assert sum(health.unusable.values()) == 2
    assert health.segments[0].held == 0


@pytest.mark.parametrize(("total", "needed"), [(255, 10), (256, 12)])
def test_a_code_that_is_not_exact_is_counted_with_its_spare_blocks(total: int, needed: int) -> None:
    code = "rs-gf256-cauchy" if total <= 255 else "raptorq-rfc6330"
    large = SegmentIdentity(SIGNER.vault, "app", NEW, code, total, 10, 80, "0" * 64, "none")
    plan = VaultPlan((CarrierPage("/", 1),), (SegmentPlan("app", ("app",), 80, 10, total, (0,) * total),))
    state = VaultState(
        NEW, plan, (PublishedSegment(large, "", (0,) * total),), PublishedSegment(MANIFEST, "", (0,)), ""
    )
    assert HealthSurvey(state).conclude().segments[0].needed == needed
