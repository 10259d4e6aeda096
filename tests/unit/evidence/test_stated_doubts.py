"""What a package's maker says is not proven, as whoever verifies the package is told it."""

import json

import pytest

from webkeep.evidence.verification.claims_check import read_stated_doubts


def test_what_the_maker_doubts_is_told_as_their_word() -> None:
    data = json.dumps({"shortcomings": ["It never came to rest."], "reservations": ["The address was given."]}).encode()
    assert list(read_stated_doubts(data)) == [
        "Its maker says: It never came to rest.",
        "Its maker says: The address was given.",
    ]


def test_more_than_people_read_is_counted() -> None:
    told = list(read_stated_doubts(json.dumps({"shortcomings": ["x" * 9000] * 70}).encode()))
    assert (len(told), max(map(len, told)) < 600) == (21, True)
    assert told[-1].startswith("Its maker says 50 things more")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"shortcomings": 5}', b'{"shortcomings": [5, null]}'])
def test_what_is_no_such_file_says_nothing(data: bytes) -> None:
    assert list(read_stated_doubts(data)) == []
