"""Why nothing came of a URL, in words for people."""

import pytest

from webkeep.recover.reason_words import plain_reason
from webkeep.recover.repository import Reason


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("not-held", "none of those asked holds it"),
        ("trouble: old: 127.0.0.1:1 took too long", "old: 127.0.0.1:1 took too long"),
        ("unreachable: old cannot be reached", "nobody answers: old cannot be reached"),
        ("held only as a login page", "held only as a login page"),
    ],
)
def test_plain_words(note: str, words: str) -> None:
    assert plain_reason(note) == words


def test_every_reason_has_words() -> None:
    assert all(plain_reason(reason.value) != reason.value for reason in Reason)
