import pytest

from webkeep.formats import read_json


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 5_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b"\xff\xfe\xff",
        b'"\xff"',
        "[" * 100_000,
        b"{}{}",
    ],
)
def test_what_is_no_json_that_can_be_read_is_none(data: bytes | str) -> None:
    assert read_json(data) is None


def test_json_is_what_it_says() -> None:
    assert read_json(b'{"a": [1, 2.5, "\xc3\xa9", true, null]}') == {"a": [1, 2.5, "é", True, None]}
    assert read_json('"\\ud83d\\ude00"') == "\U0001f600"
    assert read_json("é".join('""').encode("utf-16")) == "é"


def test_numbers_that_are_none_are_nothing() -> None:
    assert read_json(b"[NaN, Infinity, -Infinity, 1e999, -1e999, 1e9]") == [None] * 5 + [1e9]


@pytest.mark.parametrize("half", [b"\\ud800", b"\\uDFFF", b"\xed\xa0\x80"])
def test_halves_of_characters_are_none_wherever_they_are(half: bytes) -> None:
    assert read_json(b'{"' + half + b'": ["a' + half + b'", 1]}') == {"\ufffd": ["a\ufffd", 1]}
    assert read_json(b'"\\\\ud800"') == "\\ud800"
