"""What a recovery leaves behind: summary, account, report, re-host export, and how complete it is."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from recover_shelf import Shelf, page
from webkeep.model import Moment
from webkeep.recover import RecoveryPlan
from webkeep.recover.report import (
    RecoveryFindings,
    RepositoryOverlap,
    compare_with_original,
    read_outcomes,
    rehost,
    render_report,
)
from webkeep.recover.report.completeness import chao_estimate, chapman_estimate
from webkeep.recover.report.recovery_counts import count_outcomes
from webkeep.recover.report.rehost_paths import path_from_url
from webkeep.recover.report.summary import render_json_lines, render_text
from webkeep.recover.repositories import Repository, RepositoryTraits, VersionFidelity
from webkeep.recover.run import NullRecoveryObserver, RecoveryResult, recover
from webkeep.recover.state import RecoveryStore
from webkeep.recover.state.provenance import read_provenances
from webkeep.store.archive import Archive, WritableArchive

SITE = "http://lost.example/"
PICTURE = b"\x89PNG\r\n\x1a\n picture"


def shelves() -> list[Shelf]:
    one, other = Shelf(RepositoryTraits("one")), Shelf(RepositoryTraits("other"))
    one.put(SITE, "2009-01-01", page("home", links=["/x", "/gone", "/list?p=2", "/old", "http://www.lost.example/x/"]))
    other.put(SITE, "2008-01-01", page("home, older"))
    other.put(SITE + "x", "2009-02-01", page("x", embeds=["/p.png"]), fidelity=VersionFidelity.RAW)
    one.put(SITE + "p.png", "2009-02-02", PICTURE, "image/png")
    one.put(SITE + "list?p=2", "2009-03-01", page("the second page"))
    one.put(SITE + "old", "2009-03-01", b"", status=301, location="/x")
    return [one, other]


def opening(shelves: list[Shelf]) -> object:
    @asynccontextmanager
    async def opened(_spool: Path) -> AsyncIterator[list[Repository]]:
        yield list(shelves)

    return opened


def recovered(folder: Path, some: list[Shelf], *choices: str, plan: RecoveryPlan | None = None) -> RecoveryResult:
    with WritableArchive.open_or_create(folder) as archive:
        used = plan or RecoveryPlan((SITE,))
        return recover(used, archive, opening(some), NullRecoveryObserver(), choices)  # type: ignore[arg-type]


@pytest.fixture
def done(tmp_path: Path) -> tuple[Path, RecoveryResult]:
    return tmp_path / "archive", recovered(tmp_path / "archive", shelves())


def test_the_summary_has_a_line_for_each_url(done: tuple[Path, RecoveryResult]) -> None:
    with RecoveryStore(done[1].store_path) as book:
        told = [line.rstrip("\n").split("\t") for line in render_text(read_outcomes(book), Moment.parse("2026-01-01"))]
    by_url = {fields[1]: fields for fields in told}
    assert by_url[SITE][2:] == [
        "text/html",
        "lost.example/index.html",
        "one",
        "2009-01-01",
        "other:2008-01-01",
    ]
    assert by_url[SITE + "gone"] == ["2026-01-01 00:00:00", SITE + "gone", "MISSING"]
    assert len(told) == 6


def test_the_summary_as_json_says_why_something_is_missing(done: tuple[Path, RecoveryResult]) -> None:
    with RecoveryStore(done[1].store_path) as book:
        told = {each["url"]: each for each in map(json.loads, render_json_lines(read_outcomes(book)))}
    assert told[SITE + "gone"]["reason"] == "not-held"
    assert told[SITE + "x"]["fidelity"] == "raw"
    assert told[SITE]["others"][0]["repository"] == "other"


def test_the_account_counts_what_became_of_everything(done: tuple[Path, RecoveryResult]) -> None:
    with RecoveryStore(done[1].store_path) as book:
        account = count_outcomes(read_outcomes(book))
        findings = RecoveryFindings((SITE,), "id", account, tuple(book.repository_statuses()), done[1].fit_counts)
        text = b"".join(render_report(findings, lambda: read_outcomes(book))).decode()
    assert (account.recovered, account.missing, account.by_repository["one"]) == (5, 1, 4)
    assert account.by_year == {"2009": 5}
    assert account.overlap.both == {("one", "other"): 1}
    assert "5 of 6 known resources are back (83.3%); 1 is missing" in text
    assert f"<td>{SITE}gone</td><td>none of those asked holds it</td>" in text
    assert "<script" not in text


def test_the_archive_has_the_old_moments_and_where_each_comes_from(done: tuple[Path, RecoveryResult]) -> None:
    with Archive(done[0]) as archive:
        seen = archive.lookup(SITE + "x")
        assert seen is not None
        assert seen.moment == Moment.parse("2009-02-01")
        (told,) = read_provenances(archive, SITE + "x")
        assert (told.repository, told.fidelity, told.moment) == ("other", "raw", seen.moment)
        (home,) = read_provenances(archive, SITE)
        assert [other.repository for other in home.others] == ["other"]
        alias = archive.lookup("http://www.lost.example/x/")
        assert alias is not None
        assert alias.status == 301
        head = archive.read(alias).head
        assert head is not None
        assert head.headers.get("location") == SITE + "x"
        assert "webkeep" in head.headers.get("made-by")


def test_a_second_run_asks_for_nothing_that_is_there_and_takes_what_is_better(tmp_path: Path) -> None:
    some = shelves()
    recovered(tmp_path / "a", some)
    for shelf in some:
        shelf.asked.clear()
    some[1].put(SITE + "x", "2012-01-01", page("x, newer"))
    some[1].put(SITE + "gone", "2007-01-01", page("found again"))
    again = recovered(tmp_path / "a", some)
    assert sorted(some[0].asked + some[1].asked) == [SITE + "gone", SITE + "x"]
    with RecoveryStore(again.store_path) as book:
        chosen = {line.url: line.chosen for line in read_outcomes(book) if line.chosen is not None}
        account = count_outcomes(read_outcomes(book))
    assert chosen[SITE + "x"].moment == Moment.parse("2012-01-01")
    assert (account.recovered, account.missing) == (6, 0)
    with Archive(tmp_path / "a") as archive:
        assert {each.moment.iso()[:4] for each in archive.history(SITE + "x")} == {"2009", "2012"}


def test_the_archive_alone_tells_what_was_recovered_before(tmp_path: Path) -> None:
    some = shelves()
    recovered(tmp_path / "a", some)
    shutil.rmtree(tmp_path / "a/reports")
    for shelf in some:
        shelf.asked.clear()
    again = recovered(tmp_path / "a", some)
    assert (some[0].asked, some[1].asked) == ([], [])
    with RecoveryStore(again.store_path) as book:
        account = count_outcomes(read_outcomes(book))
    assert (account.recovered, account.bytes > 0, account.by_fidelity["raw"]) == (5, True, 1)


def test_a_person_overrules_the_choice(tmp_path: Path) -> None:
    some = shelves()
    recovered(tmp_path / "a", some)
    for shelf in some:
        shelf.asked.clear()
    again = recovered(tmp_path / "a", some, f"{SITE}=2008-01-01@other", f"{SITE}nothing=2008")
    assert (some[0].asked, some[1].asked) == ([], [SITE])
    assert len(again.choices) == 1
    with RecoveryStore(again.store_path) as book:
        home = next(line for line in read_outcomes(book) if line.url == SITE)
    assert home.chosen is not None
    assert home.chosen.moment == Moment.parse("2008-01-01")


def test_files_lie_under_their_old_paths_and_nginx_serves_them(
    done: tuple[Path, RecoveryResult], tmp_path: Path
) -> None:
    with Archive(done[0]) as archive, RecoveryStore(done[1].store_path) as book:
        made = rehost(archive, read_outcomes(book), tmp_path / "host")
    assert (made.files, made.redirects) == (4, 1)
    root = tmp_path / "host/sites/lost.example"
    assert (root / "p.png").read_bytes() == PICTURE
    assert "/old http://lost.example/x 301" in (root / "_redirects").read_text()
    with Nginx(tmp_path) as port:
        assert _asked(port, "/p.png") == (200, PICTURE, "image/png")
        assert b"second page" in _asked(port, "/list?p=2")[1]
        assert b"home" in _asked(port, "/")[1]
        assert _asked(port, "/x")[2] == "text/html"
        assert b"<title>x" in _asked(port, "/old")[1]


LIVE = [
    ".htaccess", ".user.ini", "web.config", "index.php", "a/.htaccess", "x.php.txt", "form.CGI", "page.shtml",
    "_headers", "_redirects", "shell.phtml", ".env", "a.asp",
]  # fmt: skip


def test_nothing_recovered_is_obeyed_or_run_by_a_server(tmp_path: Path) -> None:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2009-01-01", page("home", links=[*(f"/{name}" for name in LIVE), "/.well-known/security.txt"]))
    for name in LIVE:
        shelf.put(SITE + name, "2009-01-01", page(f"what was at {name} <?php phpinfo(); ?>"))
    shelf.put(SITE + ".well-known/security.txt", "2009-01-01", b"Contact: mailto:a@b.example", "text/plain")
    done = recovered(tmp_path / "archive", [shelf])
    with Archive(tmp_path / "archive") as archive, RecoveryStore(done.store_path) as book:
        rehost(archive, read_outcomes(book), tmp_path / "host")
    root = tmp_path / "host/sites/lost.example"
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert not there & (set(LIVE) - {"_headers", "_redirects"})
    assert ".well-known/security.txt" in there
    assert "/index.php /index.php~ 200" in (root / "_redirects").read_text()
    assert "phpinfo" not in (root / "_headers").read_text() + (root / "_redirects").read_text()
    with Nginx(tmp_path) as port:
        for name in LIVE:
            status, body, kind = _asked(port, f"/{name}")
            assert (status, kind) == (200, "text/html"), name
            assert f"what was at {name}".encode() in body


class Nginx:
    """nginx with the configuration of an export, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> int:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        host = self._folder / "host"
        told = (
            (host / "nginx.conf").read_text().replace("FOLDER", str(host)).replace("listen 80;", f"listen {self.port};")
        )
        (self._folder / "site.conf").write_text(told)
        user = "user root;" if os.geteuid() == 0 else ""
        main = f"""{user} daemon off; pid {self._folder}/pid; error_log {self._folder}/error.log; worker_processes 1;
            events {{}} http {{ include /etc/nginx/mime.types; access_log off; include {self._folder}/site.conf; }}"""
        (self._folder / "nginx.conf").write_text(main)
        self._process = subprocess.Popen(
            ["nginx", "-e", f"{self._folder}/error.log", "-c", f"{self._folder}/nginx.conf"]
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", self.port)):
                    break
        return self.port

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)


