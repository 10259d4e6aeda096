"""Which interactions come first, and when enough of a kind were tried."""

from collections import Counter

import pytest

from webkeep.browser import Interaction, resource_url
from webkeep.browser.resource_identity import url_shape
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.trial_sampling import FIRST_TRIALS, InteractionYields, chao_unseen, unseen_share


def kind(likes: str, count: int, is_sampled: bool = False) -> list[InteractionCandidate]:
    return [
        InteractionCandidate(Interaction("click", f"#{likes}-{number}"), number, likes, is_sampled)
        for number in range(count)
    ]


def test_some_of_every_kind_come_first() -> None:
    first, rest = InteractionYields().split_first([*kind("a", 5), *kind("b", 1)])
    assert [each.group_key for each in first] == ["a"] * FIRST_TRIALS + ["b"]
    assert len(rest) == 3


def test_kinds_that_brought_something_come_next() -> None:
    yields = InteractionYields()
    yields.note_trial("poor", True, 0, "x")
    yields.note_trial("rich", True, 3, "y")
    assert [each.group_key for each in yields.rank_by_yield([*kind("poor", 1), *kind("rich", 1)])] == ["rich", "poor"]


def test_a_sampled_kind_without_effect_is_spent() -> None:
    yields = InteractionYields()
    guess, sure = kind("far", 1, is_sampled=True)[0], kind("near", 1)[0]
    for _ in range(FIRST_TRIALS):
        yields.note_trial("far", False, 0, "same")
        yields.note_trial("near", False, 0, "same")
    assert yields.is_exhausted(guess)
    assert not yields.is_exhausted(sure)
    yields.note_trial("far", True, 0, "other")
    assert not yields.is_exhausted(guess)


def test_points_of_a_grid_are_spent_when_nothing_new_is_likely() -> None:
    yields = InteractionYields()
    point = kind("grid #cover", 1)[0]
    for number in range(6):
        assert not yields.is_exhausted(point)
        yields.note_trial("grid #cover", True, 0, number)
    assert not yields.is_exhausted(point)
    for _ in range(3):
        for number in range(6):
            yields.note_trial("grid #cover", True, 0, number)
    assert yields.is_exhausted(point)


def test_one_of_a_kind_is_done_twice_and_all_if_that_pays() -> None:
    yields = InteractionYields()
    assert yields.may_repeat("a")
    assert not yields.may_repeat("a")
    yields.note_repeat("a", True)
    assert yields.may_repeat("a")


def test_estimates_of_the_unseen() -> None:
    assert unseen_share(Counter()) == 1.0
    assert unseen_share(Counter({"a": 1, "b": 3})) == 0.25
    assert chao_unseen(Counter({"a": 1, "b": 1, "c": 2})) == 2.0
    assert chao_unseen(Counter({"a": 4})) == 0.0


@pytest.mark.parametrize(
    ("url", "resource"),
    [
        ("http://site.test/x#part", "http://site.test/x"),
        ("http://site.test/x?_=1700000000000", "http://site.test/x"),
        ("http://site.test/x?cb=0.123456789&page=2", "http://site.test/x?page=2"),
        ("http://site.test/x?t=12", "http://site.test/x?t=12"),
        ("http://site.test/x;jsessionid=ABCDEF0123456789ABCDEF0123456789?y=1", "http://site.test/x?y=1"),
    ],
    ids=["fragment", "clock", "die", "number", "session"],
)
def test_resources_are_trimmed(url: str, resource: str) -> None:
    assert resource_url(url) == resource


def test_polled_urls_have_one_shape() -> None:
    assert url_shape("http://site.test/news?after=1") == url_shape("http://site.test/news?after=27")
    assert url_shape("http://site.test/news?after=1") != url_shape("http://site.test/news?before=1")
