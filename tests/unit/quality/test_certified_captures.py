"""Certificates derived from WARC files: what counts, what does not, and that nothing but the files is asked."""

from dataclasses import replace
from pathlib import Path

import pytest

from certified_site import DAY, Look, again, capture_of, keep_intent, new_archive
from webkeep.coherence.certificates import (
    MEDIA_TYPE,
    CaptureIntent,
    CoherenceCertificate,
    CoherenceVerdict,
    certificate_to_json,
    intent_urn,
)
from webkeep.coherence.certificates.certificate_json import certificate_from_json
from webkeep.coherence.sightings import Caveat, SamenessWitness
from webkeep.quality.certificates import CAVEAT_WORDS, keep_certificate, read_part
from webkeep.quality.certificates.certificate_records import (
    MAX_PART_BYTES,
    MAX_RESOURCES_A_PART,
    latest_complete_parts,
    read_part_number,
    render_parts,
)
from webkeep.quality.certificates.certificate_words import VERDICT_WORDS
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.quality.certificates.subsites import may_be_sitemap
from webkeep.store.archive import Archive
from webkeep.url import first_directory

PNG = {"type": "image/png"}
TAG = {"fields": (("ETag", '"v1"'),)}
SITE = [
    Look("/", 0, **TAG),
    Look("/news/a", 10, b"A"),
    Look("/logo.png", 20, b"png", **PNG),
    Look("/apex", 30, b"X"),
    again("/logo.png", 40, b"png", **PNG),
    again("/news/a", 50, b"A, changed"),
    again("/", 60, status=304, **TAG),
]


def verdicts(certificate: CoherenceCertificate) -> dict[str, str]:
    return {each.url.removeprefix("http://site.example"): each.verdict.value for each in certificate.resources}


def certified(path: Path, looks: list[Look], intent: CaptureIntent | None = None) -> CoherenceCertificate:
    with new_archive(path) as archive:
        capture = capture_of(archive, looks, intent)
        certificate = derive_certificate(archive, capture)
    assert certificate_from_json(b"".join(certificate_to_json(certificate))) == certificate
    return certificate


def test_a_capture_with_revisits(tmp_path: Path) -> None:
    certificate = certified(tmp_path / "a", SITE)
    assert verdicts(certificate) == {"/": "coherent", "/news/a": "changed", "/logo.png": "coherent", "/apex": "apex"}
    summary = certificate.summary
    assert summary.seeds == ("http://site.example/",)
    assert summary.reference == DAY.plus(30)
    assert (summary.pages.coherent_count, summary.embeds.coherent_count, summary.all.agreeing) == (2, 1, 3)
    assert (summary.strategy, summary.all.expected_coherent) == ("", None)
    assert [each.name for each in summary.subsites] == ["http://site.example/", "http://site.example/news/"]
    assert certificate.resources[0].versions[0].witness is SamenessWitness.SERVER


def test_what_the_capture_set_out_to_do(tmp_path: Path) -> None:
    rates = {"http://site.example/": (0.01, "sitemap"), "http://elsewhere.example/": (1.0, "http")}
    summary = certified(tmp_path / "a", SITE, CaptureIntent("sharc-selective", 10, DAY.plus(31), rates)).summary
    assert (summary.strategy, summary.delay_seconds, summary.reference) == ("sharc-selective", 10.0, DAY.plus(31))
    assert (summary.all.rated, summary.all.expected_coherent) == (1, pytest.approx(0.548812, rel=1e-5))