def _asked(port: int, target: str) -> tuple[int, bytes, str]:
    """What the re-hosted site answers at its old address, redirects followed there."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{target}", headers={"Host": "lost.example"})
    opener = urllib.request.build_opener(Stay())
    with opener.open(request, timeout=20) as answer:
        location = answer.headers.get("location", "")
        if answer.status == 301:
            return _asked(port, location.removeprefix("http://lost.example"))
        return answer.status, answer.read(), answer.headers.get("content-type", "")


class Stay(urllib.request.HTTPRedirectHandler):
    def http_error_301(self, _request: object, answer: object, *_: object) -> object:
        return answer


def test_a_reconstruction_is_held_against_the_original(done: tuple[Path, RecoveryResult], tmp_path: Path) -> None:
    original = tmp_path / "original"
    truth = Shelf(RepositoryTraits("truth"))
    truth.put(
        SITE, "2009-05-01", page("home", links=["/x", "/gone", "/list?p=2", "/old", "http://www.lost.example/x/"])
    )
    truth.put(SITE + "x", "2009-05-01", page("x has changed since"))
    truth.put(SITE + "gone", "2009-05-01", page("gone"))
    recovered(original, [truth])
    with Archive(done[0]) as ours, Archive(original) as theirs, RecoveryStore(done[1].store_path) as book:
        found = compare_with_original(ours, read_outcomes(book), theirs, RecoveryPlan((SITE,)).identity.key)
    difference = found.difference
    assert (difference.identical, difference.changed, difference.missing, difference.added) == (1, 1, 1, 2)
    assert found.losses.s4 == pytest.approx(1 / 3)
    assert 0 < found.score < 1


def test_estimates_of_how_much_there_was() -> None:
    assert chapman_estimate(100, 80, 40) == pytest.approx(101 * 81 / 41 - 1)
    assert chao_estimate(10, 4, 2, 3) == pytest.approx(10 + 2 / 3 * 4 * 3 / 6)
    overlap = RepositoryOverlap()
    for names in (["a"], ["a", "b"], ["b"], ["a", "b"]):
        overlap.add(names)
    assert overlap.estimate() == (pytest.approx(4 * 4 / 3 - 1), "Chapman")
    assert RepositoryOverlap().estimate() == (None, "")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://foo.org/bar/hello.html", "foo.org/bar/hello.html"),
        ("http://foo.org/bar/", "foo.org/bar/index.html"),
        ("http://foo.org", "foo.org/index.html"),
        ("http://foo.org/a%2Fb/../c?x=1", "foo.org/c?x=1"),
        ("http://foo.org/%00/%2e%2e/x", "foo.org/x"),
    ],
)
def test_paths_mirror_urls(url: str, path: str) -> None:
    assert path_from_url(url) == path


@pytest.mark.parametrize("tail", ["a|b?c:d", "con", "x.", "end ", 'q"<>*\\', "lpt1.txt", "?" + "y" * 400])
def test_names_that_windows_can_have(tail: str) -> None:
    for name in path_from_url(f"http://foo.org:8080/{tail}", windows=True).split("/"):
        assert not set(name) & set('<>:"\\|?*')
        assert name.rstrip(". ") == name
        assert len(name) <= 200
        assert name.partition(".")[0].lower() not in ("con", "lpt1")


def test_other_repositories_go_on_from_what_was_recovered_and_not_finished(tmp_path: Path) -> None:
    one, other = shelves()
    first = recovered(tmp_path / "a", [one], plan=RecoveryPlan((SITE,), ("one",), most=2, connections=1))
    assert not first.is_finished
    one.asked.clear()
    second = recovered(tmp_path / "a", [one, other], plan=RecoveryPlan((SITE,), ("one", "other")))
    assert second.is_finished
    assert SITE not in one.asked
    with RecoveryStore(second.store_path) as book:
        assert count_outcomes(read_outcomes(book)).recovered == 5
