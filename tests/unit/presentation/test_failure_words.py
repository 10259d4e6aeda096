"""Servers that cannot be reached, in words for people."""

import pytest

from webkeep.presentation import describe_failure


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("name-not-resolved: Could not resolve host: a.example", "no host of that name was found"),
        ("cannot-connect: Failed to connect, asked 4 times", "nobody listens there, asked 4 times"),
        ("host not reached 3 times in a row: cannot-connect: no", "nobody listens there"),
        (
            "tls: TLS connect error: error:0A00010B:SSL routines::wrong version number",
            "it does not speak TLS; try http://",
        ),
        ("tls: TLS connect error: handshake failure", "tls: TLS connect error: handshake failure"),
        ("timeout: after 3 s", "timeout: after 3 s"),
    ],
)
def test_plain_words(reason: str, words: str) -> None:
    assert describe_failure(reason) == words
