"""What is said of a certificate behind the outcome of a capture."""

from pathlib import Path

import pytest

from certified_site import Look, again, capture_of, new_archive
from webkeep.cli.capture_run import describe_coherence
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.web.home_page import describe_coherence as describe_at_home

CASES: dict[str, tuple[list[Look], str]] = {
    "nothing": ([], "; This capture holds nothing that could be certified."),
    "once": ([Look("/a", 0), Look("/b", 1)], "; 2 resources seen, none of them twice: each was as it is held at "),
    "one page": ([Look("/a", 0), again("/a", 9)], "; 1 of 1 resource stood on the site together, as they are held"),
    "some": (
        [Look("/a", 0), Look("/b", 1, b"<p>old"), again("/b", 8, b"<p>new"), again("/a", 9)],
        "; 2 of 2 resources stood on the site together, as they are held here",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_number_says_of_how_many(tmp_path: Path, name: str) -> None:
    looks, words = CASES[name]
    with new_archive(tmp_path / "archive") as archive:
        summary = derive_certificate(archive, capture_of(archive, looks)).summary
    told = describe_coherence(summary)
    assert told.startswith(words)
    for said in (told, describe_at_home(summary)):
        assert " of 0" not in said
        assert "at most" not in said
        assert "fit together" not in said


def test_without_a_certificate_nothing_is_said() -> None:
    assert describe_coherence(None) == ""
