"""Similar texts, and the score that says how recoverable a resource is."""

import pytest

from webkeep.errors import UsageError
from webkeep.recover.report import PUBLISHED_SCORE, ScoreInputs
from webkeep.recover.report.recoverability import score_recoverability
from webkeep.recover.report.text_similarity import compare_texts, is_textual

HUNDRED = [f"word{number}" for number in range(100)]


def test_the_same_text_is_the_same() -> None:
    text = " ".join(HUNDRED)
    assert compare_texts(text, text).resemblance == 1


def test_one_word_of_a_hundred_replaced_is_still_similar() -> None:
    other = [*HUNDRED[:50], "another", *HUNDRED[51:]]
    told = compare_texts(" ".join(HUNDRED), " ".join(other))
    assert told.resemblance == pytest.approx((91 - 10) / (91 + 10))
    assert told.is_similar
    assert told.containment == pytest.approx(81 / 91)


def test_two_words_of_a_hundred_replaced_are_not() -> None:
    other = [*HUNDRED[:30], "another", *HUNDRED[31:70], "more", *HUNDRED[71:]]
    assert not compare_texts(" ".join(HUNDRED), " ".join(other)).is_similar


def test_short_texts_are_one_shingle_and_no_text_is_like_no_text() -> None:
    assert compare_texts("under construction", "Under  construction.").resemblance == 1
    assert compare_texts("under construction", "for sale").resemblance == 0
    assert compare_texts("", "").is_similar


def test_characters_may_be_composed_in_either_way() -> None:
    assert compare_texts("caf\u00e9 ouvert", "cafe\u0301 ouvert").resemblance == 1


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


TYPICAL = ScoreInputs(1000, 20, 0, 4, 500, 3, 2, 0, 10_000, 365)


def test_the_score_of_a_typical_resource() -> None:
    assert score_recoverability(TYPICAL) == pytest.approx(0.66, abs=0.005)


def test_the_score_stays_a_probability() -> None:
    assert score_recoverability(ScoreInputs(importance=10, age_days=10_000)) == 1
    assert score_recoverability(ScoreInputs(site_size=10**9, hops=40, path_depth=30)) == 0
    assert PUBLISHED_SCORE.raw_score(ScoreInputs(importance=10, age_days=10_000)) > 1


@pytest.mark.parametrize("wrong", [{"hops": -1}, {"age_days": float("nan")}, {"size": float("inf")}], ids=str)
def test_what_no_resource_has_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="cannot be"):
        ScoreInputs(**wrong)
