"""The pages that a package lists: web pages, once for each content, with their titles as readers saw them."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from webkeep.formats.states import ROOT_STATE, STATE_TYPE, StateNote, state_urn
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Selection, WritableArchive
from webkeep.store.transfer import write_wacz

DAY = Moment.parse("2024-03-01")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
URL = "http://example.org/"


def listed(archive: WritableArchive, selection: Selection) -> list[tuple[str, str]]:
    package = BytesIO()
    _, count = write_wacz(archive, selection, package)
    with ZipFile(package) as opened:
        _, *lines = opened.read("pages/pages.jsonl").decode().splitlines()
    pages = [json.loads(line) for line in lines]
    assert len(pages) == count
    return [(each["url"], each.get("title", "")) for each in pages]


def test_titles_are_those_that_a_script_gave(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("capture", [URL]) as capture:
        capture.append(
            Exchange(URL, DAY, HEAD, BytesBody(b"<title>loading\xe2\x80\xa6</title><script src=a.js></script>"))
        )
        capture.append(Exchange(URL + "plain", DAY, HEAD, BytesBody(b"<title>Plain</title>")))
        for page, title in ((URL, "Tides & times"), (f"{URL}#/story/7", "Story 7")):
            rendered = f"<html><head><title>{title.replace('&', '&amp;')}</title></head><body></body></html>"
            note = StateNote(page, ROOT_STATE, page, DAY, rendered=rendered, capture=capture.id)
            capture.append_resource(f"{note.urn}:dom", "text/html", rendered.encode(), DAY)
            archive.submit_metadata(capture.id, state_urn(page, ROOT_STATE), STATE_TYPE, note.to_block()).result()
        wanted = [(URL, "Tides & times"), (URL + "plain", "Plain"), (f"{URL}#/story/7", "Story 7")]
        assert listed(archive, Selection()) == wanted
        assert listed(archive, Selection(capture=capture.id)) == wanted


def test_a_page_is_listed_once_for_each_content(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("capture", [URL]) as capture:
        for hours, body in enumerate((b"<title>One</title>", b"<title>One</title>", b"<title>Two</title>")):
            capture.append(Exchange(URL, DAY.plus(3600 * hours), HEAD, BytesBody(body)))
        assert listed(archive, Selection()) == [(URL, "One"), (URL, "Two")]
