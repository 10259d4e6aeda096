"""Jobs that are no captures, from the start page: evidence with its package, files that people bring, bookmarks."""

import io
import zipfile
from pathlib import Path

from dashboard_calls import DashboardClient, PageAnswer, dashboard
from small_site import Page, SmallSite, linking
from test_dashboard_captures import begin, made, watch
from warc_material import webkeep

from webkeep.service.collections import RefusedLine, SeedEntry, is_bookmark_file, read_bookmarks

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><DL><p><DT><H3>Folder</H3><DL><p>
<DT><A HREF="https://example.org/a?x=1&amp;y=2" ADD_DATE="1">Tide &amp; time</A>
<DT><A HREF="javascript:alert(1)">a script</A>
<DT><A HREF="http://[/">broken</A>
</DL><p></DL>"""
FIREFOX = '{"type": "text/x-moz-place-container", "children": [{"uri": "https://example.org/b", "title": "B"}, 5]}'
CHROMIUM = '{"checksum": "x", "roots": {"bar": {"children": [{"url": "https://example.org/c", "name": "C"}]}}}'


def send_file(client: DashboardClient, path: str, page: PageAnswer, name: str, content: bytes) -> PageAnswer:
    fields = {each: page.field(each) for each in ("csrf_token", "submission")}
    parts = [
        f'--edge\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n' for key, text in fields.items()
    ]
    head = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + content + b"\r\n--edge--\r\n"
    return client.ask(path, "POST", body, content_type="multipart/form-data; boundary=edge")


def test_a_file_of_records_is_imported_once_by_a_job(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/one"), "/one": Page(b"one")}) as site:
        assert webkeep("capture", site.url("/"), "--into", tmp_path / "kept").code == 0
    assert webkeep("export", tmp_path / "kept", "--warc", tmp_path / "one.warc.gz").code == 0
    content = (tmp_path / "one.warc.gz").read_bytes()
    with dashboard(tmp_path / "service") as client:
        client.enter()
        page = client.ask("/")
        sent = [send_file(client, "/uploads", page, "../one.warc.gz", content) for _ in range(2)]
        assert sent[0].status == 303 and sent[0].headers["location"] == sent[1].headers["location"]
        job = sent[0].headers["location"]
        assert 'data-state="done"' in watch(client, job)
        shown = client.ask(job)
        assert "<strong>" in shown.text and "See it" in shown.text
        assert not list((tmp_path / "service" / "uploads").iterdir())
        refused = send_file(client, "/uploads", client.ask("/"), "<b>.txt", b"no records")
        assert refused.status == 400 and "<b>" not in refused.text
        torn = send_file(client, "/uploads", client.ask("/"), "torn.warc.gz", content[:-200])
        assert 'data-state="done"' in watch(client, torn.headers["location"])
        assert "did not come in" in client.ask(torn.headers["location"]).text
        assert client.ask("/jobs").text.count('<td class="first">') == 2


def test_evidence_of_a_page_has_its_cover_sheet_and_package(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<title>Proof</title>proven")}) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        job = begin(client, site, preset="evidence", delay="0")
        assert 'data-state="done"' in watch(client, job)
        assert "Cover sheet" in client.ask(job).text
        cover = client.ask(f"{job}/evidence")
        assert cover.status == 200 and cover.headers["content-security-policy"].startswith("sandbox")
        with zipfile.ZipFile(io.BytesIO(made(client, f"{job}/evidence.zip").body)) as pack:
            assert any(name.endswith("cover.html") for name in pack.namelist())
        assert client.ask("/collections/main").text.count("0 seeds") == 1


def test_what_is_lost_is_recovered_out_of_what_is_named(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<title>Lost</title>found")}) as site:
        assert webkeep("capture", site.url("/"), "--into", tmp_path / "held").code == 0
        with dashboard(tmp_path / "service") as client:
            client.enter()
            assert client.send("/start", client.ask("/"), url=site.url("/"), preset="recover").status == 400
            job = begin(client, site, preset="recover", repositories=f"archive={tmp_path / 'held'}")
            assert 'data-state="done"' in watch(client, job)


def test_bookmarks_of_browsers_are_read() -> None:
    found = list(read_bookmarks(BOOKMARKS))
    assert found[0] == SeedEntry("https://example.org/a?x=1&y=2", notes="Tide & time")
    assert isinstance(found[1], RefusedLine) and len(found) == 2
    for text, url, title in ((FIREFOX, "https://example.org/b", "B"), (CHROMIUM, "https://example.org/c", "C")):
        assert is_bookmark_file(text) and list(read_bookmarks(text)) == [SeedEntry(url, notes=title)]
    assert is_bookmark_file(BOOKMARKS) and not is_bookmark_file("url,notes\n") and not is_bookmark_file("<opml>")
    assert list(read_bookmarks('{"roots": ' + "[" * 900 + "]" * 900 + "}")) == []


def test_bookmarks_that_are_brought_to_the_start_page_become_seeds(tmp_path: Path) -> None:
    with dashboard(tmp_path / "service") as client:
        client.enter()
        taken = send_file(client, "/uploads", client.ask("/"), "bookmarks.html", BOOKMARKS.encode())
        assert taken.status == 200 and "1 seeds taken in" in taken.text and "1 lines were refused" in taken.text
        assert "https://example.org/a?x=1&amp;y=2" in client.ask("/collections/main").text
        taken = send_file(client, "/uploads", client.ask("/"), "list.csv", b"url,depth\nhttps://example.org/b,2\n")
        assert (taken.status, taken.headers["location"]) == (303, "/collections/main")
        assert "2 seeds" in client.ask("/collections/main").text
        refused = send_file(client, "/uploads", client.ask("/"), "x.png", b"\x89PNG\r\n\x00\x00 https://example.org/c")
        assert refused.status == 400 and "has no records in it" in refused.text
