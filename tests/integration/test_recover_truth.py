"""What a recovery says of what came back is true, whoever it came from: errors, parts, what is cut off."""

import http.server
import json
import random
import re
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from serve_calls import archive_of, page, served
from warc_material import gzipped, http as message, response, webkeep

from webkeep.memento import format_http_date
from webkeep.model import Moment
from webkeep.store.archive import Archive

SITE = "http://lost.example/"
NAMES = ["broken", "moved", "p", "soft", "only-soft", "part", "gone", "broke"]
HOME = "<title>home</title>" + "".join(f"<a href=/{name}>{name}</a>" for name in NAMES)
SOFT = "<title>404 page not found</title>no"
EXCHANGES = [
    page(SITE, "2010-01-01", HOME),
    page(SITE, "2011-01-01", "<title>bye</title>", status="410 Gone"),
    page(f"{SITE}broken", "2010-01-01", "<title>b</title>", status="500 Internal Server Error"),
    page(f"{SITE}moved", "2010-01-01", status="301 Moved Permanently", head="Location: /p\r\n"),
    page(f"{SITE}p", "2010-01-01", "<title>p</title>"),
    page(f"{SITE}soft", "2009-01-01", "<title>soft</title>"),
    page(f"{SITE}soft", "2010-06-01", SOFT),
    page(f"{SITE}only-soft", "2010-06-01", SOFT),
    page(f"{SITE}part", "2010-01-01", "0123456789", status="206 Partial", head="Content-Range: bytes 0-9/99\r\n"),
    page(f"{SITE}gone", "2010-01-01", "<title>n</title>", status="404 Not Found"),
    page(f"{SITE}broke", "2009-01-01", "<title>o</title>"),
    page(f"{SITE}broke", "2010-01-01", "<title>o</title>", status="500 Oops"),
]
BACK = {"": 200, "moved": 301, "p": 200, "soft": 200, "part": 206, "broke": 200}
MISSING = {
    "broken": "held only as an error (500)",
    "gone": "held only as an error (404)",
    "only-soft": "held only as a page that says it is not there",
}


@dataclass
class Recovered:
    code: int
    facts: dict[str, Any]
    said: str
    lines: dict[str, dict[str, Any]]
    """What the summary says, by URL."""
    statuses: dict[str, int | None]


