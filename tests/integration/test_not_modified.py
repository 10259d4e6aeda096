"""After updates in which a server sent no more than "not modified", everything still tells what the pages are."""

import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from capture_calls import capture, events
from serve_calls import Client, archive_of, page, served
from small_site import GONE, Page, SmallSite
from warc_material import Done, record, record_id, response, sha1, webkeep

from webkeep.formats.states import ROOT_STATE, STATE_TYPE, StateNote
from webkeep.formats.warc import NOT_MODIFIED_PROFILE
from webkeep.model import Moment
from webkeep.quality.states import read_state_report
from webkeep.replay.words import TextIndex
from webkeep.store.archive import Archive, WritableArchive


def text(words: str, *links: str) -> Page:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return Page(f"<!doctype html><title>{words}</title><p>{words}</p><p>stays</p>{anchors}".encode())


class TaggedSite(SmallSite):
    """A site whose pages have tags, and which sends no type with "not modified", as servers do."""

    def __init__(self) -> None:
        self.pages = {"/": text("harbour", "/tides"), "/tides": text("high water at nine")}
        super().__init__(self._answer)

    def _answer(self, _host: str, path: str) -> Page:
        page = self.pages.get(path, GONE)
        if page is GONE:
            return page
        tag = f'"{hash(page.body) & 0xFFFFFFFF:x}"'
        if self.fields[-1].get("if-none-match") == tag:
            return Page(type="", status=304, headers={"ETag": tag})
        return Page(page.body, page.type, headers={"ETag": tag})


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Done]:
    """A capture, an update that found nothing new, and one that found new words on one page."""
    archive = tmp_path_factory.mktemp("updated") / "archive"
    with TaggedSite() as site:
        assert capture(archive, site.url()).code == 0
        webkeep("update", archive, "--changes")
        site.pages["/tides"] = text("high water at ten")
        done = webkeep("update", archive, "--changes")
        return archive, site.url(""), done


@pytest.fixture(scope="module")
def client(updated: tuple[Path, str, Done]) -> Iterator[Client]:
    with Archive(updated[0]) as opened:
        TextIndex(opened.layout.reports / "words.sqlite").fill(opened)
    with served(updated[0]) as client:
        yield client


DIFFERENCE = ["-high water at nine", "+high water at ten"]


def test_an_update_shows_the_lines_that_changed(updated: tuple[Path, str, Done]) -> None:
    (change,) = events(updated[2], "change")
    assert (change["url"], change["kind"], change["text"]) == (updated[1] + "/tides", "changed", DIFFERENCE)


def test_a_difference_has_lines_on_both_sides(updated: tuple[Path, str, Done], tmp_path: Path) -> None:
    done = webkeep("diff", updated[0], "--html", tmp_path / "changes.html")
    (change,) = events(done, "change")
    assert change["text"] == DIFFERENCE
    assert "It is no text" not in (tmp_path / "changes.html").read_text("utf-8")
    first, second, _ = (each["capture"] for each in events(webkeep("list", updated[0]), "capture"))
    assert webkeep("diff", updated[0], "--from", first, "--to", second).code == 0


def test_a_list_has_status_type_and_size(updated: tuple[Path, str, Done]) -> None:
    seen = events(webkeep("list", updated[0], updated[1] + "/"), "observation")
    told = {(each["status"], each["type"], each["size"], each["held"]) for each in seen}
    assert told == {(200, "text/html", len(text("harbour", "/tides").body), True)}
    assert [each["not_modified"] for each in seen] == [False, True, True]
    shown = webkeep("list", updated[0], updated[1] + "/", as_json=False).out.decode()
    assert shown.count("revisit (304)") == 2


def test_a_fact_sheet_tells_the_page_and_that_nothing_was_sent(updated: tuple[Path, str, Done]) -> None:
    shown = webkeep("show", updated[0], updated[1] + "/", as_json=False).out.decode()
    assert "200 OK" in shown
    assert "text/html" in shown
    assert "the server said that nothing was modified (304)" in shown


def test_a_cdx_server_tells_status_and_type(client: Client, updated: tuple[Path, str, Done]) -> None:
    rows = client.ask(f"/cdx?url={updated[1]}/&fl=statuscode,mimetype").body.decode().splitlines()
    assert rows == ["200 text/html"] * 3
    assert len(client.ask(f"/cdx?url={updated[1]}/&filter=statuscode:200").body.splitlines()) == 3


def test_a_history_tells_status_and_type(client: Client, updated: tuple[Path, str, Done]) -> None:
    shown = client.ask(f"/history/{updated[1]}/").body.decode()
    assert shown.count("<td>200</td>") == 3
    assert "304" not in shown.partition("<h2>Versions")[2]


