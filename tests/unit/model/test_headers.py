"""Headers: order, case, and the quick way to make them of plain lines."""

import pickle

import pytest

from webkeep.model import Headers

LINES = ["Content-Type: text/html", "Set-Cookie: a=1", "SET-COOKIE: b: 2", "X-Last: z"]
FIELDS = (("Content-Type", "text/html"), ("Set-Cookie", "a=1"), ("SET-COOKIE", "b: 2"), ("X-Last", "z"))


def plain() -> Headers:
    headers = Headers.parse_plain_lines(LINES)
    assert headers is not None
    return headers


@pytest.mark.parametrize(
    "headers", [Headers(FIELDS), plain(), Headers.parse_lines(LINES, " ")], ids=["made", "plain", "read"]
)
def test_however_they_were_made_they_say_the_same(headers: Headers) -> None:
    assert headers.fields == FIELDS
    assert headers.first == {"content-type": "text/html", "set-cookie": "a=1", "x-last": "z"}
    assert headers.get("CONTENT-type") == "text/html"
    assert headers.get("missing", "else") == "else"
    assert headers.all("set-cookie") == ["a=1", "b: 2"]
    assert "set-COOKIE" in headers
    assert "missing" not in headers
    assert list(headers) == list(FIELDS)
    assert len(headers) == 4
    assert headers.without("set-cookie").fields == (FIELDS[0], FIELDS[3])
    assert headers.with_field("set-cookie", "c").fields == (FIELDS[0], ("set-cookie", "c"), FIELDS[3])
    assert headers.with_field("New", "n").fields == (*FIELDS, ("New", "n"))


def test_they_are_values() -> None:
    assert plain() == Headers(FIELDS)
    assert hash(plain()) == hash(Headers(FIELDS))
    assert plain() != Headers(FIELDS[:2])
    assert plain() != FIELDS
    assert repr(plain()) == repr(Headers(FIELDS)) == f"Headers({FIELDS!r})"
    assert pickle.loads(pickle.dumps(plain())) == Headers(FIELDS)


@pytest.mark.parametrize(
    "line",
    ["", "Name", "Name:", "Name: ", "Name:value", "Name:  value", "Name: value ", "Name: value\t", "Name: value\r",
     ": value", "Name : value", " Name: value", "Na me: value", "Näme: value", "Na:me: value", f"{'N' * 101}: value"],
)  # fmt: skip
def test_lines_that_need_care_are_not_plain(line: str) -> None:
    assert Headers.parse_plain_lines([LINES[0], line, LINES[3]]) is None


def test_any_number_of_names_can_be_met() -> None:
    lines = [f"X-{number}: {number}" for number in range(5000)]
    for _ in range(2):
        headers = Headers.parse_plain_lines(lines)
        assert headers is not None
        assert (headers.get("x-0"), headers.get("x-4999"), len(headers)) == ("0", "4999", 5000)


def test_no_lines_are_no_fields() -> None:
    assert Headers.parse_plain_lines([]) == Headers() == Headers.parse_lines([], "")
