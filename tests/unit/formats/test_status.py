"""Statuses: found whatever version of HTTP an answer came by, and of the class that RFC 9110 gives them."""

import pytest

from webkeep.formats.http import parse_response
from webkeep.formats.status import (
    BODILESS_STATUSES,
    REDIRECT_STATUSES,
    build_status_line,
    is_answered,
    is_error,
    is_interim,
    is_redirection,
    is_server_error,
    is_successful,
    leads_elsewhere,
    reason_phrase,
    status_of,
)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", 200),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", 404),
        (b"HTTP/2 200 \r\n\r\n", 200),
        (b"HTTP/2 407 \r\n\r\n", 407),
        (b"HTTP/3 304\r\n\r\n", 304),
        (b"HTTP/2.0 301 Moved Permanently\r\n\r\n", 301),
        (b"HTTP/1.1  503 Two spaces\r\n\r\n", 503),
        (b"ICY 200 OK\r\n\r\n", 200),
        (b"HTTP/1.1 2000 OK\r\n\r\n", 0),
        (b"", 0),
    ],
)
def test_the_digits_are_found(head: bytes, status: int) -> None:
    assert status_of(head) == status
    assert (parse_response(head).status or 0) == status


@pytest.mark.parametrize(
    ("status", "classes"),
    [
        (None, set()),
        (0, set()),
        (100, {is_interim}),
        (101, set()),
        (103, {is_interim}),
        (200, {is_successful, is_answered}),
        (206, {is_successful, is_answered}),
        (301, {is_redirection, leads_elsewhere, is_answered}),
        (304, {is_redirection, is_answered}),
        (404, {is_error}),
        (500, {is_error, is_server_error}),
        (999, {is_error, is_server_error}),
    ],
)
def test_classes(status: int | None, classes: set[object]) -> None:
    every = (is_interim, is_successful, is_redirection, leads_elsewhere, is_answered, is_error, is_server_error)
    assert {each for each in every if each(status)} == classes


def test_what_browsers_follow_leads_elsewhere() -> None:
    assert all(leads_elsewhere(each) for each in REDIRECT_STATUSES)
    assert not any(leads_elsewhere(each) for each in BODILESS_STATUSES)


def test_lines_that_are_made_are_read_again() -> None:
    assert build_status_line(404) == "HTTP/1.1 404 Not Found"
    assert build_status_line(200, "Fine") == "HTTP/1.1 200 Fine"
    assert (build_status_line(299), reason_phrase(299)) == ("HTTP/1.1 299 ", "")
    assert all(status_of(f"{build_status_line(each)}\r\n\r\n".encode()) == each for each in range(100, 600))