def test_a_damaged_note_expects_nothing(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive:
        with archive.begin("capture") as capture:
            capture.submit(SITE[0].exchange())
            archive.submit_metadata(capture.id, intent_urn(capture.id), MEDIA_TYPE, b'{"strategy": 5}').result()
        assert derive_certificate(archive, capture.id).summary.strategy == ""


def test_captures_are_kept_apart(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive:
        first = capture_of(archive, [Look("/", 0), Look("/only-first", 5)])
        second = capture_of(archive, [Look("/", 1000, b"later"), again("/", 1010, b"later")])
        assert verdicts(derive_certificate(archive, first)) == {"/": "once", "/only-first": "once"}
        assert verdicts(derive_certificate(archive, second)) == {"/": "coherent"}


def test_a_record_belongs_to_the_capture_it_names_wherever_it_stands(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive, archive.begin("record") as one, archive.begin("record") as other:
        one.append(Look("/one", 0).exchange())
        other.append(Look("/other", 1).exchange())
        one.append(again("/one", 2).exchange())
        assert verdicts(derive_certificate(archive, one.id)) == {"/one": "coherent"}
        assert verdicts(derive_certificate(archive, other.id)) == {"/other": "once"}


def test_the_files_alone_are_asked(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive:
        capture = capture_of(archive, SITE)
        before = derive_certificate(archive, capture)
        with archive.catalog.database.connection as connection:
            connection.execute("DELETE FROM observation")
            connection.execute("DELETE FROM capture")
        assert derive_certificate(archive, capture) == before


def test_what_is_no_resource_of_a_site(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive:
        with archive.begin("capture") as capture:
            capture.submit(Look("/robots.txt", 0, type="text/plain").exchange())
            capture.submit(Look("/deep/robots.txt", 1).exchange())
            capture.append_resource("urn:screenshot:http://site.example/", "image/png", b"png", DAY)
            capture.append_resource("http://site.example/file", "text/html", b"file", DAY)
            keep_intent(archive, capture, CaptureIntent("x"))
        assert verdicts(derive_certificate(archive, capture.id)) == {"/deep/robots.txt": "once", "/file": "once"}


def test_redirects_are_compared_by_where_they_lead(tmp_path: Path) -> None:
    def moved(path: str, seconds: float, target: str, revisit: bool = False) -> Look:
        return Look(path, seconds, b"", 302, fields=(("Location", target),), revisit=revisit)

    looks = [
        moved("/same", 0, "/x"),
        moved("/other", 1, "/x"),
        moved("/other", 2, "/y", True),
        moved("/same", 3, "/x", True),
    ]
    certificate = certified(tmp_path / "a", looks)
    assert verdicts(certificate) == {"/same": "coherent", "/other": "changed"}
    assert certificate.summary.others.resources == 2


def test_a_part_is_not_compared_with_the_whole(tmp_path: Path) -> None:
    ranged = Look("/film", 5, b"the end", 206, fields=(("ETag", '"f"'), ("Content-Range", "bytes 3-9/10")))
    tagged = again("/film", 20, b"all of it", fields=(("ETag", '"f"'),))
    (film,) = certified(tmp_path / "tagged", [ranged, tagged]).resources
    assert (film.verdict, film.versions[0].witness) == (CoherenceVerdict.COHERENT, SamenessWitness.SERVER)
    (film,) = certified(tmp_path / "plain", [ranged, again("/film", 20, b"all of it")]).resources
    assert film.verdict is CoherenceVerdict.UNDECIDED


@pytest.mark.parametrize(
    ("part", "verdict"),
    [
        ((b"the end", "bytes 3-9/10"), CoherenceVerdict.COHERENT),
        ((b"all of it!", "bytes 0-9/10"), CoherenceVerdict.COHERENT),
        ((b"another...", "bytes 0-9/10"), CoherenceVerdict.CHANGED),
        ((b"the end", "bytes 3-9/10", "Fri, 01 Mar 2024 10:00:00 GMT"), CoherenceVerdict.UNDECIDED),
    ],
    ids=["a part", "all of it, as a part", "all of it, and another", "a part of another version"],
)
def test_what_a_player_asks_for_between_two_looks(
    part: tuple[bytes, str, str], verdict: CoherenceVerdict, tmp_path: Path
) -> None:
    body, span, *date = part
    fields = (("Content-Range", span), *(("Last-Modified", each) for each in date))
    dated = (("Last-Modified", "Thu, 29 Feb 2024 10:00:00 GMT"),) if date else ()
    looks = [
        Look("/film", 0, b"all of it!", fields=dated),
        Look("/film", 5, body, 206, fields=fields),
        again("/film", 20, b"all of it!", fields=dated),
    ]
    (film,) = certified(tmp_path / "a", looks).resources
    assert film.verdict is verdict


def test_a_clock_that_was_set_back(tmp_path: Path) -> None:
    looks = [Look("/a", 1000), Look("/b", 1010), again("/b", 500), again("/a", 1020)]
    certificate = certified(tmp_path / "a", looks)
    assert verdicts(certificate) == {"/a": "coherent", "/b": "undecided"}
    assert (certificate.summary.coherent_set, certificate.summary.setback) == (None, 510.0)
    assert certificate.summary.caveats[Caveat.CLOCK] == 1


def test_sitemaps_name_the_parts_of_a_site(tmp_path: Path) -> None:
    def sitemap(path: str, *pages: str) -> Look:
        rows = "".join(f"<url><loc>http://site.example{page}</loc></url>" for page in pages)
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        return Look(path, 0, body.encode(), type="application/xml")

    pages = [Look("/a", 1), Look("/b", 2, b"b"), Look("/c/d", 3, b"c")]
    two = [sitemap("/sitemap-1.xml", "/a", "/not-held"), sitemap("/sitemap-2.xml", "/b", "/a")]
    names = {each.name: each.figures.resources for each in certified(tmp_path / "two", [*two, *pages]).summary.subsites}
    assert names == {
        "http://site.example/": 2,
        "http://site.example/c/": 1,
        "http://site.example/sitemap-1.xml": 1,
        "http://site.example/sitemap-2.xml": 1,
    }
    one = certified(tmp_path / "one", [two[0], *pages]).summary
    assert [each.name for each in one.subsites] == ["http://site.example/", "http://site.example/c/"]


@pytest.mark.parametrize(
    ("url", "directory"),
    [
        ("http://h/", "http://h/"),
        ("http://h", "http://h/"),
        ("http://h/a", "http://h/"),
        ("http://h/a/", "http://h/a/"),
        ("http://h/a/b/c?d/e", "http://h/a/"),
        ("http://h/?a/b", "http://h/"),
        ("http://h//a", "http://h/"),
    ],
)
def test_directories(url: str, directory: str) -> None:
    assert first_directory(url) == directory


def test_what_may_be_a_sitemap() -> None:
    assert may_be_sitemap("http://h/Sitemap.xml.gz", "application/gzip")
    assert not may_be_sitemap("http://h/sitemap", "text/html")
    assert not may_be_sitemap("http://h/feed.xml", "application/xml")


def test_a_certificate_is_kept_in_parts_and_comes_back(tmp_path: Path) -> None:
    looks = [Look(f"/{number}", number, b"%d" % number) for number in range(MAX_RESOURCES_A_PART + 1)]
    with new_archive(tmp_path / "a") as archive:
        capture = capture_of(archive, looks)
        kept = keep_certificate(archive, capture)
        assert derive_certificate(archive, capture) == kept
    blocks = list(render_parts(kept))
    assert [read_part_number(block) for block in blocks] == [(0, 3), (1, 3), (2, 3)]
    parts = [read_part(block) for block in blocks]
    assert parts[0].summary == kept.summary
    assert tuple(each for part in parts for each in part.resources) == kept.resources
    with Archive(tmp_path / "a") as archive:
        assert len(list(archive.entries(f"urn:webkeep:certificate:{capture}"))) == 3


def test_no_part_grows_too_large_whatever_strangers_write(tmp_path: Path) -> None:
    certificate = certified(tmp_path / "a", [Look(f"/{number}", number, b"%d" % number) for number in range(9)])
    tag = '"' + "\u20ac" * 1_000_000 + '"'
    heavy = tuple(replace(each, versions=(replace(each.versions[0], etag=tag),)) for each in certificate.resources)
    blocks = list(render_parts(replace(certificate, resources=heavy)))
    assert [read_part_number(block) for block in blocks] == [(each, 4) for each in range(4)]
    assert max(map(len, blocks)) < MAX_PART_BYTES
    assert sum(len(read_part(block).resources) for block in blocks) == 9


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([], slice(0, 0)),
        ([(0, 1)], slice(0, 1)),
        ([(0, 2), (1, 2), (0, 1)], slice(2, 3)),
        ([(0, 2), (1, 2), (0, 3), (1, 3)], slice(0, 2)),
        ([(0, 2), None, (1, 2)], slice(0, 0)),
        ([(1, 2), (0, 2)], slice(0, 0)),
        ([(0, 9_999_999)], slice(0, 0)),
    ],
)
def test_the_last_whole_certificate_counts(numbers: list[tuple[int, int] | None], found: slice) -> None:
    assert latest_complete_parts(numbers) == found


def test_verdicts_have_words() -> None:
    assert set(VERDICT_WORDS) == set(CoherenceVerdict)
    assert set(CAVEAT_WORDS) == set(Caveat)
