"""Whether a page changed: each witness in its turn, and what none of them can rule out."""

import pytest

from webkeep.change.detection.page_comparison import (
    ChangeOutcome,
    ChangeVerdict,
    ChangeWitness,
    ComparedPage,
    compare_pages,
)
from webkeep.formats.http import is_strong_etag
from webkeep.model import Digest

ONE, OTHER = (Digest.from_chunks("sha1", [content]) for content in (b"one", b"other"))
WORDS = " ".join(f"word{number}" for number in range(300))


@pytest.mark.parametrize(
    ("visit", "revisit", "verdict"),
    [
        (ComparedPage(200, ONE), ComparedPage(304), ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.NOT_MODIFIED)),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(304, etag='"a"'),
            ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.NOT_MODIFIED, True),
        ),
        (
            ComparedPage(200, ONE, 'W/"a"'),
            ComparedPage(304, etag='W/"a"'),
            ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.NOT_MODIFIED),
        ),
        (ComparedPage(200, ONE), ComparedPage(200, ONE), ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.DIGEST)),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(200, ONE, '"a"'),
            ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.DIGEST, True),
        ),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(200, ONE, '"b"'),
            ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.DIGEST),
        ),
        (ComparedPage(200, ONE), ComparedPage(200, OTHER), ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.DIGEST)),
        (ComparedPage(200, ONE), ComparedPage(404), ChangeVerdict(ChangeOutcome.REMOVED, ChangeWitness.STATUS)),
        (ComparedPage(200, ONE), ComparedPage(None), ChangeVerdict(ChangeOutcome.REMOVED, ChangeWitness.STATUS)),
        (ComparedPage(404), ComparedPage(200, ONE), ChangeVerdict(ChangeOutcome.NEW, ChangeWitness.STATUS)),
        (ComparedPage(404), ComparedPage(404), ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.STATUS)),
        (ComparedPage(None), ComparedPage(None), ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.STATUS)),
        (ComparedPage(200), ComparedPage(200, ONE), ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.NOTHING)),
        (
            ComparedPage(200, ONE),
            ComparedPage(200, Digest.from_chunks("sha256", [b"one"])),
            ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.NOTHING),
        ),
    ],
)
def test_each_witness_in_its_turn(visit: ComparedPage, revisit: ComparedPage, verdict: ChangeVerdict) -> None:
    assert compare_pages(visit, revisit) == verdict


@pytest.mark.parametrize(
    ("text", "change"),
    [(WORDS + " 17 visitors", ChangeOutcome.INSIGNIFICANT), (WORDS[: len(WORDS) // 2], ChangeOutcome.CHANGED)],
)
def test_texts_tell_counters_from_news_in_either_direction(text: str, change: ChangeOutcome) -> None:
    before, after = ComparedPage(200, ONE, text=lambda: WORDS), ComparedPage(200, OTHER, text=lambda: text)
    assert compare_pages(before, after).change is change
    assert compare_pages(before, after) == compare_pages(after, before)


@pytest.mark.parametrize(
    ("etag", "strong"), [('"x"', True), ('W/"x"', False), ("", False), ('""', False), ("x", False)]
)
def test_strong_entity_tags(etag: str, strong: bool) -> None:
    assert is_strong_etag(etag) is strong
