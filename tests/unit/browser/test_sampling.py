"""Which interactions come first, and when enough of a kind were tried."""

from collections import Counter

import pytest

from webkeep.browser.interactions import Candidate
from webkeep.browser.resources import resource_of, shape_of
from webkeep.browser.sampling import FIRST, Yields, chao, unseen_share
from webkeep.browser.values import Interaction


def kind(likes: str, count: int, is_sampled: bool = False) -> list[Candidate]:
    return [Candidate(Interaction("click", f"#{likes}-{number}"), number, likes, is_sampled) for number in range(count)]


def test_some_of_every_kind_come_first() -> None:
    first, rest = Yields().order([*kind("a", 5), *kind("b", 1)])
    assert [each.likes for each in first] == ["a"] * FIRST + ["b"]
    assert len(rest) == 3


def test_kinds_that_brought_something_come_next() -> None:
    yields = Yields()
    yields.note("poor", True, 0, "x")
    yields.note("rich", True, 3, "y")
    assert [each.likes for each in yields.rank([*kind("poor", 1), *kind("rich", 1)])] == ["rich", "poor"]


def test_a_sampled_kind_without_effect_is_spent() -> None:
    yields = Yields()
    guess, sure = kind("far", 1, is_sampled=True)[0], kind("near", 1)[0]
    for _ in range(FIRST):
        yields.note("far", False, 0, "same")
        yields.note("near", False, 0, "same")
    assert yields.is_spent(guess)
    assert not yields.is_spent(sure)
    yields.note("far", True, 0, "other")
    assert not yields.is_spent(guess)


def test_points_of_a_grid_are_spent_when_nothing_new_is_likely() -> None:
    yields = Yields()
    point = kind("grid #cover", 1)[0]
    for number in range(6):
        assert not yields.is_spent(point)
        yields.note("grid #cover", True, 0, number)
    assert not yields.is_spent(point)
    for _ in range(3):
        for number in range(6):
            yields.note("grid #cover", True, 0, number)
    assert yields.is_spent(point)


def test_one_of_a_kind_is_done_twice_and_all_if_that_pays() -> None:
    yields = Yields()
    assert yields.takes_repeat("a")
    assert not yields.takes_repeat("a")
    yields.note_repeat("a", True)
    assert yields.takes_repeat("a")


def test_estimates_of_the_unseen() -> None:
    assert unseen_share(Counter()) == 1.0
    assert unseen_share(Counter({"a": 1, "b": 3})) == 0.25
    assert chao(Counter({"a": 1, "b": 1, "c": 2})) == 2.0
    assert chao(Counter({"a": 4})) == 0.0


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
    assert resource_of(url) == resource


def test_polled_urls_have_one_shape() -> None:
    assert shape_of("http://site.test/news?after=1") == shape_of("http://site.test/news?after=27")
    assert shape_of("http://site.test/news?after=1") != shape_of("http://site.test/news?before=1")
