import re

import pytest
from hypothesis import given, strategies as st

from webkeep.errors import UsageError
from webkeep.url import LinearPattern

EXPRESSIONS = [
    "200", "2..", "text/.*", "image/(png|jpeg)", "(?:a|b)*c", "[0-9]+", "[^a-c]x", r"\d{3}", r"a\.b", "a{2,3}b?",
    "x{2,}", "(ab|a)(c|bcd)", "a|", "", "^ab$", "[]x]+", "[a\\-z]", r"\w+\s\W", "(a*)*b", "a+?b", "(a|b){2}",
]  # fmt: skip
TEXTS = ["", "200", "204", "text/html", "image/png", "image/gif", "abc", "c", "dx", "a.b", "axb", "aab", "aaab", "xx",
         "abcd", "acd", "ab", "]]x", "-", "a", "word !", "b", "aaaaab", "ba", "123"]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_matches_what_the_library_matches(expression: str) -> None:
    pattern = LinearPattern(expression)
    for text in TEXTS:
        assert pattern.matches(text) == (re.fullmatch(expression, text) is not None), text
        assert pattern.matches_start(text) == (re.match(expression, text) is not None), text
        assert pattern.search(text) == (re.search(expression, text) is not None), text


@given(st.text("ab|*+?()", max_size=12), st.text("ab", max_size=8))
def test_whatever_is_understood_means_the_same_as_to_the_library(expression: str, text: str) -> None:
    try:
        pattern = LinearPattern(expression)
        known = re.compile(expression)
    except (UsageError, re.error):
        return
    assert pattern.matches(text) == (known.fullmatch(text) is not None)


@pytest.mark.parametrize(
    "expression",
    ["(", ")", "[", "[a", "*", "a**", "\\", "(?=a)", "(?:(?:.?){100}){10}", "a{1001}", "a{3,2}", r"(a)\1", "x" * 300,
     "((((((a{99}){99}){99}){99}){99}){99})"],
)  # fmt: skip
def test_what_is_not_understood_is_refused(expression: str) -> None:
    with pytest.raises(UsageError):
        LinearPattern.from_stranger(expression)


def test_an_expression_made_to_take_for_ever_does_not() -> None:
    pattern = LinearPattern("(a+)+(a|aa)*(a*)*$")
    assert not pattern.matches("a" * 20_000 + "b")  # by the library's engine this would not end


def test_texts_that_are_no_unicode_are_matched_character_by_character() -> None:
    assert LinearPattern("a.c").matches("a\ud800c")
    assert LinearPattern("a.c").matches("a\u00fcc")
    assert not LinearPattern("\ud800").matches("x")
