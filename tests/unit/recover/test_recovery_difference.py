"""The difference between a lost site and its reconstruction, and what it is held to cost."""

import pytest
from hypothesis import given, strategies as st

from webkeep.errors import UsageError
from webkeep.recover.report import DifferenceCounts, score_losses
from webkeep.recover.report.loss_scores import (
    ADDED_FREE,
    ONLY_MISSING,
    DifferencePenalties,
    loss_by_resource,
    weighted_loss,
)
from webkeep.recover.report.site_difference import (
    MAX_CRUST_RADIUS,
    DifferenceVector,
    ResourceLikeness,
    compare_contents,
    diagram_rings,
)

LOST = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6}
"""Six resources, of which B and C will come back as others; the example of the dissertation's figure 37."""
SITES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 1))


def test_the_example_with_two_missing() -> None:
    found = DifferenceCounts.between(LOST, {"A": 1, "B": 0, "C": 0, "E": 5, "G": 7})
    assert found == DifferenceCounts(identical=2, changed=2, missing=2, added=1)
    assert found.vector == DifferenceVector(2 / 6, 2 / 6, 1 / 5)


def test_the_example_where_a_listing_tells_of_one_more() -> None:
    found = DifferenceCounts.between(LOST, {"A": 1, "B": 0, "C": 0, "D": 4, "E": 5, "G": 7})
    assert found.vector == DifferenceVector(2 / 6, 1 / 6, 1 / 6)


def test_perfect_and_nothing_and_only_strangers() -> None:
    assert DifferenceCounts.between(LOST, LOST).vector == DifferenceVector(0, 0, 0)
    assert DifferenceCounts.between(LOST, {}).vector == DifferenceVector(0, 1, 0)
    assert DifferenceCounts.between(LOST, {"X": 1}).vector == DifferenceVector(0, 1, 1)


def test_a_site_of_nothing_cannot_be_lost() -> None:
    with pytest.raises(UsageError, match="no resources"):
        _ = DifferenceCounts.between({}, {"X": 1}).vector
    with pytest.raises(UsageError, match="no resources"):
        loss_by_resource([(ResourceLikeness.ADDED, DifferencePenalties())])


@given(SITES, SITES)
def test_sizes_add_up(lost: dict[str, int], recovered: dict[str, int]) -> None:
    found = DifferenceCounts.between(lost, recovered)
    assert found.lost == len(lost)
    assert found.recovered == len(recovered) == len(lost) - found.missing + found.added
    if lost:
        vector = found.vector
        assert vector.changed + vector.missing <= 1 + 1e-12
        assert weighted_loss(vector) <= 2


@given(SITES.filter(bool), SITES)
def test_each_level_forgives_more(lost: dict[str, int], recovered: dict[str, int]) -> None:
    found = DifferenceCounts.between(lost, recovered)
    told = score_losses(found, similar=found.changed // 2, skipped=found.missing // 2)
    assert told.s1 >= told.s2 >= told.s3 >= told.s4 - 1e-12 >= told.s5 - 1e-11
    assert told.recovered == pytest.approx(found.vector.recovered)
    assert loss_by_resource(
        (likeness, DifferencePenalties()) for _, likeness in compare_contents(lost, recovered)
    ) == pytest.approx(told.s1)


def test_the_levels_of_one_reconstruction() -> None:
    told = score_losses(DifferenceCounts(identical=3, changed=4, missing=3, added=2), similar=3, skipped=1)
    assert [told.s1, told.s2, told.s3, told.s4, told.s5] == pytest.approx([0.7 + 2 / 9, 0.7, 0.4, 0.3, 0.2])
    assert told.recoverable == pytest.approx(0.8)


def test_resources_may_weigh_differently() -> None:
    textual, pictures = DifferencePenalties(changed=0.5, added=0.2), DifferencePenalties(changed=1.0, added=0.2)
    fates = [(ResourceLikeness.CHANGED, textual), (ResourceLikeness.CHANGED, pictures), (ResourceLikeness.MISSING,
    textual),
             (ResourceLikeness.IDENTICAL, textual), (ResourceLikeness.ADDED, textual)]  # fmt: skip
    assert loss_by_resource(fates) == pytest.approx((0.5 + 1 + 1 + 0) / 4 + 0.2 / 4)


def test_penalties_and_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        DifferencePenalties(changed=1.5)
    with pytest.raises(UsageError, match="similar"):
        score_losses(DifferenceCounts(identical=1, changed=1), similar=2)
    with pytest.raises(UsageError, match="skipped"):
        score_losses(DifferenceCounts(identical=1), skipped=1)


def test_penalties_by_name() -> None:
    vector = DifferenceVector(0.2, 0.3, 0.4)
    assert weighted_loss(vector, ADDED_FREE) == pytest.approx(0.5)
    assert weighted_loss(vector, ONLY_MISSING) == pytest.approx(0.3)


def test_the_diagram_has_areas_as_the_counts_are() -> None:
    found = DifferenceCounts(identical=5, changed=2, missing=3, added=4)
    disc = diagram_rings(found.vector)
    assert disc.missing**2 == pytest.approx(0.3)
    assert disc.changed**2 - disc.missing**2 == pytest.approx(0.2)
    assert disc.identical == 1
    assert disc.added**2 - 1 == pytest.approx(4 / 10)


def test_the_crust_stays_on_the_paper() -> None:
    assert diagram_rings(DifferenceVector(0, 1, 1)).added == MAX_CRUST_RADIUS
    assert diagram_rings(DifferenceVector(0, 0, 0.99)).added == MAX_CRUST_RADIUS
