"""The difference between a lost site and its reconstruction, and what it is held to cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webkeep.errors import UsageError
from webkeep.recover.difference import WIDEST, Difference, Likeness, Vector, compared, rings
from webkeep.recover.success import ADDED_FREE, ONLY_MISSING, Penalties, loss, losses, weighed

LOST = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6}
"""Six resources, of which B and C will come back as others; the example of the dissertation's figure 37."""
SITES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 1))


def test_the_example_with_two_missing() -> None:
    found = Difference.between(LOST, {"A": 1, "B": 0, "C": 0, "E": 5, "G": 7})
    assert found == Difference(identical=2, changed=2, missing=2, added=1)
    assert found.vector == Vector(2 / 6, 2 / 6, 1 / 5)


def test_the_example_where_a_listing_tells_of_one_more() -> None:
    found = Difference.between(LOST, {"A": 1, "B": 0, "C": 0, "D": 4, "E": 5, "G": 7})
    assert found.vector == Vector(2 / 6, 1 / 6, 1 / 6)


def test_perfect_and_nothing_and_only_strangers() -> None:
    assert Difference.between(LOST, LOST).vector == Vector(0, 0, 0)
    assert Difference.between(LOST, {}).vector == Vector(0, 1, 0)
    assert Difference.between(LOST, {"X": 1}).vector == Vector(0, 1, 1)


def test_a_site_of_nothing_cannot_be_lost() -> None:
    with pytest.raises(UsageError, match="no resources"):
        _ = Difference.between({}, {"X": 1}).vector
    with pytest.raises(UsageError, match="no resources"):
        weighed([(Likeness.ADDED, Penalties())])


@given(SITES, SITES)
def test_sizes_add_up(lost: dict[str, int], recovered: dict[str, int]) -> None:
    found = Difference.between(lost, recovered)
    assert found.lost == len(lost)
    assert found.recovered == len(recovered) == len(lost) - found.missing + found.added
    if lost:
        vector = found.vector
        assert vector.changed + vector.missing <= 1 + 1e-12
        assert loss(vector) <= 2


@given(SITES.filter(bool), SITES)
def test_each_level_forgives_more(lost: dict[str, int], recovered: dict[str, int]) -> None:
    found = Difference.between(lost, recovered)
    told = losses(found, similar=found.changed // 2, skipped=found.missing // 2)
    assert told.s1 >= told.s2 >= told.s3 >= told.s4 - 1e-12 >= told.s5 - 1e-11
    assert told.recovered == pytest.approx(found.vector.recovered)
    assert weighed((likeness, Penalties()) for _, likeness in compared(lost, recovered)) == pytest.approx(told.s1)


def test_the_levels_of_one_reconstruction() -> None:
    told = losses(Difference(identical=3, changed=4, missing=3, added=2), similar=3, skipped=1)
    assert [told.s1, told.s2, told.s3, told.s4, told.s5] == pytest.approx([0.7 + 2 / 9, 0.7, 0.4, 0.3, 0.2])
    assert told.recoverable == pytest.approx(0.8)


def test_resources_may_weigh_differently() -> None:
    textual, pictures = Penalties(changed=0.5, added=0.2), Penalties(changed=1.0, added=0.2)
    fates = [(Likeness.CHANGED, textual), (Likeness.CHANGED, pictures), (Likeness.MISSING, textual),
             (Likeness.IDENTICAL, textual), (Likeness.ADDED, textual)]  # fmt: skip
    assert weighed(fates) == pytest.approx((0.5 + 1 + 1 + 0) / 4 + 0.2 / 4)


def test_penalties_and_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        Penalties(changed=1.5)
    with pytest.raises(UsageError, match="similar"):
        losses(Difference(identical=1, changed=1), similar=2)
    with pytest.raises(UsageError, match="skipped"):
        losses(Difference(identical=1), skipped=1)


def test_penalties_by_name() -> None:
    vector = Vector(0.2, 0.3, 0.4)
    assert loss(vector, ADDED_FREE) == pytest.approx(0.5)
    assert loss(vector, ONLY_MISSING) == pytest.approx(0.3)


def test_the_diagram_has_areas_as_the_counts_are() -> None:
    found = Difference(identical=5, changed=2, missing=3, added=4)
    disc = rings(found.vector)
    assert disc.missing**2 == pytest.approx(0.3)
    assert disc.changed**2 - disc.missing**2 == pytest.approx(0.2)
    assert disc.identical == 1
    assert disc.added**2 - 1 == pytest.approx(4 / 10)


def test_the_crust_stays_on_the_paper() -> None:
    assert rings(Vector(0, 1, 1)).added == WIDEST
    assert rings(Vector(0, 0, 0.99)).added == WIDEST
