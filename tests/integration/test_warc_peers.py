"""WARC files of other tools before our reader, and ours before theirs."""

import gzip
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import WarcReader, WarcRecord
from webkeep.model import BytesBody, Exchange, Fate, Moment, UrlOutcome
from webkeep.store.archive import WritableArchive

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of its own older names
    from fastwarc.stream_io import GzipWriter, ZstdWriter, zstd_train_dictionary_from_samples
    from fastwarc.warc import ArchiveIterator as FastIterator, WarcRecord as FastWarcRecord, WarcRecordType

WARCIO = Path(sys.executable).parent / "warcio"
NOISE = random.Random(5).randbytes(3_000_000)
BODIES = [b"", b"short", b"<p>text</p>" * 500, NOISE[:70_000], b"\r\n\r\nWARC/1.0\r\nWARC-Type: lure\r\n\r\n"]
MOMENT = Moment.parse("2024-03-01T12:00:00Z")


def ours(path: Path) -> Iterator[WarcRecord]:
    with path.open("rb") as stream:
        yield from WarcReader(stream, path.name, Flaws(Strictness.FAIL))


def whole(path: Path) -> list[tuple[str, str, bytes, int, int]]:
    found = []
    for record in ours(path):
        block = record.read()
        record.finish()
        assert record.intact
        found.append((record.type, record.url, block, record.offset, record.length))
    return found


# warcio writes, we read


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("compressed", [True, False])
def test_we_read_what_warcio_writes(tmp_path: Path, version: str, compressed: bool) -> None:
    path = tmp_path / "theirs.warc"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=compressed, warc_version=version)
        writer.write_record(writer.create_warcinfo_record("theirs.warc", {"software": "a tool", "text": "é"}))
        for number, body in enumerate(BODIES):
            url = f"http://example.org/{number}"
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            response = writer.create_warc_record(
                url, "response", payload=BytesIO(body), length=len(body), http_headers=headers
            )
            asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
            request = writer.create_warc_record(url, "request", http_headers=asked)
            writer.write_request_response_pair(request, response)
        digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
        writer.write_record(writer.create_revisit_record(f"{url}?", digest, url, "2024-03-01T12:00:00Z", headers))
        writer.write_record(writer.create_warc_record("urn:x", "metadata", payload=BytesIO(b"a: b"), length=4))
    found = whole(path)
    with path.open("rb") as stream:
        peer = ArchiveIterator(stream, no_record_parse=True)
        expected = [(each.rec_type, each.raw_stream.read(), peer.get_record_offset()) for each in peer]
    assert [(kind, block, offset) for kind, _, block, offset, _ in found] == expected
    assert len(found) == 2 * len(BODIES) + 3
    assert found[-1][3] + found[-1][4] == path.stat().st_size


# fastwarc writes, we read


def fast_records() -> Iterator[FastWarcRecord]:
    for number, body in enumerate(BODIES):
        record = FastWarcRecord()
        record.init_headers(WarcRecordType.resource)
        record.headers["WARC-Target-URI"] = f"http://example.org/{number}"
        record.set_bytes_content(body)
        yield record


def written_plain(path: Path) -> None:
    with path.open("wb") as stream:
        for record in fast_records():
            record.write(stream, checksum_data=True)


def written_gzip(path: Path) -> None:
    writer = GzipWriter(str(path))
    for record in fast_records():
        record.write(writer, checksum_data=True)
        writer.finish()
    writer.close()


def written_zstd(path: Path, dictionary: bytes | None = None, pack_dictionary: bool = False) -> None:
    writer = ZstdWriter(str(path), dictionary=dictionary, compress_dictionary_frame=pack_dictionary)
    for record in fast_records():
        record.write(writer, checksum_data=True)
        writer.finish()
    writer.close()


def trained() -> bytes:
    samples = [
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://example.org/%d\r\n" % n * 3 for n in range(500)
    ]
    dictionary = zstd_train_dictionary_from_samples(samples, 4096)
    assert isinstance(dictionary, bytes)
    return dictionary


@pytest.mark.parametrize(
    "write",
    [
        written_plain,
        written_gzip,
        written_zstd,
        lambda path: written_zstd(path, trained()),
        lambda path: written_zstd(path, trained(), pack_dictionary=True),
    ],
    ids=["plain", "gzip", "zstd", "zstd with a dictionary", "zstd with a compressed dictionary"],
)
def test_we_read_what_fastwarc_writes(tmp_path: Path, write: object) -> None:
    assert callable(write)
    path = tmp_path / "theirs.warc"
    write(path)
    found = whole(path)
    assert [(url, block) for _, url, block, _, _ in found] == [
        (f"http://example.org/{number}", body) for number, body in enumerate(BODIES)
    ]
    assert all(length > 0 for *_, length in found)
    for (_, _, _, offset, length), following in pairwise(found):
        assert offset + length == following[3]
    assert found[-1][3] + found[-1][4] == path.stat().st_size


# wget writes, we read


PAGES = {"/": b'<a href="/two">two</a><img src="/noise">', "/two": b"<p>two</p>" * 300, "/noise": NOISE[:50_000]}


