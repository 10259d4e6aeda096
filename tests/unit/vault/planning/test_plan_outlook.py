"""What blocks are worth that are spread already, by how likely archives hold a page."""

import pytest

from webkeep.vault import CarrierPage, SegmentPlan, VaultPlan
from webkeep.vault.planning import forecast_outlook


def plan(*segments: tuple[int, range], pages: int) -> VaultPlan:
    carriers = tuple(CarrierPage(f"/d{number % 7}/{number}.html", 100) for number in range(pages))
    made = tuple(
        SegmentPlan(f"s{at}", (f"s{at}",), 1000, needed, len(places), tuple(places))
        for at, (needed, places) in enumerate(segments)
    )
    return VaultPlan(carriers, made)


@pytest.mark.parametrize(
    ("needed", "total", "share", "chance"),
    [(8, 40, 0.236, 0.76), (8, 40, 0.6, 1.0), (32, 40, 0.236, 0.0), (32, 40, 0.6, 0.007), (57, 123, 0.6, 0.999)],
)
def test_chances_are_those_of_pages_missed_by_themselves(needed: int, total: int, share: float, chance: float) -> None:
    (outlook,) = forecast_outlook(plan((needed, range(total)), pages=total), (share,))
    assert outlook.chance == pytest.approx(chance, abs=0.005)
    assert outlook.together <= outlook.chance or chance < 0.5


def test_segments_on_the_same_pages_come_back_together() -> None:
    both = forecast_outlook(plan((4, range(10)), (7, range(10)), pages=10))
    most = forecast_outlook(plan((7, range(10)), pages=10))
    assert [each.chance for each in both] == [each.chance for each in most]


def test_segments_on_pages_of_their_own_come_back_one_by_one() -> None:
    both = forecast_outlook(plan((4, range(10)), (7, range(10, 20)), pages=20))
    each = [forecast_outlook(plan((needed, range(10)), pages=10)) for needed in (4, 7)]
    assert [one.chance for one in both] == pytest.approx(
        [first.chance * second.chance for first, second in zip(*each, strict=True)]
    )


def test_nothing_is_certain_where_each_page_may_be_lost() -> None:
    for outlook in forecast_outlook(plan((1, range(300)), pages=300)):
        assert 0.999 < outlook.together <= outlook.chance < 1.0


def test_what_a_code_takes_beyond_r_is_counted() -> None:
    (exact,) = forecast_outlook(plan((150, range(255)), pages=255), (0.59,))
    (fountain,) = forecast_outlook(plan((150, range(256)), pages=256), (0.59,))
    assert fountain.chance < exact.chance, "though there is a block more"