def test_pages_of_a_package_have_their_titles(updated: tuple[Path, str, Done], tmp_path: Path) -> None:
    latest = events(webkeep("list", updated[0]), "capture")[-1]["capture"]
    assert webkeep("export", updated[0], "--capture", latest, "--wacz", tmp_path / "site.wacz").code == 0
    with ZipFile(tmp_path / "site.wacz") as package:
        lines = package.read("pages/pages.jsonl").decode().splitlines()[1:]
    titles = {each["url"].removeprefix(updated[1]): each["title"] for each in map(json.loads, lines)}
    assert titles == {"/": "harbour", "/tides": "high water at ten"}


def test_words_are_found_wherever_a_page_has_them(tmp_path: Path) -> None:
    """The second page has the bytes of the first, and is stored as a revisit of it."""
    body = "<!doctype html><title>buoys</title><p>lighthouse"
    exchanges = [page(f"http://example.org/{name}", f"2024030{day}", body) for day, name in ((1, "one"), (2, "two"))]
    path = archive_of(tmp_path / "archive", *exchanges)
    with Archive(path) as opened:
        words = TextIndex(opened.layout.reports / "words.sqlite")
        assert words.fill(opened) == 2
        assert words.fill(opened) == 0
    assert {hit.url for hit in words.search("lighthouse")} == {"http://example.org/one", "http://example.org/two"}


def test_words_are_found_in_what_was_not_modified(tmp_path: Path) -> None:
    """All that is held of a page is that it was not modified, with the digest of what another page has too."""
    url, twin = "http://example.org/", "http://example.org/twin"
    body = b"<!doctype html><title>buoys</title><p>lighthouse"
    told = {"WARC-Record-ID": record_id(2), "WARC-Target-URI": url, "WARC-Payload-Digest": sha1(body),
            "WARC-Profile": NOT_MODIFIED_PROFILE, "Content-Type": "application/http; msgtype=response"}  # fmt: skip
    revisit = record("revisit", b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', told)
    (tmp_path / "other.warc").write_bytes(response(1, twin, body) + revisit)
    assert webkeep("import", tmp_path / "other.warc", "--into", tmp_path / "archive").code == 0
    with Archive(tmp_path / "archive") as opened:
        assert [each.not_modified for each in opened.history(url)] == [True]
        words = TextIndex(opened.layout.reports / "words.sqlite")
        assert words.fill(opened) == 2
    assert {hit.url: hit.title for hit in words.search("lighthouse")} == {url: "buoys", twin: "buoys"}


def test_a_search_is_answered_out_of_what_was_updated(client: Client, updated: tuple[Path, str, Done]) -> None:
    shown = client.ask("/search?q=harbour").body.decode()
    assert f"{updated[1]}/" in shown
    with Archive(updated[0]) as opened:
        hits = TextIndex(opened.layout.reports / "words.sqlite").search("high water")
    assert [(hit.url, hit.title) for hit in hits] == [(updated[1] + "/tides", "high water at ten")]


def test_a_report_has_the_sizes_of_what_was_not_modified(tmp_path: Path) -> None:
    """A page was run again and everything it needs was answered with "not modified"."""
    url, picture, tag = "http://example.org/", "http://example.org/a.png", 'ETag: "1"\r\n'
    sizes = []
    for status, kinds, bodies in (
        ("200 OK", ("text/html", "image/png"), (b"<p>" * 50, bytes(3000))),
        ("304 Not Modified", ("", ""), (b"", b"")),
    ):
        day = f"2024030{len(sizes) + 1}"
        with WritableArchive.open_or_create(tmp_path / "archive") as archive, archive.begin("capture") as capture:
            for each, kind, body in zip((url, picture), kinds, bodies, strict=True):
                capture.submit(page(each, day, body, kind, status, tag)).result()
            note = StateNote(url, ROOT_STATE, url, Moment.parse(day), rendered="<p>", resources=(url, picture),
                             capture=capture.id)  # fmt: skip
            archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block()).result()
        with Archive(tmp_path / "archive") as opened:
            report, _ = read_state_report(opened, capture.id)
        sizes.append((report.storage_others.by_level, report.storage_others.resource_bytes))
    assert sizes == [({0: 3150}, 1575.0)] * 2


def test_a_certificate_counts_pages_that_were_not_modified_as_pages(updated: tuple[Path, str, Done]) -> None:
    for told in events(webkeep("list", updated[0]), "capture"):
        certified = webkeep("certify", updated[0], "--capture", told["capture"], "--no-verify").summary
        assert (certified["pages"]["resources"], certified["embeds"]["resources"]) == (2, 0)


def test_copies_have_what_was_not_modified(updated: tuple[Path, str, Done], tmp_path: Path) -> None:
    second = events(webkeep("list", updated[0]), "capture")[1]["capture"]
    assert webkeep("mirror", updated[0], tmp_path / "copy", "--capture", second).code == 0
    pages = {each.name: each.read_text("utf-8") for each in (tmp_path / "copy").rglob("*.html")}
    assert any("high water at nine" in each for each in pages.values())
