"""What a recovery says of what came back is true, whoever it came from: errors, parts, what is cut off."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from serve_calls import archive_of, page, served
from warc_material import webkeep

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
