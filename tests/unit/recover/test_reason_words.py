"""Why nothing came of a URL, in words for people."""

import pytest

from webkeep.recover.report import explain_miss
from webkeep.recover.repositories import MissReason


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
    assert explain_miss(note) == words


def test_every_reason_has_words() -> None:
    assert all(explain_miss(reason.value) != reason.value for reason in MissReason)
