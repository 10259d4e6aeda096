"""`webkeep certify` and `webkeep list --as-of`, and a server on loopback that changes between visit and revisit."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fetcher_calls import fetch
from small_site import Page, SmallSite

from certified_site import DAY, Look, again, capture_of, new_archive
from webkeep.cli.main import main
from webkeep.coherence.certificates import CaptureIntent
from webkeep.coherence.certificates.certificate_json import certificate_from_json
from webkeep.fetch import FetchRequest
from webkeep.model import VisitKind
from webkeep.quality.certificates import judge_changed_resources, keep_certificate
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.store.archive import WritableArchive

SITE = [
    Look("/", 0, b"home"),
    Look("/news/a", 10, b"A"),
    Look("/apex", 20, b"X"),
    again("/news/a", 30, b"A, changed"),
    again("/", 40, b"home"),
]


def called(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[dict[str, object]], str]:
    """The exit code, the lines of JSON and what was said besides."""
    capsys.readouterr()
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, [json.loads(line) for line in said.out.splitlines() if line.startswith("{")], said.out + said.err


def test_a_certificate_that_was_kept_is_derived_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    with new_archive(path) as archive:
        capture = capture_of(archive, SITE, CaptureIntent("sharc-selective", 10.0, DAY.plus(20), {}))
        kept = keep_certificate(archive, capture)
    page, written = tmp_path / "c.html", tmp_path / "c.json"
    code, _, said = called(capsys, "certify", path, "--html", page, "--output", written)
    assert code == 0
    assert "2 of 3 resources stood on the site together, as they are held here, at 2024-03-01 12:00:20 UTC. " in said
    assert "the certificate that was kept is the same" in said
    assert certificate_from_json(written.read_bytes()) == kept
    assert page.read_text().startswith("<!doctype html>")
    code, lines, _ = called(capsys, "certify", path, "--json", "--capture", capture[:8])
    assert (code, lines[-1]["kept"], lines[-1]["findings"], lines[-1]["at_reference"]) == (0, "equal", 0, 2)
    assert [each["url"] for each in lines if each.get("event") == "resource"] == [
        "http://site.example/",
        "http://site.example/apex",
        "http://site.example/news/a",
    ]


def test_what_was_added_since_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    with new_archive(path) as archive, archive.begin("capture") as capture:
        capture.append(SITE[0].exchange())
        keep_certificate(archive, capture.id)
        capture.append(again("/", 40, b"tampered").exchange())
    code, lines, _ = called(capsys, "certify", path, "--json")
    assert (code, lines[-1]["kept"]) == (1, "different")
    messages = [str(each["message"]) for each in lines if each.get("event") == "finding"]
    assert "http://site.example/: verdict: kept as once, the records say changed" in messages
    code, _, said = called(capsys, "certify", path)
    assert code == 1
    assert "[certificate-differs]" in said


def test_captures_without_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    with new_archive(path) as archive:
        plain = capture_of(archive, SITE)
        aimed = capture_of(archive, SITE, CaptureIntent("sharc-selective"))
    code, lines, _ = called(capsys, "certify", path, "--capture", plain, "--json")
    assert (code, lines[-1]["kept"]) == (0, "none")
    code, lines, _ = called(capsys, "certify", path, "--capture", aimed, "--json")
    assert (code, lines[-1]["kept"]) == (1, "missing")
    assert [each["code"] for each in lines if each.get("event") == "finding"] == ["certificate-missing"]


def test_what_holds_nothing_is_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    with new_archive(path) as archive:
        archive.begin("import").end()
        assert called(capsys, "certify", path)[0] == 2
        first = capture_of(archive, SITE)
        last = archive.begin("import")
        last.append(replace(SITE[0].exchange(), url="http://site.example/robots.txt"))
        last.end()
    code, lines, said = called(capsys, "certify", path, "--json")
    assert (code, lines[-1]["capture"]) == (0, first)
    assert f"the import {last.id[:8]} of " in said
    assert f"this is about the capture {first[:8]} of " in said


def test_wrong_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    new_archive(path).close()
    assert called(capsys, "certify", path)[0] == 2
    assert called(capsys, "certify", tmp_path / "none")[0] == 2
    assert called(capsys, "certify", path, "--html", path)[0] == 2
    assert called(capsys, "certify", path, "--capture", " ")[0] == 2
    assert called(capsys, "list", path, "--mapping", "nearest")[0] == 2
    assert called(capsys, "list", path, "--as-of", "2024", "--since", "2023")[0] == 2
    assert called(capsys, "list", path, "--as-of", "no moment")[0] == 2
    assert called(capsys, "list", path, "--as-of", "2024", "--urls")[0] == 2


def test_a_site_as_of_a_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    with new_archive(path) as archive:
        first = capture_of(archive, SITE, CaptureIntent("x", 10.0, DAY.plus(20)))
        later = [replace(each, seconds=each.seconds + 1000, body=each.body + b" later") for each in SITE]
        second = capture_of(archive, later)

    def listed(seconds: float, *more: str) -> list[dict[str, object]]:
        moment = DAY.plus(seconds).iso()
        code, lines, _ = called(capsys, "list", path, "--as-of", moment, "--json", *more)
        assert (code, lines[-1]["listed"]) == (0, len(lines) - 1)
        return lines[:-1]

    def short(seconds: float, *more: str) -> list[tuple[object, ...]]:
        rows = listed(seconds, *more)
        assert {row["capture"] for row in rows} <= {first if seconds < 515 else second}
        return [(str(row["url"])[19:], str(row["moment"])[11:19], row["proven"]) for row in rows]

    assert short(20) == [("/", "12:00:00", True), ("/apex", "12:00:20", True), ("/news/a", "12:00:10", False)]
    assert short(39, "http://site.example/news/*") == [("/news/a", "12:00:30", False)]
    assert short(5000, "site.example/") == [("/", "12:17:20", False)]
    assert [row["capture"] for row in listed(900, "site.example/")] == [second]
    assert [row["capture"] for row in listed(900, "site.example/", "--mapping", "latest-before")] == [first]
    assert listed(-9, "--mapping", "latest-before") == []
    _, _, said = called(capsys, "list", path, "--as-of", DAY.plus(20).iso())
    assert "the same before and after" in said
    assert "3 mementos" in said


def test_what_was_not_modified_is_listed_as_what_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with new_archive(tmp_path / "a") as archive:
        capture_of(archive, [Look("/", 0, b"home"), again("/", 40, status=304)])
    _, lines, _ = called(capsys, "list", tmp_path / "a", "--as-of", DAY.plus(39).iso(), "--json")
    assert [(each["status"], each["type"], each["moment"]) for each in lines[:-1]] == [
        (200, "text/html", DAY.plus(40).iso())
    ]


def test_a_server_that_changes_between_visit_and_revisit(tmp_path: Path) -> None:
    """The certificate's verdicts are what the server knows that it served."""
    version = {"/steady": 1, "/hot": 1, "/tagged": 1, "/gone": 1, "/unsteady": 1}
    asked: dict[str, list[int]] = {path: [] for path in version}

    def answer(_host: str, path: str) -> Page:
        number = version[path]
        asked[path].append(number)
        if path == "/gone" and number > 1:
            return Page(b"gone", "text/plain", 410)
        if path == "/tagged":
            tag = f'"v{number}"'
            is_known = site.fields[-1].get("if-none-match") == tag
            return Page(b"" if is_known else b"tagged", status=304 if is_known else 200, headers={"ETag": tag})
        headers = {"ETag": f'"{len(asked[path])}"'} if path == "/unsteady" else {}
        return Page(f"{path} {number}".encode(), headers=headers)

    with SmallSite(answer) as site, WritableArchive.create(tmp_path / "a") as archive:
        with archive.begin("capture", [site.url()]) as capture:

            def look(path: str, visit: VisitKind, *headers: tuple[str, str]) -> None:
                request = FetchRequest(site.url(path), headers=headers, private=True, visit=visit)
                (fetched,) = fetch(tmp_path, request)
                assert fetched.exchange is not None
                capture.append(fetched.exchange)

            for path in version:
                look(path, VisitKind.VISIT)
            version["/hot"] = version["/gone"] = 2
            for path in reversed(version):
                look(path, VisitKind.REVISIT, *([("If-None-Match", '"v1"')] if path == "/tagged" else []))
        certificate = derive_certificate(archive, capture.id)
        changes = judge_changed_resources(archive, certificate)

    # The category stands beside the verdict and makes nothing coherent.
    assert {url.removeprefix(site.url("")): each.category.value for url, each in changes.items()} == {"/hot": "major"}
    verdicts = {each.url.removeprefix(site.url("")): each for each in certificate.resources}
    for path, numbers in asked.items():
        assert len(numbers) == 2
        assert verdicts[path].verdict.is_coherent == (numbers[0] == numbers[1])
    assert {path: each.verdict.value for path, each in verdicts.items()} == {
        "/steady": "coherent",
        "/hot": "changed",
        "/tagged": "coherent",
        "/gone": "vanished",
        "/unsteady": "coherent",
    }
    assert verdicts["/tagged"].versions[0].strength == "strong-etag"
    assert "etag-unsteady" in verdicts["/unsteady"].caveats
    assert certificate.summary.coherent_set is not None
    assert certificate.summary.coherent_set.resources >= 3
    assert certificate.summary.at_reference >= 3


