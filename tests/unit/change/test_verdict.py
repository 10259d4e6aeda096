"""Whether a page changed: each witness in its turn, and what none of them can rule out."""

import pytest

from webkeep.change import Change, Look, Verdict, Witness, compare
from webkeep.change.verdict import is_strong
from webkeep.model import Digest

ONE, OTHER = (Digest.of("sha1", [content]) for content in (b"one", b"other"))
WORDS = " ".join(f"word{number}" for number in range(300))


@pytest.mark.parametrize(
    ("visit", "revisit", "verdict"),
    [
        (Look(200, ONE), Look(304), Verdict(Change.UNCHANGED, Witness.NOT_MODIFIED)),
        (Look(200, ONE, '"a"'), Look(304, etag='"a"'), Verdict(Change.UNCHANGED, Witness.NOT_MODIFIED, True)),
        (Look(200, ONE, 'W/"a"'), Look(304, etag='W/"a"'), Verdict(Change.UNCHANGED, Witness.NOT_MODIFIED)),
        (Look(200, ONE), Look(200, ONE), Verdict(Change.UNCHANGED, Witness.DIGEST)),
        (Look(200, ONE, '"a"'), Look(200, ONE, '"a"'), Verdict(Change.UNCHANGED, Witness.DIGEST, True)),
        (Look(200, ONE, '"a"'), Look(200, ONE, '"b"'), Verdict(Change.UNCHANGED, Witness.DIGEST)),
        (Look(200, ONE), Look(200, OTHER), Verdict(Change.CHANGED, Witness.DIGEST)),
        (Look(200, ONE), Look(404), Verdict(Change.REMOVED, Witness.STATUS)),
        (Look(200, ONE), Look(None), Verdict(Change.REMOVED, Witness.STATUS)),
        (Look(404), Look(200, ONE), Verdict(Change.NEW, Witness.STATUS)),
        (Look(404), Look(404), Verdict(Change.UNCHANGED, Witness.STATUS)),
        (Look(None), Look(None), Verdict(Change.CHANGED, Witness.STATUS)),
        (Look(200), Look(200, ONE), Verdict(Change.CHANGED, Witness.NOTHING)),
        (Look(200, ONE), Look(200, Digest.of("sha256", [b"one"])), Verdict(Change.CHANGED, Witness.NOTHING)),
    ],
)
def test_each_witness_in_its_turn(visit: Look, revisit: Look, verdict: Verdict) -> None:
    assert compare(visit, revisit) == verdict


@pytest.mark.parametrize(
    ("text", "change"), [(WORDS + " 17 visitors", Change.INSIGNIFICANT), (WORDS[: len(WORDS) // 2], Change.CHANGED)]
)
def test_texts_tell_counters_from_news_in_either_direction(text: str, change: Change) -> None:
    before, after = Look(200, ONE, text=lambda: WORDS), Look(200, OTHER, text=lambda: text)
    assert compare(before, after).change is change
    assert compare(before, after) == compare(after, before)


@pytest.mark.parametrize(
    ("etag", "strong"), [('"x"', True), ('W/"x"', False), ("", False), ('""', False), ("x", False)]
)
def test_strong_entity_tags(etag: str, strong: bool) -> None:
    assert is_strong(etag) is strong
