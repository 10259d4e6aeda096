"""Our archives before the tools of others, and theirs before ours; each tool runs as a program of its own."""

import contextlib
import gzip
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    findings_of,
    gzipped,
    record,
    record_id,
    sha1,
    webkeep,
)
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webkeep.model import BytesBody, Fate, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive

PEERS = Path(__file__).parents[2] / ".peers"
TOOLS, PYWB = PEERS / "tools/bin", PEERS / "pywb/bin"
WARCIO = Path(sys.executable).parent / "warcio"
PAGE = b"<title>Page</title>" + b"<p>words</p>" * 200
CODED = gzip.compress(PAGE, mtime=0)
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CODED), CODED)
NOISE = os.urandom(1 << 21)
ODD_URLS = [
    "http://example.org/with%20space",
    "http://example.org/ümlaut/日本?q=ä",
    "http://EXAMPLE.org:80/Upper/CASE?B=2&A=1",
    "https://www.example.org/www",
    "http://example.org:8080/port",
    "http://example.org/?z=1&a=2&a=1",
    "http://example.org/a//b/./c/../d",
    "http://example.org/%7Euser/%41%2f?x=%zz",
    "http://example.org/page#fragment",
    "http://user:word@example.org/private",
    "http://192.168.0.1/address",
    "http://xn--bcher-kva.example/",
    "http://example.org/;jsessionid=0123456789ABCDEF0123456789ABCDEF?PHPSESSID=abc",
    "http://example.org/" + "long/" * 300,
    'http://example.org/pipe|quote"less<more>',
]
POSTS = {
    "application/x-www-form-urlencoded": b"b=2&a=1&c=%C3%A4+x",
    "application/json": b'{"name": "value", "list": [1, true, null], "deep": {"name": "again"}}',
    "multipart/form-data; boundary=xx": b'--xx\r\nContent-Disposition: form-data; name="f"\r\n\r\nv w\r\n--xx--\r\n',
    "text/plain": b"plain text",
    "application/octet-stream": bytes(range(256)),
}


def ran(*words: object, cwd: Path | None = None) -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with one of everything."""
    folder = tmp_path_factory.mktemp("ours")
    path = folder / "archive"
    html = head("Content-Type: text/html; charset=utf-8", 'ETag: "p"')
    with WritableArchive.create(path, "Ours", rotate_at=1 << 20) as archive:
        with archive.begin("capture", [SITE]) as capture:
            asked = b"GET /page HTTP/1.1\r\nHost: example.org\r\n\r\n"
            capture.append(exchange(f"{SITE}page", PAGE, MOMENT, asked, head=html, address="127.0.0.1"))
            capture.append(exchange(f"{SITE}same", PAGE, MOMENT.plus(1), asked, head=html))
            capture.append(
                exchange(f"{SITE}page", b"", MOMENT.plus(60), head=head('ETag: "p"', status="304 Not Modified"))
            )
            coded = head("Content-Type: text/html", "Content-Encoding: gzip", "Transfer-Encoding: chunked")
            capture.append(exchange(f"{SITE}coded", CHUNKED, MOMENT.plus(2), head=coded))
            capture.append(exchange(f"{SITE}noise", NOISE, MOMENT.plus(3), head=head("Content-Type: video/mp4")))
            capture.append(exchange(f"{SITE}noise2", NOISE, MOMENT.plus(4), head=head("Content-Type: video/mp4")))
            capture.append(exchange(f"{SITE}empty", b"", MOMENT.plus(5), head=head(status="204 No Content")))
            moved = head("Location: /page", status="301 Moved Permanently")
            capture.append(exchange(f"{SITE}moved", b"", MOMENT.plus(6), head=moved))
            capture.append(exchange(f"{SITE}missing", b"none", MOMENT.plus(7), head=head(status="404 Not Found")))
            capture.append(exchange(f"{SITE}typed", b"x", MOMENT.plus(8), head=head("content-type:TEXT/X ; a=b")))
            for number, url in enumerate(ODD_URLS):
                capture.append(exchange(url, b"odd %d" % number, MOMENT.plus(100 + number)))
                capture.append(exchange(url, b"odd %d" % number, MOMENT.plus(200 + number)))
            for number, (kind, body) in enumerate(POSTS.items()):
                line = f"POST /form HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                answer = exchange(f"{SITE}form", b"%d" % number, MOMENT.plus(300), line, request_body=BytesBody(body))
                capture.append(answer)
            capture.submit_resource(f"{SITE}file.css", MOMENT.plus(400), "text/css", BytesBody(b"p{}"))
            capture.submit_resource(f"{SITE}copy.css", MOMENT.plus(401), "text/css", BytesBody(b"p{}"))
            capture.submit_fates([Fate(f"{SITE}lost", UrlOutcome.FAILED, "timeout")])
        other: dict[str, str | None] = {"WARC-Record-ID": record_id(1)}
        about = [
            record(
                kind, block, other | {"WARC-Payload-Digest": sha1(block), "WARC-Target-URI": url, "Content-Type": media}
            )
            for kind, block, url, media in (
                ("metadata", b'{"a": 1}', f"{SITE}about", "application/json"),
                ("metadata", b"x: y\r\n", SITE, "application/warc-fields"),
                ("resource", b"picture", "urn:view:x", "image/png"),
            )
        ]
        (folder / "about.warc.gz").write_bytes(gzipped(about))
    assert webkeep("import", folder / "about.warc.gz", "--into", path).code == 0
    return path


@pytest.fixture(scope="module")
def exports(ours: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole and parts of it, handed on."""
    folder = tmp_path_factory.mktemp("exports")
    part = ["--url", f"{SITE}noise2", "--match", "exact"]
    for name, option, more in (
        ("all.warc.gz", "--warc", []),
        ("all.wacz", "--wacz", ["--title", "All of it"]),
        ("part.warc.gz", "--warc", ["--since", "20240301120001"]),
        ("part.wacz", "--wacz", ["--since", "20240301120001"]),
        ("one.wacz", "--wacz", part),
    ):
        assert webkeep("export", ours, option, folder / name, *more).code == 0
    return folder


