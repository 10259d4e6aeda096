"""The status of an answer, whatever version of HTTP it came by."""

import pytest

from webkeep.formats.http import status_of


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", 200),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", 404),
        (b"HTTP/2 200 \r\n\r\n", 200),
        (b"HTTP/2 407 \r\n\r\n", 407),
        (b"HTTP/3 304\r\n\r\n", 304),
        (b"HTTP/1.1  503 Two spaces\r\n\r\n", 503),
        (b"ICY 200 OK\r\n\r\n", 200),
        (b"HTTP/1.1 2000 OK\r\n\r\n", 0),
        (b"", 0),
    ],
)
def test_the_digits_are_found(head: bytes, status: int) -> None:
    assert status_of(head) == status
