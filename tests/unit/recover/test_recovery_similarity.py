"""Similar texts, and the score that says how recoverable a resource is."""

import pytest

from webkeep.errors import UsageError
from webkeep.recover.recoverability import PUBLISHED, Standing, recoverability
from webkeep.recover.similarity import is_textual, text_likeness

HUNDRED = [f"word{number}" for number in range(100)]


def test_the_same_text_is_the_same() -> None:
    text = " ".join(HUNDRED)
    assert text_likeness(text, text).resemblance == 1


def test_one_word_of_a_hundred_replaced_is_still_similar() -> None:
    other = [*HUNDRED[:50], "another", *HUNDRED[51:]]
    told = text_likeness(" ".join(HUNDRED), " ".join(other))
    assert told.resemblance == pytest.approx((91 - 10) / (91 + 10))
    assert told.is_similar
    assert told.containment == pytest.approx(81 / 91)


def test_two_words_of_a_hundred_replaced_are_not() -> None:
    other = [*HUNDRED[:30], "another", *HUNDRED[31:70], "more", *HUNDRED[71:]]
    assert not text_likeness(" ".join(HUNDRED), " ".join(other)).is_similar


def test_short_texts_are_one_shingle_and_no_text_is_like_no_text() -> None:
    assert text_likeness("under construction", "Under  construction.").resemblance == 1
    assert text_likeness("under construction", "for sale").resemblance == 0
    assert text_likeness("", "").is_similar


def test_characters_may_be_composed_in_either_way() -> None:
    assert text_likeness("caf\u00e9 ouvert", "cafe\u0301 ouvert").resemblance == 1


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/html; charset=utf-8", True),
        ("Application/PDF", True),
        ("application/vnd.ms-excel", True),
        ("image/png", False),
        ("", False),
    ],
)
def test_textual_types(media_type: str, expected: bool) -> None:
    assert is_textual(media_type) is expected


TYPICAL = Standing(1000, 20, 0, 4, 500, 3, 2, 0, 10_000, 365)


def test_the_score_of_a_typical_resource() -> None:
    assert recoverability(TYPICAL) == pytest.approx(0.66, abs=0.005)


def test_the_score_stays_a_probability() -> None:
    assert recoverability(Standing(importance=10, age_days=10_000)) == 1
    assert recoverability(Standing(site_size=10**9, hops=40, path_depth=30)) == 0
    assert PUBLISHED.unbounded(Standing(importance=10, age_days=10_000)) > 1


@pytest.mark.parametrize("wrong", [{"hops": -1}, {"age_days": float("nan")}, {"size": float("inf")}], ids=str)
def test_what_no_resource_has_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="cannot be"):
        Standing(**wrong)