@pytest.mark.parametrize("post", [False, True])
def test_our_index_is_that_of_cdxj_indexer(ours: Path, tmp_path: Path, post: bool) -> None:
    files = sorted((ours / "warcs").iterdir())
    assert len(files) > 1
    theirs = ran(TOOLS / "cdxj-indexer", "--sort", *(["--post-append"] if post else []), *files).splitlines()
    assert webkeep("export", ours, "--cdxj", tmp_path / "ours.cdxj", *(["--post"] if post else [])).code == 0
    lines = (tmp_path / "ours.cdxj").read_text().splitlines()
    assert len(lines) > 50
    assert lines == theirs


def test_the_index_of_plain_files_too(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    with (path / "warcs/plain.warc").open("wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        for number in range(5):
            writer.write_record(_warcio_response(writer, f"{SITE}{number}", b"%d" % number * number))
        for kind in ("metadata", "resource"):  # without a digest, which an index has all the same
            fields = {"WARC-Record-ID": record_id(1), "WARC-Target-URI": f"{SITE}{kind}", "Content-Type": "text/x"}
            stream.write(record(kind, b"block", {**fields}))
    assert webkeep("export", path, "--cdxj", tmp_path / "ours.cdxj").code == 0
    assert (tmp_path / "ours.cdxj").read_text() == ran(TOOLS / "cdxj-indexer", "--sort", path / "warcs/plain.warc")


def test_warcio_finds_nothing_wrong(ours: Path, exports: Path) -> None:
    for file in [*(ours / "warcs").iterdir(), *exports.glob("*.warc.gz")]:
        said = ran(WARCIO, "check", "-v", file)
        assert "digest pass" in said
        assert "fail" not in said


@pytest.mark.parametrize("name", ["all.wacz", "part.wacz", "one.wacz"])
def test_wacz_validate_accepts_ours(exports: Path, name: str) -> None:
    assert "the passed WACZ is valid" in ran(TOOLS / "wacz", "validate", "-f", exports / name)


class Answers(BaseHTTPRequestHandler):
    """A small site to be recorded."""

    protocol_version = "HTTP/1.1"
    pages: ClassVar[dict[str, bytes]] = {
        "/": b'<a href="/a">a</a><a href="/b">b</a>',
        "/a": PAGE,
        "/b": PAGE,
        "/c": NOISE[:50000],
    }

    def do_GET(self) -> None:
        self._answer(self.pages.get(self.path))

    def do_POST(self) -> None:
        self._answer(b"got " + self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes | None) -> None:
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def live() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _warcio_response(writer: WARCWriter, url: str, body: bytes) -> object:
    headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
    return writer.create_warc_record(url, "response", payload=io.BytesIO(body), length=len(body), http_headers=headers)


def test_we_read_what_warcio_writes(tmp_path: Path) -> None:
    with (tmp_path / "theirs.warc.gz").open("wb") as stream:
        writer = WARCWriter(stream, gzip=True, warc_version="1.1")
        writer.write_record(writer.create_warcinfo_record("theirs.warc.gz", {"software": "warcio"}))
        answer = _warcio_response(writer, f"{SITE}a", PAGE)
        asked = writer.create_warc_record(
            f"{SITE}a", "request", http_headers=StatusAndHeaders("GET /a HTTP/1.1", [], is_http_request=True)
        )
        writer.write_request_response_pair(asked, answer)
        digest, date = answer.rec_headers.get_header("WARC-Payload-Digest"), answer.rec_headers.get_header("WARC-Date")  # type: ignore[attr-defined]
        writer.write_record(writer.create_revisit_record(f"{SITE}b", digest, f"{SITE}a", date))
    assert webkeep("import", tmp_path / "theirs.warc.gz", "--into", tmp_path / "archive").code == 0
    with Archive(tmp_path / "archive") as archive:
        first, second = archive.observations()
        assert (first.record_type, first.request is not None) == ("response", True)
        assert (second.record_type, archive.read(second).read()) == ("revisit", PAGE)
    assert findings_of(tmp_path / "archive") == []


@pytest.mark.parametrize("compressed", [True, False])
def test_we_read_what_wget_writes(live: str, tmp_path: Path, compressed: bool) -> None:
    plain = [] if compressed else ["--no-warc-compression"]
    common = ["wget", "-q", "--no-proxy", "-O", "out.tmp", *plain]
    urls = [f"{live}{path}" for path in ("/", "/a", "/c")]
    ran(*common, "--warc-file=first", "--warc-cdx", *urls, cwd=tmp_path)
    ran(*common, "--warc-file=second", "--warc-dedup=first.cdx", *urls, cwd=tmp_path)
    ran(*common, "--warc-file=third", "--post-data=a=1&b=2", f"{live}/form", cwd=tmp_path)
    files = sorted(tmp_path.glob("*.warc*"))
    assert len(files) == 3
    done = webkeep("import", *files, "--into", tmp_path / "archive")
    assert (done.code, done.summary["findings"]) == (0, 0)
    assert findings_of(tmp_path / "archive") == []
    with Archive(tmp_path / "archive") as archive:
        for path, body in (("/a", PAGE), ("/c", NOISE[:50000])):
            seen = list(archive.history(f"{live}{path}"))
            assert [archive.read(each).read() for each in seen] == [body, body]
            assert {each.record_type for each in seen} == {"response", "revisit"}
            assert all(each.request is not None for each in seen)
        (form,) = archive.history(f"{live}/form")
        assert (form.method, archive.read(form).read()) == ("POST", b"got a=1&b=2")
        assert [each.post for each in archive.entries(f"{live}/form")] == ["__wb_method=POST&a=1&b=2"]


@pytest.fixture(scope="module")
def wayback(exports: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """pywb with what we exported as its collections, and one that it records into."""
    folder = tmp_path_factory.mktemp("pywb")
    for name, file in (("whole", "all.warc.gz"), ("part", "part.warc.gz")):
        ran(PYWB / "wb-manager", "init", name, cwd=folder)
        ran(PYWB / "wb-manager", "add", name, exports / file, cwd=folder)
    ran(PYWB / "wb-manager", "init", "recorded", cwd=folder)
    (folder / "config.yaml").write_text("collections:\n  live: $live\nrecorder:\n  source_coll: live\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PYWB / "wayback", "--record", "--live", "-p", str(port), "-b", "127.0.0.1"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}", folder
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    pytest.fail("pywb did not begin to serve")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object) -> None:  # type: ignore[override]
        return None


def fetched(url: str, data: bytes | None = None) -> tuple[int, bytes]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)
    try:
        with opener.open(url, data, timeout=30) as answer:
            body = answer.read()
            return answer.status, gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


SERVED = [
    ("page", 0, 200, PAGE),
    ("same", 1, 200, PAGE),
    ("page", 60, 304, b""),
    ("coded", 2, 200, PAGE),
    ("noise", 3, 200, NOISE),
    ("noise2", 4, 200, NOISE),
    ("missing", 7, 404, b"none"),
    ("file.css", 400, 200, b"p{}"),
    ("copy.css", 401, 200, b"p{}"),
]


@pytest.mark.parametrize(("collection", "first"), [("whole", 0), ("part", 1)])
def test_pywb_serves_ours(wayback: tuple[str, Path], collection: str, first: int) -> None:
    """The part begins after the page that others revisit: one of them has the payload. pywb passes on 304 as it is."""
    server, _ = wayback
    for name, seconds, status, body in SERVED:
        if seconds >= first:
            address = f"{server}/{collection}/{MOMENT.plus(seconds).digits()}id_/{SITE}{name}"
            assert fetched(address) == (status, body), address


def test_we_read_what_pywb_records(wayback: tuple[str, Path], live: str, tmp_path: Path) -> None:
    server, folder = wayback
    for path in ("/", "/a", "/b", "/c", "/nothing"):
        assert fetched(f"{server}/recorded/record/id_/{live}{path}")[0] == (404 if path == "/nothing" else 200)
    assert fetched(f"{server}/recorded/record/id_/{live}/form", b"a=1")[1] == b"got a=1"
    recorded = sorted((folder / "collections/recorded/archive").glob("*.warc.gz"))
    assert recorded
    done = webkeep("import", *recorded, "--into", tmp_path / "archive")
    assert (done.code, done.summary["findings"]) == (0, 0)
    assert findings_of(tmp_path / "archive") == []
    with Archive(tmp_path / "archive") as archive:
        held = {url: payload for url, _, payload in contents_of(archive)}
        assert {each.method for each in archive.history(f"{live}/form")} == {"POST"}
        assert all(each.request is not None for each in archive)
    for path, body in Answers.pages.items():
        assert held[f"{live}{path}"] == body
