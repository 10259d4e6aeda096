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
from webkeep.recover.account import account_of
from webkeep.recover.book import Book
from webkeep.recover.comparison import compare
from webkeep.recover.completeness import Overlap, chao, chapman
from webkeep.recover.outcome import lines
from webkeep.recover.paths import path_of
from webkeep.recover.plan import Plan
from webkeep.recover.provenance import provenances
from webkeep.recover.recovering import Recovered, recover
from webkeep.recover.rehosting import rehost
from webkeep.recover.report import Findings, report_page
from webkeep.recover.repository import Fidelity, Repository
from webkeep.recover.repository_traits import Traits
from webkeep.recover.summary import summary_json, summary_text
from webkeep.recover.watching import Nobody
from webkeep.store.archive import Archive
from webkeep.store.writable import WritableArchive

SITE = "http://lost.example/"
PICTURE = b"\x89PNG\r\n\x1a\n picture"


def shelves() -> list[Shelf]:
    one, other = Shelf(Traits("one")), Shelf(Traits("other"))
    one.put(SITE, "2009-01-01", page("home", links=["/x", "/gone", "/list?p=2", "/old", "http://www.lost.example/x/"]))
    other.put(SITE, "2008-01-01", page("home, older"))
    other.put(SITE + "x", "2009-02-01", page("x", embeds=["/p.png"]), fidelity=Fidelity.RAW)
    one.put(SITE + "p.png", "2009-02-02", PICTURE, "image/png")
    one.put(SITE + "list?p=2", "2009-03-01", page("the second page"))
    one.put(SITE + "old", "2009-03-01", b"", status=301, location="/x")
    return [one, other]


def opening(shelves: list[Shelf]) -> object:
    @asynccontextmanager
    async def opened(_spool: Path) -> AsyncIterator[list[Repository]]:
        yield list(shelves)

    return opened


def recovered(folder: Path, some: list[Shelf], *choices: str, plan: Plan | None = None) -> Recovered:
    with WritableArchive.open_or_create(folder) as archive:
        used = plan or Plan((SITE,))
        return recover(used, archive, opening(some), Nobody(), choices)  # type: ignore[arg-type]


@pytest.fixture
def done(tmp_path: Path) -> tuple[Path, Recovered]:
    return tmp_path / "archive", recovered(tmp_path / "archive", shelves())


def test_the_summary_has_a_line_for_each_url(done: tuple[Path, Recovered]) -> None:
    with Book(done[1].book) as book:
        told = [line.rstrip("\n").split("\t") for line in summary_text(lines(book), Moment.parse("2026-01-01"))]
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


def test_the_summary_as_json_says_why_something_is_missing(done: tuple[Path, Recovered]) -> None:
    with Book(done[1].book) as book:
        told = {each["url"]: each for each in map(json.loads, summary_json(lines(book)))}
    assert told[SITE + "gone"]["reason"] == "not-held"
    assert told[SITE + "x"]["fidelity"] == "raw"
    assert told[SITE]["others"][0]["repository"] == "other"


def test_the_account_counts_what_became_of_everything(done: tuple[Path, Recovered]) -> None:
    with Book(done[1].book) as book:
        account = account_of(lines(book))
        findings = Findings((SITE,), "id", account, tuple(book.desks()), done[1].tally)
        text = b"".join(report_page(findings, lambda: lines(book))).decode()
    assert (account.recovered, account.missing, account.by_repository["one"]) == (5, 1, 4)
    assert account.by_year == {"2009": 5}
    assert account.overlap.both == {("one", "other"): 1}
    assert "5 of 6 known resources are back (83.3%); 1 is missing" in text
    assert f"<td>{SITE}gone</td><td>none of those asked holds it</td>" in text
    assert "<script" not in text


def test_the_archive_has_the_old_moments_and_where_each_comes_from(done: tuple[Path, Recovered]) -> None:
    with Archive(done[0]) as archive:
        seen = archive.lookup(SITE + "x")
        assert seen is not None
        assert seen.moment == Moment.parse("2009-02-01")
        (told,) = provenances(archive, SITE + "x")
        assert (told.repository, told.fidelity, told.moment) == ("other", "raw", seen.moment)
        (home,) = provenances(archive, SITE)
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
    with Book(again.book) as book:
        chosen = {line.url: line.chosen for line in lines(book) if line.chosen is not None}
        account = account_of(lines(book))
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
    with Book(again.book) as book:
        account = account_of(lines(book))
    assert (account.recovered, account.bytes > 0, account.by_fidelity["raw"]) == (5, True, 1)