class Site(BaseHTTPRequestHandler):
    """Two pages, one of them chunked, and a picture."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = PAGES.get(self.path, b"nothing here")
        self.send_response(200 if self.path in PAGES else 404)
        self.send_header("Content-Type", "image/png" if self.path == "/noise" else "text/html")
        chunked = self.path == "/two"
        self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body)))))
        self.end_headers()
        self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("compressed", [True, False])
def test_we_read_what_wget_writes(tmp_path: Path, site: str, compressed: bool) -> None:
    options = ["--recursive", "--page-requisites", "--no-verbose", "--no-proxy", "--warc-file=theirs"]
    if not compressed:
        options.append("--no-warc-compression")
    subprocess.run(["wget", *options, f"{site}/"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    path = tmp_path / ("theirs.warc.gz" if compressed else "theirs.warc")
    found = whole(path)
    responses = {url.strip("<>"): block for kind, url, block, _, _ in found if kind == "response"}
    for page, body in PAGES.items():
        assert body in responses[site + page]
    assert found[0][0] == "warcinfo"
    assert {kind for kind, *_ in found} >= {"request", "response", "metadata", "resource"}
    assert found[-1][3] + found[-1][4] == path.stat().st_size


# we write, others read


def head(*fields: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode()


def exchanges() -> Iterator[Exchange]:
    text = b"<p>Tides and ferries.</p>" * 400
    packed = gzip.compress(text, mtime=0)
    chunked = (
        b"".join(b"%x;x=y\r\n%s\r\n" % (len(part), part) for part in (packed[:50], packed[50:])) + b"0\r\nA: b\r\n\r\n"
    )
    bodies = {
        "empty": ((), b""),
        "text": (("Content-Type: text/html", 'ETag: "1"'), text),
        "gzip": (("Content-Encoding: gzip",), packed),
        "chunked": (("Transfer-Encoding: chunked", "Content-Encoding: gzip"), chunked),
        "noise": (("Content-Type: image/png",), NOISE[:200_000]),
        "large-noise": (("Content-Type: video/mp4",), NOISE),
        "large-text": (("Content-Type: text/plain",), text * 300),
        "zeros": (("Content-Type: text/plain",), bytes(2_000_000)),
    }
    for name, (fields, body) in bodies.items():
        url = f"http://example.org/{name}"
        asked = f"GET /{name} HTTP/1.1\r\nHost: example.org\r\n\r\n".encode()
        yield Exchange(url, MOMENT, head(*fields), BytesBody(body), asked, address="127.0.0.1", protocols=("http/1.1",))
        yield Exchange(f"{url}?again", MOMENT.plus(60), head(*fields), BytesBody(body), asked)
    yield Exchange("http://example.org/text", MOMENT.plus(90), head('ETag: "1"', status="304 Not Modified"))
    post = b"POST /form HTTP/1.1\r\nHost: example.org\r\nContent-Type: application/json\r\n\r\n"
    yield Exchange("http://example.org/form", MOMENT, head(), BytesBody(b"ok"), post, BytesBody(b'{"a": 1}'))
    yield Exchange("http://example.org/cut", MOMENT, head(), BytesBody(b"begi"), truncated="disconnect")


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    with WritableArchive.create(tmp_path / "archive") as archive:
        with archive.begin("capture", ["http://example.org/"], {"software": "test é"}) as capture:
            for exchange in exchanges():
                capture.append(exchange)
            for name, body in (("a.txt", b"a file"), ("b.txt", b"a file"), ("c", b""), ("d", NOISE[:1_500_000])):
                capture.submit_resource(f"http://example.org/{name}", MOMENT, "text/plain", BytesBody(body)).result()
            capture.submit_fates([Fate("http://example.org/x", UrlOutcome.REFUSED, "robots.txt")])
        (path,) = archive.layout.warcs.iterdir()
    return path


def test_warcio_check_finds_nothing_wrong(warc: Path) -> None:
    done = subprocess.run([WARCIO, "check", "-v", warc], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "digest failed" not in done.stdout
    assert done.stdout.count("digest pass") >= 30


def test_others_see_the_records_we_see(warc: Path) -> None:
    found = whole(warc)
    kinds = {kind for kind, *_ in found}
    assert kinds == {"warcinfo", "response", "request", "revisit", "resource", "metadata"}
    with warc.open("rb") as stream:
        peer = ArchiveIterator(stream, no_record_parse=True)
        theirs = [(each.rec_type, each.raw_stream.read(), peer.get_record_offset()) for each in peer]
    assert theirs == [(kind, block, offset) for kind, _, block, offset, _ in found]
    with warc.open("rb") as stream:
        fast = [
            (each.headers["WARC-Type"], each.reader.read(), each.stream_pos)
            for each in FastIterator(stream, parse_http=False)
        ]
    assert fast == theirs


def test_every_record_is_a_gzip_member_of_its_own(warc: Path) -> None:
    data = warc.read_bytes()
    for _, _, block, offset, length in whole(warc):
        assert gzip.decompress(data[offset : offset + length]).endswith(block + b"\r\n\r\n")
