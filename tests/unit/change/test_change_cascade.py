"""Whether a page changed: each witness in its turn, and what none of them can rule out."""

import pytest

from webkeep.change.detection import (
    ChangeCategory,
    ChangeEvidence,
    ChangeVerdict,
    ComparedPage,
    PageFingerprint,
    compare_pages,
    fingerprint_page,
)
from webkeep.document import read_page_content
from webkeep.formats.http import is_strong_etag
from webkeep.model import Digest

ONE, OTHER = (Digest.from_chunks("sha1", [content]) for content in (b"one", b"other"))


@pytest.mark.parametrize(
    ("visit", "revisit", "verdict"),
    [
        (
            ComparedPage(200, ONE),
            ComparedPage(304),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.NOT_MODIFIED),
        ),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(304, etag='"a"'),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.NOT_MODIFIED, True),
        ),
        (
            ComparedPage(200, ONE, 'W/"a"'),
            ComparedPage(304, etag='W/"a"'),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.NOT_MODIFIED),
        ),
        (
            ComparedPage(200, ONE),
            ComparedPage(200, ONE),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.DIGEST),
        ),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(200, ONE, '"a"'),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.DIGEST, True),
        ),
        (
            ComparedPage(200, ONE, '"a"'),
            ComparedPage(200, ONE, '"b"'),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.DIGEST),
        ),
        (ComparedPage(200, ONE), ComparedPage(200, OTHER), ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.DIGEST)),
        (ComparedPage(200, ONE), ComparedPage(404), ChangeVerdict(ChangeCategory.REMOVED, ChangeEvidence.STATUS)),
        (ComparedPage(200, ONE), ComparedPage(None), ChangeVerdict(ChangeCategory.REMOVED, ChangeEvidence.STATUS)),
        (ComparedPage(404), ComparedPage(200, ONE), ChangeVerdict(ChangeCategory.NEW, ChangeEvidence.STATUS)),
        (ComparedPage(404), ComparedPage(404), ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.STATUS)),
        (ComparedPage(None), ComparedPage(None), ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.STATUS)),
        (
            ComparedPage(200, last_modified="today"),
            ComparedPage(200, last_modified="today"),
            ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.LAST_MODIFIED),
        ),
        (ComparedPage(200), ComparedPage(200, ONE), ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.NOTHING)),
        (
            ComparedPage(200, ONE),
            ComparedPage(200, Digest.from_chunks("sha256", [b"one"])),
            ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.NOTHING),
        ),
    ],
)
def test_each_witness_in_its_turn(visit: ComparedPage, revisit: ComparedPage, verdict: ChangeVerdict) -> None:
    assert compare_pages(visit, revisit) == verdict


def fingerprint(page: str) -> PageFingerprint:
    content = read_page_content(page)
    assert content is not None
    return fingerprint_page(content)


PARAGRAPHS = "".join(f"<p>Paragraph {number} has words of its own, {number * 7} of them.</p>" for number in range(40))
PAGE = f"<title>A page</title><a href=/one>one</a>{PARAGRAPHS}"


@pytest.mark.parametrize(
    ("page", "category", "evidence"),
    [
        (f"<!-- 17 -->{PAGE}<script>x()</script>", ChangeCategory.INSIGNIFICANT, ChangeEvidence.TEXT_DIGEST),
        (PAGE.replace("Paragraph 7 ", "Paragraph seven "), ChangeCategory.MINOR, ChangeEvidence.RESEMBLANCE),
        (PAGE[: len(PAGE) // 2], ChangeCategory.MAJOR, ChangeEvidence.RESEMBLANCE),
        (PAGE.replace("/one", "/two"), ChangeCategory.STRUCTURAL, ChangeEvidence.LINKS_DIGEST),
    ],
)
def test_fingerprints_tell_how_pages_differ_in_either_direction(
    page: str, category: ChangeCategory, evidence: ChangeEvidence
) -> None:
    before = ComparedPage(200, ONE, fingerprint=fingerprint(PAGE))
    after = ComparedPage(200, OTHER, fingerprint=fingerprint(page))
    verdict = compare_pages(before, after)
    assert (verdict.category, verdict.evidence) == (category, evidence)
    assert compare_pages(after, before) == verdict


def test_content_is_read_only_where_all_else_leaves_it_open() -> None:
    told = ChangeVerdict(ChangeCategory.MINOR, ChangeEvidence.CONTENT)
    read: list[int] = []

    def compare_content() -> ChangeVerdict:
        read.append(1)
        return told

    assert compare_pages(ComparedPage(200, ONE), ComparedPage(200, ONE), compare_content) != told
    assert compare_pages(ComparedPage(200, ONE), ComparedPage(304), compare_content) != told
    assert compare_pages(ComparedPage(200, ONE), ComparedPage(404), compare_content) != told
    assert not read
    assert compare_pages(ComparedPage(200, ONE), ComparedPage(200, OTHER), compare_content) == told


def test_verdicts_in_words() -> None:
    verdict = ChangeVerdict(ChangeCategory.STRUCTURAL, ChangeEvidence.CONTENT, resemblance=0.5, links_added=2)
    assert verdict.describe() == (
        "structural: both versions were compared; 2 links added, 0 deleted; 50% of the text shared"
    )
    assert all(ChangeVerdict(ChangeCategory.MINOR, each).describe().startswith("minor: ") for each in ChangeEvidence)


@pytest.mark.parametrize(
    ("etag", "strong"), [('"x"', True), ('W/"x"', False), ("", False), ('""', False), ("x", False)]
)
def test_strong_entity_tags(etag: str, strong: bool) -> None:
    assert is_strong_etag(etag) is strong
