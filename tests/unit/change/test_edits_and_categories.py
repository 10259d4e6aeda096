"""How much of a text was edited, and what kind of change that is."""

import pytest

from webkeep.change.detection import ChangeBehaviour, ChangeCategory, classify_behaviour, word_shingles
from webkeep.change.detection.edit_distance import edit_distance, edit_share
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


def test_what_matters_and_how_it_is_shown() -> None:
    assert {each for each in ChangeCategory if not each.is_significant} == {
        ChangeCategory.UNCHANGED,
        ChangeCategory.INSIGNIFICANT,
    }
    assert {each: str(each.colour) for each in ChangeCategory} == {
        "unchanged": "green",
        "insignificant": "green",
        "minor": "yellow",
        "major": "yellow",
        "structural": "red",
        "new": "red",
        "removed": "black",
    }


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