TAKEN = [*SITE[:3], Look("/shared", 22, b"A"), again("/shared", 28, b"A"), *SITE[3:]]


@pytest.mark.parametrize("path", ["/", "/news/a", "/apex"])
def test_what_was_taken_down_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    place, url = tmp_path / "a", f"http://site.example{path}"
    with new_archive(place) as archive:
        keep_certificate(archive, capture_of(archive, TAKEN, CaptureIntent("sharc-selective", 10.0, DAY.plus(20), {})))
    assert called(capsys, "remove", place, "--url", url, "--match", "exact", "--reason", "an order", "--yes")[0] == 0
    code, lines, _ = called(capsys, "certify", place, "--json")
    assert (code, lines[-1]["kept"], lines[-1]["taken_down"], lines[-1]["findings"]) == (0, "reduced", [url], 0)
    code, _, said = called(capsys, "certify", place)
    assert code == 0
    assert "says the same of all that is still held; 1 URL was taken down" in said
    assert "(an order)" in said
    assert "certificate-differs" not in said


def test_what_differs_besides_a_takedown_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "a"
    with new_archive(place) as archive, archive.begin("capture") as capture:
        for look in TAKEN:
            capture.append(look.exchange())
        keep_certificate(archive, capture.id)
        capture.append(again("/apex", 60, b"tampered").exchange())
    called(capsys, "remove", place, "--url", "http://site.example/news/a", "--match", "exact", "--yes")
    code, lines, _ = called(capsys, "certify", place, "--json")
    assert (code, lines[-1]["kept"]) == (1, "different")
    messages = " ".join(str(each["message"]) for each in lines if each.get("event") == "finding")
    assert "http://site.example/apex: verdict: kept as " in messages
    assert "/news/a" not in messages


def test_a_certificate_says_whether_bytes_were_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "a"
    with new_archive(place) as archive:
        capture_of(archive, SITE)
    _, lines, said = called(capsys, "certify", place, "--html", tmp_path / "v.html", "--output", tmp_path / "v.json")
    assert "bytes      verified: the bytes of all " in said
    assert "verified: the bytes of all" in (tmp_path / "v.html").read_text()
    verified = json.loads((tmp_path / "v.json").read_bytes())["verified"]
    assert verified["findings"] == 0
    assert verified["records"] >= len(SITE)
    words = ("--no-verify", "--html", tmp_path / "n.html", "--output", tmp_path / "n.json")
    _, lines, said = called(capsys, "certify", place, *words)
    assert "bytes      not verified" in said
    assert "not verified" in (tmp_path / "n.html").read_text()
    assert json.loads((tmp_path / "n.json").read_bytes())["verified"] is None
    _, lines, _ = called(capsys, "certify", place, "--json")
    assert lines[-1]["verified"] == verified
