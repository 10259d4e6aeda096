"""The page of a certificate: whole, self-contained, and safe whatever an archive holds."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from certified_site import Look, again, capture_of, new_archive
from webkeep.coherence.certificates import CoherenceCertificate
from webkeep.quality.certificates import render_certificate_page
from webkeep.quality.certificates.certificate_page import MAX_RESOURCES_LISTED
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.quality.certificates.timeline_chart import MAX_CHART_ROWS, render_timeline_chart

EVIL = "/<script>alert(1)</script>\u202egnp.exe"
VOID = {"meta", "br", "circle", "line", "path", "rect"}


class Checker(HTMLParser):
    """Holds every tag against the one that closes it, and keeps what could load anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.outward: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.outward += [
            f"{tag} {name}" for name, _ in attrs if name in {"src", "href", "srcset", "xlink:href", "action"}
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


def page_of(certificate: CoherenceCertificate) -> str:
    text = b"".join(render_certificate_page(certificate)).decode("utf-8")
    checker = Checker()
    checker.feed(text)
    assert (checker.open, checker.wrong, checker.outward) == ([], [], [])
    assert not checker.tags & {"script", "link", "img", "iframe"}
    assert not re.search(r"url\(|@import", text)
    return text


def certified(path: Path, looks: list[Look]) -> CoherenceCertificate:
    with new_archive(path) as archive:
        return derive_certificate(archive, capture_of(archive, looks))


def test_a_capture_with_everything_in_it(tmp_path: Path) -> None:
    looks = [
        Look(EVIL, 0),
        Look("/news/a", 10, b"A", fields=(("ETag", 'W/"1"'),)),
        Look("/gone", 20, b"G"),
        Look("/apex", 30, b"X"),
        again("/gone", 40, b"", status=404),
        again("/news/a", 50, b"A", fields=(("ETag", 'W/"1"'),)),
        again(EVIL, 60, b"changed"),
    ]
    text = page_of(certified(tmp_path / "a", looks))
    assert "2 of 4 resources stood on the site together, as they are held here, at 2024-03-01 12:00:30 UTC. " in text
    assert "alert(1)" in text
    assert "\u202e" not in text
    assert "prefers-color-scheme: dark" in text
    for words in ("changed", "vanished", "apex", "weak one", "gone at 2024-03-01 12:00:40 (status 404)", "<svg"):
        assert words in text


@pytest.mark.parametrize(
    ("looks", "headline"),
    [
        ([], "This capture holds nothing that could be certified."),
        ([Look("/", 0)], "1 resource seen, none of them twice"),
        ([Look("/", 100), again("/", 0)], "The clock ran backwards during this capture"),
    ],
)
def test_captures_of_which_little_can_be_said(tmp_path: Path, looks: list[Look], headline: str) -> None:
    assert headline in page_of(certified(tmp_path / "a", looks))


def test_of_many_resources_some_are_drawn_and_listed(tmp_path: Path) -> None:
    count = MAX_RESOURCES_LISTED + 5
    certificate = certified(tmp_path / "a", [Look(f"/{each}", each, b"%d" % each) for each in range(count)])
    text = page_of(certificate)
    assert f"{MAX_CHART_ROWS} of {count:,} are drawn" in text
    assert f"{MAX_RESOURCES_LISTED:,} of {count:,} are listed" in text
    assert render_timeline_chart(certificate).count("<g ") == MAX_CHART_ROWS
