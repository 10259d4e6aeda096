"""Revisits made whole, and turned to other records."""

import gzip
import io

import pytest

from webkeep.formats.http import parse_response
from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE, NOT_MODIFIED_PROFILE, WarcReader, WarcRecord
from webkeep.model import BytesBody, Digest, Moment
from webkeep.store.reading import StoredResponse, is_not_modified_revisit, refers_to_capture
from webkeep.store.reading.revisit_resolution import merge_revisit
from webkeep.store.writing.revisit_rewrite import RevisitTarget, expand_revisit, retarget_revisit

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Whose: %s\r\n\r\n"
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\nX-Whose: own\r\n\r\n"
PAYLOAD = b"<p>payload</p>"
HTTP = "application/http; msgtype=response"


def read(pieces: bytes) -> tuple[WarcRecord, bytes]:
    record = next(iter(WarcReader(io.BytesIO(gzip.decompress(pieces)), "x.warc")))
    block = record.read()
    record.finish()
    assert record.intact
    return record, block


def revisit(
    block: bytes = OK % b"own", content_type: str = HTTP, profile: str = IDENTICAL_PAYLOAD_PROFILE, more: str = ""
) -> WarcRecord:
    head = (
        "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
        f"WARC-Target-URI: http://example.org/b\r\nWARC-Profile: {profile}\r\nWARC-Refers-To: <urn:uuid:0>\r\n"
        "WARC-Refers-To-Target-URI: http://example.org/a\r\nWARC-Refers-To-Date: 2024-02-01T00:00:00Z\r\n"
        f"WARC-Payload-Digest: {Digest.from_chunks('sha1', [PAYLOAD])}\r\nX-Kept: yes\r\n{more}"
        + (f"Content-Type: {content_type}\r\n" if content_type else "")
        + f"Content-Length: {len(block)}\r\n\r\n"
    )
    return next(iter(WarcReader(io.BytesIO(head.encode() + block + b"\r\n\r\n"), "x.warc")))


def holding(record: WarcRecord) -> StoredResponse:
    raw = record.read()
    head = parse_response(raw) if record.is_http else None
    return StoredResponse(record.url, head, raw, BytesBody(), record.get("content-type"))


def original(head: bytes = OK % b"theirs", media_type: str = HTTP) -> StoredResponse:
    return StoredResponse(
        "http://example.org/a", parse_response(head) if head else None, head, BytesBody(PAYLOAD), media_type
    )


@pytest.mark.parametrize(
    ("record", "target", "kind", "content_type", "head"),
    [
        (revisit(), original(), "response", HTTP, OK % b"own"),
        (revisit(b""), original(), "response", HTTP, OK % b"theirs"),
        (revisit(b"", ""), original(), "response", HTTP, OK % b"theirs"),
        (revisit(b"", "text/css"), original(), "resource", "text/css", b""),
        (revisit(b"", "text/css"), original(b"", "text/plain"), "resource", "text/css", b""),
        (revisit(b"", ""), original(b"", "text/plain"), "resource", "text/plain", b""),
        (revisit(UNCHANGED, profile=NOT_MODIFIED_PROFILE), original(), "response", HTTP, OK % b"theirs"),
    ],
)
def test_made_whole(record: WarcRecord, target: StoredResponse, kind: str, content_type: str, head: bytes) -> None:
    whole, block = read(b"".join(expand_revisit(record, holding(record), target, target)))
    assert (whole.type, whole.get("content-type"), block) == (kind, content_type, head + PAYLOAD)
    assert (whole.id, whole.url, whole.get("x-kept")) == ("urn:uuid:1", "http://example.org/b", "yes")
    assert Digest.parse(whole.get("warc-block-digest")) == Digest.from_chunks("sha256", [head + PAYLOAD])
    assert not [name for name, _ in whole.headers if name.startswith(("WARC-Refers", "WARC-Profile"))]


def test_a_long_payload_is_streamed_whole() -> None:
    body = bytes(range(256)) * 8192
    target = StoredResponse("", original().head, OK % b"theirs", BytesBody(body), HTTP)
    record = revisit()
    whole, block = read(b"".join(expand_revisit(record, holding(record), target, target)))
    assert (whole.type, block) == ("response", OK % b"own" + body)


def test_turned_to_another_record() -> None:
    target = RevisitTarget("urn:uuid:9", "http://example.org/c", Moment.parse("2024-02-02T00:00:00.5Z"))
    record = revisit()
    turned, block = read(b"".join(retarget_revisit(record, record.read(), target)))
    assert (turned.type, turned.id, block) == ("revisit", "urn:uuid:1", OK % b"own")
    assert refers_to_capture(turned) == (target.url, target.moment)
    assert turned.headers.all("WARC-Refers-To") == ["<urn:uuid:9>"]
    assert turned.get("WARC-Profile") == IDENTICAL_PAYLOAD_PROFILE


def test_turned_to_a_record_without_a_name_of_its_own() -> None:
    turned, _ = read(b"".join(retarget_revisit(revisit(), b"", RevisitTarget("", "http://example.org/c", Moment(0)))))
    assert "WARC-Refers-To" not in turned.headers
    assert turned.get("WARC-Refers-To-Target-URI") == "http://example.org/c"


@pytest.mark.parametrize(
    ("uri", "date", "named"),
    [
        ("http://example.org/a", "2024-02-01T00:00:00Z", True),
        ("<http://example.org/a>", "2024-02-01T00:00:00Z", True),
        ("", "2024-02-01T00:00:00Z", False),
        ("http://example.org/a", "", False),
        ("http://example.org/a", "no date", False),
    ],
)
def test_what_a_revisit_names(uri: str, date: str, named: bool) -> None:
    fields = f"WARC-Refers-To-Target-URI: {uri}\r\nWARC-Refers-To-Date: {date}\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    head = "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
    record = next(iter(WarcReader(io.BytesIO((head + fields).encode()), "x.warc")))
    expected = ("http://example.org/a", Moment.parse("2024-02-01")) if named else None
    assert refers_to_capture(record) == expected


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_both_versions_of_the_profile(version: str) -> None:
    assert is_not_modified_revisit(
        revisit(profile=f"http://netpreserve.org/warc/{version}/revisit/server-not-modified")
    )
    assert not is_not_modified_revisit(
        revisit(profile=f"http://netpreserve.org/warc/{version}/revisit/identical-payload-digest")
    )


def test_codings_are_those_of_the_head_that_came_with_the_body() -> None:
    content = b"content " * 20
    coded = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    packed = gzip.compress(content)
    target = StoredResponse("", original(coded).head, coded, BytesBody(packed), HTTP)
    unchanged = revisit(UNCHANGED, profile=NOT_MODIFIED_PROFILE)
    assert merge_revisit(unchanged, holding(unchanged), target, target).read() == content
    plain = revisit()  # the same bytes served as a file that is not to be unpacked
    assert merge_revisit(plain, holding(plain), target, target).read() == packed
    file = revisit(b"", "application/gzip")
    assert merge_revisit(file, holding(file), target, target).read() == packed
