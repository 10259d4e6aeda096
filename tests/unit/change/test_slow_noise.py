"""Noise that moves from capture to capture: boxes that all pages have alike, and what tells the time."""

import pytest

from webkeep.change.detection import (
    ChangeCategory,
    LearnedNoise,
    NoiseModel,
    TimedPair,
    compare_blocks,
    learn_slow_noise,
)
from webkeep.change.detection.told_time import gap_times, moves_with_time
from webkeep.document import PageBlock, read_page_blocks

HOUR = 3600.0
FILLING = "".join(f"<p>Paragraph {number} stays as it is, whatever else happens.</p>" for number in range(20))


def blocks(inside: str) -> list[PageBlock]:
    found = read_page_blocks(f"<body><main>{FILLING}{inside}</main></body>")
    assert found is not None
    return found


def learn(*pairs: tuple[int, str, str]) -> NoiseModel:
    timed = [TimedPair(interval, HOUR, blocks(before), blocks(after)) for interval, before, after in pairs]
    return NoiseModel(slow=LearnedNoise(learn_slow_noise(timed)))


def judge(before: str, after: str, noise: NoiseModel) -> ChangeCategory:
    return compare_blocks(blocks(before), blocks(after), noise).category


def box(words: str, own: str = "") -> str:
    lines = "".join(f"<p>{own}: line {number} of its own</p>" for number in range(5)) if own else ""
    return f"<div class=widget><p>{words}</p></div><h1>{own}</h1>{lines}"


WEATHER = ("Rain, 3 °C", "Fog, 9 °C", "Bright, 14 °C", "Gale, 1 °C")
PAGES = ("the mill", "the pier", "the fell")


def test_a_box_that_all_pages_have_alike_is_no_page_s_own() -> None:
    seen = [
        (number, box(WEATHER[number], page), box(WEATHER[number + 1], page)) for number in range(2) for page in PAGES
    ]
    noise = learn(*seen)
    assert judge(box("Rain, 3 °C"), box("Snow, -4 °C"), noise) is ChangeCategory.INSIGNIFICANT
    assert judge(box("Rain, 3 °C", "open"), box("Snow, -4 °C", "closed"), noise) is ChangeCategory.MINOR
    assert judge(box("Rain, 3 °C"), box("Rain, 3 °C", "news"), noise) is ChangeCategory.MINOR


def test_what_pages_say_each_for_itself_is_theirs() -> None:
    seen = [
        (number, box(f"{page} {WEATHER[number]}"), box(f"{page} {WEATHER[number + 1]}"))
        for number in range(2)
        for page in PAGES
    ]
    assert not learn(*seen).slow.slots


def test_what_changed_on_all_pages_once_was_changed_by_somebody() -> None:
    moved = [(0, box("Call 1234", page), box("Call 9876", page)) for page in PAGES]
    still = [(number, box("Call 9876", page), box("Call 9876", page)) for number in (1, 2, 3) for page in PAGES]
    assert not learn(*moved, *still).slow.slots


def test_one_page_under_many_urls_is_one_page() -> None:
    texts = [f"<h1>The guest book</h1><p class=lede>{number} wrote here</p>" for number in range(4)]
    seen = [(number, texts[number], texts[number + 1]) for number in range(3) for _ in range(5)]
    assert not learn(*seen).slow.slots


def countdown(words: str) -> str:
    return f"<p>The regatta starts in <b>{words}</b></p>"


def test_what_moves_with_the_time_tells_the_time() -> None:
    noise = learn(
        (0, countdown("3 days 04:22:17"), countdown("3 days 03:22:17")),
        (1, countdown("2 days 00:30:00"), countdown("1 day 23:30:01")),
        (2, countdown("2 days 00:30:00"), countdown("1 days 23:30:01")),
    )
    assert judge(countdown("9 days 11:00:00"), countdown("8 days 01:00:12"), noise) is ChangeCategory.INSIGNIFICANT
    assert judge(countdown("9 days 11:00:00"), countdown("a minute, no more"), noise) is ChangeCategory.MINOR
    boats = [(number, countdown(f"at {number}:40"), countdown(f"at {number + 3}:10")) for number in range(5, 9)]
    assert not learn(*boats).slow.slots


@pytest.mark.parametrize(
    ("before", "after", "seconds", "moves"),
    [
        ("it is 23:59:30", "it is 00:59:31", HOUR, True),
        ("it is 12:00", "it is 12:30", HOUR, False),
        ("5 minutes ago", "65 minutes ago", HOUR, True),
        ("2 h 14 min left", "1 h 14 min left", HOUR, True),
        ("2 h 14 min left", "1 h 14 min past", HOUR, None),
        ("3 days", "2 days", HOUR, None),
        ("no time", "no time", HOUR, None),
        ("1 h", "1 h", HOUR, None),
    ],
)
def test_times_are_told_from_each_other(before: str, after: str, seconds: float, moves: bool | None) -> None:
    assert moves_with_time(before, after, seconds) is moves


def test_rows_of_times_are_one_gap() -> None:
    assert gap_times("in 3 days, 04:22:17 or 5 h") == "in …or …"
    assert gap_times("line 3 of 17") == "line 3 of 17"