def test_a_person_overrules_the_choice(tmp_path: Path) -> None:
    some = shelves()
    recovered(tmp_path / "a", some)
    for shelf in some:
        shelf.asked.clear()
    again = recovered(tmp_path / "a", some, f"{SITE}=2008-01-01@other", f"{SITE}nothing=2008")
    assert (some[0].asked, some[1].asked) == ([], [SITE])
    assert len(again.choices) == 1
    with Book(again.book) as book:
        home = next(line for line in lines(book) if line.url == SITE)
    assert home.chosen is not None
    assert home.chosen.moment == Moment.parse("2008-01-01")


def test_files_lie_under_their_old_paths_and_nginx_serves_them(done: tuple[Path, Recovered], tmp_path: Path) -> None:
    with Archive(done[0]) as archive, Book(done[1].book) as book:
        made = rehost(archive, lines(book), tmp_path / "host")
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
    shelf = Shelf(Traits("one"))
    shelf.put(SITE, "2009-01-01", page("home", links=[*(f"/{name}" for name in LIVE), "/.well-known/security.txt"]))
    for name in LIVE:
        shelf.put(SITE + name, "2009-01-01", page(f"what was at {name} <?php phpinfo(); ?>"))
    shelf.put(SITE + ".well-known/security.txt", "2009-01-01", b"Contact: mailto:a@b.example", "text/plain")
    done = recovered(tmp_path / "archive", [shelf])
    with Archive(tmp_path / "archive") as archive, Book(done.book) as book:
        rehost(archive, lines(book), tmp_path / "host")
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


def test_a_reconstruction_is_held_against_the_original(done: tuple[Path, Recovered], tmp_path: Path) -> None:
    original = tmp_path / "original"
    truth = Shelf(Traits("truth"))
    truth.put(
        SITE, "2009-05-01", page("home", links=["/x", "/gone", "/list?p=2", "/old", "http://www.lost.example/x/"])
    )
    truth.put(SITE + "x", "2009-05-01", page("x has changed since"))
    truth.put(SITE + "gone", "2009-05-01", page("gone"))
    recovered(original, [truth])
    with Archive(done[0]) as ours, Archive(original) as theirs, Book(done[1].book) as book:
        found = compare(ours, lines(book), theirs, Plan((SITE,)).identity.key)
    difference = found.difference
    assert (difference.identical, difference.changed, difference.missing, difference.added) == (1, 1, 1, 2)
    assert found.losses.s4 == pytest.approx(1 / 3)
    assert 0 < found.score < 1


def test_estimates_of_how_much_there_was() -> None:
    assert chapman(100, 80, 40) == pytest.approx(101 * 81 / 41 - 1)
    assert chao(10, 4, 2, 3) == pytest.approx(10 + 2 / 3 * 4 * 3 / 6)
    overlap = Overlap()
    for names in (["a"], ["a", "b"], ["b"], ["a", "b"]):
        overlap.add(names)
    assert overlap.estimate() == (pytest.approx(4 * 4 / 3 - 1), "Chapman")
    assert Overlap().estimate() == (None, "")


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
    assert path_of(url) == path


@pytest.mark.parametrize("tail", ["a|b?c:d", "con", "x.", "end ", 'q"<>*\\', "lpt1.txt", "?" + "y" * 400])
def test_names_that_windows_can_have(tail: str) -> None:
    for name in path_of(f"http://foo.org:8080/{tail}", windows=True).split("/"):
        assert not set(name) & set('<>:"\\|?*')
        assert name.rstrip(". ") == name
        assert len(name) <= 200
        assert name.partition(".")[0].lower() not in ("con", "lpt1")


def test_other_repositories_go_on_from_what_was_recovered_and_not_finished(tmp_path: Path) -> None:
    one, other = shelves()
    first = recovered(tmp_path / "a", [one], plan=Plan((SITE,), ("one",), most=2, connections=1))
    assert not first.finished
    one.asked.clear()
    second = recovered(tmp_path / "a", [one, other], plan=Plan((SITE,), ("one", "other")))
    assert second.finished
    assert SITE not in one.asked
    with Book(second.book) as book:
        assert account_of(lines(book)).recovered == 5
