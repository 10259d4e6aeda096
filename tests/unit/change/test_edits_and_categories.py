"""How much of a text was edited, and what kind of change that is."""

import pytest

from webkeep.change.detection import word_shingles
from webkeep.change.detection.change_category import (
    ChangeBehaviour,
    ChangeCategory,
    ChangeColour,
    PageVersion,
    classify_behaviour,
    classify_change,
)
from webkeep.change.detection.edit_distance import edit_distance, edit_share
from webkeep.change.detection.page_comparison import ChangeOutcome
from webkeep.lab.prediction.forest import CongruentialRandom

WORDS = [f"word{number}" for number in range(300)]


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
        ("abc", "abc", 0),
        ("abc", "adc", 2),
        ("abcabba", "cbabac", 5),
        ("aaaa", "aa", 2),
        ("xaby", "xy", 2),
        ("ab", "ba", 2),
    ],
)
def test_distances(first: str, second: str, distance: int) -> None:
    assert edit_distance(first, second) == distance
    assert edit_distance(second, first) == distance


def longest_common(first: str, second: str) -> int:
    lengths = [0] * (len(second) + 1)
    for left in first:
        before = lengths[:]
        for place, right in enumerate(second):
            lengths[place + 1] = before[place] + 1 if left == right else max(before[place + 1], lengths[place])
    return lengths[-1]


def test_distances_are_those_of_the_table_of_all_pairs() -> None:
    draw = CongruentialRandom(3)
    for _ in range(300):
        first, second = ("".join("abc"[draw.draw_below(3)] for _ in range(draw.draw_below(12))) for _ in range(2))
        expected = len(first) + len(second) - 2 * longest_common(first, second)
        assert edit_distance(first, second) == expected
        assert edit_distance(first, second, 3) == min(expected, 4)


def test_texts_that_have_nothing_in_common_are_cheap() -> None:
    one, other = [f"a{number}" for number in range(50_000)], [f"b{number}" for number in range(50_000)]
    assert edit_distance(one, other, 50) == 51
    assert edit_share(one, other) == 1
    assert edit_share([], []) == 0
    assert edit_share(WORDS, [*WORDS, "more"]) == pytest.approx(1 / 601)


def text(words: list[str]) -> str:
    return " ".join(words)


@pytest.mark.parametrize(
    ("change", "after", "category", "colour"),
    [
        (ChangeOutcome.UNCHANGED, PageVersion(text(WORDS), frozenset("ab")), ChangeCategory.NONE, ChangeColour.GREEN),
        (
            ChangeOutcome.INSIGNIFICANT,
            PageVersion(text([*WORDS, "17"]), frozenset("ab")),
            ChangeCategory.MINOR,
            ChangeColour.YELLOW,
        ),
        (
            ChangeOutcome.CHANGED,
            PageVersion(text(["new"] * 9 + WORDS), frozenset("ab")),
            ChangeCategory.MINOR,
            ChangeColour.YELLOW,
        ),
        (
            ChangeOutcome.CHANGED,
            PageVersion(text(WORDS[100:]), frozenset("ab")),
            ChangeCategory.MAJOR,
            ChangeColour.YELLOW,
        ),
        (
            ChangeOutcome.CHANGED,
            PageVersion(text(WORDS), frozenset("abc")),
            ChangeCategory.STRUCTURAL,
            ChangeColour.RED,
        ),
        (ChangeOutcome.CHANGED, PageVersion(text(WORDS), frozenset("a")), ChangeCategory.STRUCTURAL, ChangeColour.RED),
        (ChangeOutcome.CHANGED, None, ChangeCategory.MAJOR, ChangeColour.YELLOW),
        (ChangeOutcome.REMOVED, None, ChangeCategory.REMOVED, ChangeColour.BLACK),
    ],
)
def test_kinds_of_change(
    change: ChangeOutcome, after: PageVersion | None, category: ChangeCategory, colour: ChangeColour
) -> None:
    found = classify_change(change, PageVersion(text(WORDS), frozenset("ab")), after)
    assert (found.category, found.colour) == (category, colour)


def test_links_are_counted() -> None:
    found = classify_change(ChangeOutcome.CHANGED, PageVersion("", frozenset("abc")), PageVersion("", frozenset("cd")))
    assert (found.links_added, found.links_deleted) == (1, 2)


def test_what_pages_do_with_their_content() -> None:
    def version(*parts: int) -> frozenset[str]:
        return word_shingles(text([f"w{part} x{part} y{part}" for part in parts]), 2)

    still = [version(1, 2)] * 4
    news = [version(1, number) for number in range(2, 8)]
    journal = [version(*range(number, number + 6)) for number in range(6)]
    assert classify_behaviour(still) is ChangeBehaviour.STATIC
    assert classify_behaviour(news) is ChangeBehaviour.CHURN
    assert classify_behaviour(journal) is ChangeBehaviour.SCROLL
    assert classify_behaviour([version(1), version(1, 2)]) is ChangeBehaviour.CHURN
    assert classify_behaviour([]) is ChangeBehaviour.STATIC