def recover(into: Path, *words: object) -> Recovered:
    done = webkeep("recover", *words, "--into", into, "--ledger", into.parent / "ledger.sqlite")
    told = [json.loads(line) for line in Path(done.summary["summary_json"]).read_text("utf-8").splitlines()]
    with Archive(into) as archive:
        statuses = {each.url: each.status for each in archive.observations() if each.url.startswith("http")}
    return Recovered(done.code, done.summary, done.err, {line["url"]: line for line in told}, statuses)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The same archive, as each kind of repository."""
    folder = tmp_path_factory.mktemp("held")
    archive = archive_of(folder / "archive", *EXCHANGES)
    webkeep("export", archive, "--wacz", folder / "a.wacz")
    webkeep("export", archive, "--warc", folder / "a.warc.gz")
    with served(archive) as client:
        yield {
            "archive": f"archive={archive}",
            "warc": str(folder / "a.warc.gz"),
            "wacz": str(folder / "a.wacz"),
            "cdx": f"cdx={client.root}/cdx limit=1000/second",
            "memento": f"memento={client.root}/ limit=1000/second",
        }


@pytest.mark.parametrize("policy", ["sparing", "exhaustive"])
@pytest.mark.parametrize("kind", ["archive", "warc", "wacz", "cdx", "memento"])
def test_all_kinds_of_repositories_give_the_same(
    sources: dict[str, str], kind: str, policy: str, tmp_path: Path
) -> None:
    got = recover(tmp_path / "r", SITE, "--from", sources[kind], "--policy", policy)
    assert got.statuses == {SITE + name: status for name, status in BACK.items()}
    reasons = {url: line["reason"] for url, line in got.lines.items() if line["outcome"] == "missing"}
    assert reasons == {SITE + name: reason for name, reason in MISSING.items()}
    assert (got.code, got.facts["recovered"], got.facts["missing"], got.facts["truncated"]) == (1, 6, 3, 1)


@pytest.mark.parametrize("kind", ["archive", "warc", "wacz", "cdx", "memento"])
def test_a_page_that_is_held_as_an_error_too_is_back_as_it_was(
    sources: dict[str, str], kind: str, tmp_path: Path
) -> None:
    got = recover(tmp_path / "r", SITE, "--scope", "page", "--from", sources[kind])
    assert (got.code, got.statuses) == (0, {SITE: 200})


@pytest.mark.parametrize("kind", ["archive", "memento"])
def test_errors_are_refused_though_all_else_is_trusted(sources: dict[str, str], kind: str, tmp_path: Path) -> None:
    got = recover(tmp_path / "r", f"{SITE}only-soft", f"{SITE}gone", "--trust-all", "--from", sources[kind])
    assert got.statuses[f"{SITE}only-soft"] == 200
    assert f"{SITE}gone" not in got.statuses


OLDER, NEWER = "2023-01-01T00:00:00Z", "2024-03-01T12:00:00Z"
LARGE = random.Random(7).randbytes(300_000)


def held(number: int, url: str, body: bytes, date: str = NEWER, length: bool = True) -> bytes:
    fields = [f"Content-Length: {len(body)}"] if length else []
    return response(number, url, body, block=message(body, *fields), WARC_Date=date)


HELD_HOME = held(1, SITE, b"<title>home</title><a href=/x>x</a>")
HELD_OLD = held(2, f"{SITE}x", b"<title>x</title>as it was before", OLDER)
CUT: dict[str, tuple[str, bytes]] = {
    "plain": ("a.warc", (HELD_HOME + held(3, f"{SITE}x", b"<title>x</title>and some more"))[:-16]),
    "gzip": ("a.warc.gz", gzipped([HELD_HOME, held(3, f"{SITE}x", b"<title>x</title>and some more")])[:-14]),
    "gzip without a length": (
        "a.warc.gz",
        gzipped([HELD_HOME, held(3, f"{SITE}x", b"<title>x</title>and so on " * 9, length=False)])[:-14],
    ),
    "large": ("a.warc.gz", gzipped([HELD_HOME, held(3, f"{SITE}x", LARGE)])[:-20_000]),
    "chunked": (
        "a.warc",
        HELD_HOME
        + response(3, f"{SITE}x", b"", block=message(b"20\r\n<title>x</title>", "Transfer-Encoding: chunked")),
    ),
}


@pytest.mark.parametrize("name", CUT)
def test_what_is_cut_off_is_told_so(tmp_path: Path, name: str) -> None:
    file, data = CUT[name]
    (tmp_path / file).write_bytes(data)
    got = recover(tmp_path / "r", SITE, "--from", tmp_path / file)
    assert (got.code, got.facts["truncated"], got.lines[f"{SITE}x"]["truncated"]) == (1, 1, True)
    assert webkeep("show", tmp_path / "r", f"{SITE}x").summary["truncated"]
    assert "00000-" not in got.said + json.dumps(got.facts)


@pytest.mark.parametrize("policy", ["sparing", "exhaustive"])
@pytest.mark.parametrize("name", ["plain", "gzip", "large"])
def test_a_whole_version_goes_before_a_newer_one_that_is_cut_off(tmp_path: Path, name: str, policy: str) -> None:
    file, data = CUT[name]
    (tmp_path / file).write_bytes(data)
    (tmp_path / "old.warc").write_bytes(HELD_OLD)
    got = recover(tmp_path / "r", SITE, "--policy", policy, "--from", tmp_path / file, "--from", tmp_path / "old.warc")
    chosen = got.lines[f"{SITE}x"]
    assert (chosen["moment"], chosen["truncated"], got.facts["truncated"]) == (OLDER, False, 0)


def test_a_record_of_which_only_the_head_is_left_is_not_back(tmp_path: Path) -> None:
    whole = held(3, f"{SITE}x", b"0123456789")
    (tmp_path / "a.warc").write_bytes((HELD_HOME + whole)[: -4 - 10])
    got = recover(tmp_path / "r", SITE, "--from", tmp_path / "a.warc")
    assert (got.code, got.facts["recovered"], got.facts["missing"]) == (1, 1, 1)
    assert got.lines[f"{SITE}x"]["reason"] == "held only as a response of which only the head is left"


@pytest.mark.parametrize("as_folder", [False, True])
@pytest.mark.parametrize("kind", ["warc.gz", "wacz"])
def test_findings_name_the_file_that_a_person_has(tmp_path: Path, kind: str, as_folder: bool) -> None:
    data = CUT["gzip"][1]
    folder = tmp_path / "mine"
    folder.mkdir()
    if kind == "wacz":
        with zipfile.ZipFile(folder / "lost.wacz", "w") as package:
            package.writestr("archive/data.warc.gz", data)
            package.writestr("datapackage.json", "{}")
    else:
        (folder / "lost.warc.gz").write_bytes(data)
    source = folder if as_folder else folder / f"lost.{kind}"
    done = webkeep("recover", SITE, "--from", source, "--into", tmp_path / "r", as_json=False)
    (line,) = [line for line in done.lines if "[corrupt]" in line]
    name = "lost, data.warc.gz" if as_folder and kind == "wacz" else f"lost.{kind}"
    assert line.startswith(str(folder)) and name in line and "00000" not in line


def test_a_site_that_only_leads_away_is_not_back(tmp_path: Path) -> None:
    away = page(SITE, "2010-01-01", status="301 Moved", head="Location: http://elsewhere.example/\r\n")
    archive = archive_of(tmp_path / "a", away)
    got = recover(tmp_path / "r", SITE, "--from", archive)
    assert (got.code, got.facts["recovered"], got.facts["redirects"]) == (1, 1, 1)
    said = webkeep("recover", SITE, "--from", archive, "--into", tmp_path / "s", as_json=False)
    assert "of those back 1 only leads elsewhere" in said.out.decode() + said.err


def test_a_home_page_that_says_it_is_not_there_gives_way_to_one_that_is(tmp_path: Path) -> None:
    archive = archive_of(
        tmp_path / "a",
        page(SITE, "2008-01-01", "<title>Lost</title>"),
        *(page(SITE, f"20{year:02}-01-01", SOFT) for year in range(10, 20)),
    )
    got = recover(tmp_path / "r", SITE, "--from", archive)
    assert got.lines[SITE]["moment"].startswith("2008")


def test_a_home_page_is_taken_at_its_word_only_with_a_word_about_it(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "a", page(SITE, "2010-01-01", SOFT))
    said = webkeep("recover", SITE, "--from", archive, "--into", tmp_path / "r", as_json=False)
    assert f"{SITE} is back as a page that says it is not there; no other version came" in said.lines


def test_a_seed_that_is_no_home_page_is_refused_like_any_other(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "a", page(f"{SITE}q", "2010-01-01", SOFT))
    got = recover(tmp_path / "r", f"{SITE}q", "--from", archive)
    assert (got.code, got.facts["recovered"]) == (1, 0)


def test_a_file_that_could_not_all_be_read_is_no_success(tmp_path: Path) -> None:
    torn = gzipped([HELD_HOME.replace(b"<a href=/x>x</a>", b"and that is all"), HELD_OLD])
    (tmp_path / "a.warc.gz").write_bytes(torn[:-200] + bytes(100) + torn[-100:])
    got = recover(tmp_path / "r", SITE, "--from", tmp_path / "a.warc.gz")
    assert (got.code, got.facts["recovered"], got.facts["missing"]) == (1, 1, 0)
    assert got.facts["findings"] > 0


def test_a_package_without_its_records_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as package:
        package.writestr("datapackage.json", json.dumps({"resources": [{"path": "archive/data.warc.gz"}]}))
    said = webkeep("recover", SITE, "--from", tmp_path / "a.wacz", "--into", tmp_path / "r", as_json=False)
    assert said.code == 1
    assert any("'archive/data.warc.gz' is in the manifest and not in the ZIP file" in line for line in said.lines)


def test_an_index_in_a_package_may_be_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as package:
        package.writestr("archive/data.warc.gz", gzipped([HELD_HOME, held(3, f"{SITE}x", b"<title>x</title>")]))
        package.writestr("indexes/index.cdx.gz", b"\xff\0 damaged")
        package.writestr("datapackage.json", "[" * 100_000)
    got = recover(tmp_path / "r", SITE, "--from", tmp_path / "a.wacz")
    assert (got.code, got.facts["recovered"], got.facts["missing"]) == (0, 2, 0)


class _Cutting(http.server.BaseHTTPRequestHandler):
    """An archive whose newest version breaks off on its way; the server says which versions there are."""

    def do_GET(self) -> None:
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        years = self.server.years  # type: ignore[attr-defined]
        if "/timemap/" in self.path:
            mementos = (
                f'<{url}/web/{year}0101000000/{SITE}>; rel="memento"; datetime="{_new_year(year)}"' for year in years
            )
            self._send(",\n".join([f'<{SITE}>; rel="original"', *mementos]).encode())
        elif match := re.search(r"/(20\d\d)0101000000", self.path):
            body = f"<title>{match[1]}</title>".encode()
            self.server.breaks -= int(match[1]) == max(years)  # type: ignore[attr-defined]
            missing = 100 if int(match[1]) == max(years) and self.server.breaks >= 0 else 0  # type: ignore[attr-defined]
            self._send(body, missing, ("Memento-Datetime", _new_year(int(match[1]))))
        else:
            self.send_response(302)
            self.send_header("Location", f"{url}/web/{max(years)}0101000000/{SITE}")
            self.end_headers()

    def _send(self, body: bytes, missing: int = 0, *fields: tuple[str, str]) -> None:
        self.send_response(200)
        for name, value in (("Content-Type", "text/html"), ("Content-Length", str(len(body) + missing)), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _new_year(year: int) -> str:
    return format_http_date(Moment.parse(f"{year}-01-01"))


@pytest.mark.parametrize("scope", ["page", "prefix"])
@pytest.mark.parametrize(
    ("years", "breaks", "code", "taken"),
    [((2010,), 99, 1, "2010"), ((2009, 2010), 99, 0, "2009"), ((2009, 2010), 1, 0, "2010")],
)
def test_what_breaks_off_on_its_way_again_and_again_is_cut_off(
    years: tuple[int, ...], breaks: int, code: int, taken: str, scope: str, tmp_path: Path
) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Cutting) as server:
        server.years, server.breaks = years, breaks  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}"
            source = f"memento={url}/ limit=1000/second timemap={url}/timemap/{{url}} timegate={url}/gate/{{url}}"
            got = recover(tmp_path / "r", SITE, "--scope", scope, "--from", source)
        finally:
            server.shutdown()
            thread.join()
    assert (got.code, got.lines[SITE]["moment"][:4], got.facts["truncated"]) == (code, taken, code)
