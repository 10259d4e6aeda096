"""Our CDXJ lines and POST keys beside those of cdxj-indexer, over the same WARC file."""

import hashlib
import subprocess
from base64 import b32encode
from collections.abc import Iterable
from pathlib import Path

import pytest

from webkeep.formats.cdx import CdxLine, parse_cdx_line
from webkeep.formats.cdx.post_key import spell_body
from webkeep.formats.http import bare_media_type, split_response

PEER = Path(__file__).parents[2] / ".peers/tools/bin/cdxj-indexer"
HTTP = "application/http; msgtype=response"
EMPTY_DIGEST = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def record(kind: str, url: str | None, block: bytes, content_type: str | None = HTTP, **fields: str) -> bytes:
    named = {"WARC-Type": kind, "WARC-Record-ID": "<urn:x:1>", "WARC-Date": "2024-03-01T12:00:00Z"}
    named |= {"WARC-Target-URI": url} if url else {}
    named |= {"Content-Type": content_type} if content_type else {}
    named |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"WARC/1.0\r\n{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def peer_lines(path: Path, records: Iterable[bytes], *options: str) -> list[CdxLine]:
    path.write_bytes(b"".join(records))
    done = subprocess.run([PEER, *options, path], capture_output=True, check=True)
    lines = done.stdout.splitlines()
    parsed = [parse_cdx_line(line) for line in lines]
    assert [bytes(line) for line in parsed] == lines, "what we read we write again, to the byte"
    return parsed


def sha1(payload: bytes) -> str:
    return "sha1:" + b32encode(hashlib.sha1(payload).digest()).decode()


def test_which_records_are_indexed(tmp_path: Path) -> None:
    """Response, revisit, resource and metadata; the last two not when they are application/warc-fields."""
    kinds = (
        "warcinfo",
        "request",
        "response",
        "revisit",
        "resource",
        "metadata",
        "conversion",
        "continuation",
        "other",
    )
    block = b"HTTP/1.1 200 OK\r\n\r\n"
    records = [record(kind, f"http://example.com/{kind}", block) for kind in kinds]
    fields = [
        record(kind, f"http://example.com/{kind}-fields", b"a: b\r\n", "application/warc-fields")
        for kind in ("resource", "metadata")
    ]
    lines = peer_lines(tmp_path / "a.warc", [*records, *fields])
    assert [line.url and line.url.rpartition("/")[2] for line in lines] == [
        "response",
        "revisit",
        "resource",
        "metadata",
    ]


HEADS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\nhello",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 301\r\nContent-Type: text/html charset=x\r\nContent-Type: second\r\n\r\n",
    b"HTTP/2 200\r\ncontent-type: a/b,c/d\r\n\r\nx",
    b"HTTP/1.1 200 OK\nContent-Type: t\xe9xt/html\nFolded: a\n b\nno colon\n\nx",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
]


@pytest.mark.parametrize("block", HEADS)
def test_a_response_line(tmp_path: Path, block: bytes) -> None:
    """Mime as spelled but without parameters, the status as text, a digest over the raw payload where none is given."""
    data = record("response", "http://www.Example.com/A?b=1&a=2", block)
    (line,) = peer_lines(tmp_path / "a.warc", [data])
    head, offset = split_response(block)
    mime = bare_media_type(head.headers.get("content-type")) if "content-type" in head.headers else None
    assert line == CdxLine(
        "com,example)/a?a=2&b=1",
        "20240301120000",
        "http://www.Example.com/A?b=1&a=2",
        mime,
        str(head.status),
        sha1(block[offset:]),
        len(data) - 4,  # an uncompressed record is counted without the two empty lines after it
        0,
        "a.warc",
    )


def test_other_records(tmp_path: Path) -> None:
    lines = peer_lines(
        tmp_path / "a.warc",
        [
            record(
                "revisit", "http://example.com/1", b"HTTP/1.1 304 Not Modified\r\n\r\n", WARC_Payload_Digest="sha1:ABC"
            ),
            record("revisit", "http://example.com/2", b""),
            record("resource", "http://example.com/3", b"abc", "image/png; x=y"),
            record("resource", "http://example.com/4", b"abc", None),
            record("response", "dns:example.com", b"20240301\nexample.com. A 127.0.0.1\n", "text/dns"),
            record("metadata", None, b"{}", "application/json"),
            record("response", "http://example.com/7", HEADS[0], WARC_Payload_Digest="sha256:0aF"),
            record("response", "<http://example.com/a b>", HEADS[0], WARC_Date="2024-03-01T12:00:00.987654Z"),
        ],
    )
    shown = [(line.key, line.mime, line.status, line.digest) for line in lines]
    assert shown == [
        ("com,example)/1", "warc/revisit", "304", "sha1:ABC"),
        ("com,example)/2", "warc/revisit", None, None),
        ("com,example)/3", "image/png", None, sha1(b"abc")),
        ("com,example)/4", None, None, sha1(b"abc")),
        ("dns:example.com", None, None, sha1(b"20240301\nexample.com. A 127.0.0.1\n")),
        ("-", "application/json", None, sha1(b"{}")),
        ("com,example)/7", "Text/HTML", "200", "sha256:0aF"),
        ("com,example)/a%20b", "Text/HTML", "200", sha1(b"hello")),
    ]
    assert [line.url for line in lines][5:] == [None, "http://example.com/7", "http://example.com/a%20b"]
    assert lines[-1].timestamp == "20240301120000"


BODIES = [
    ("application/x-www-form-urlencoded", b"a=b&c=d%20e+f%26"),
    ("application/x-www-form-urlencoded; charset=utf-8", "a=ä%C3%A4".encode()),
    ("application/x-www-form-urlencoded", b"a=\xff"),
    ("application/x-www-form-urlencoded", b"a=" + b"%41" * 5000),
    ("application/x-www-form-urlencoded", b""),
    ("application/json", b'{"a": 1, "b": [true, null, 2.0, 1e3], "c": {"a": "x y&", "d": {"a": "\\u00e9"}}}'),
    ("application/json; charset=utf-8", b'{"a": 1}\n{"a": 2, "b": "c"}'),
    ("application/json", b'{"a": 1}\n{"a": 2}\n'),
    ("application/json", b"not json"),
    ("application/json", b"[1, 2, 3]"),
    ("application/json", b'{"": 1, "a.2_": 1, "a": [2, 3, 4]}'),
    ("application/json", b'{"a": "\\ud800"}'),
    ("application/json", b'{"a": NaN, "b": 12345678901234567890, "c": -0.0}'),
    ("application/json", '{"ä": "\U0001f600"}'.encode("utf-16")),
    ("text/plain", b'{"a": [1, {"b": false}]}'),
    ("text/plain;charset=UTF-8", b"hello world"),
    ("", b"\0\1\2\xff"),
    ("application/octet-stream", b"\xff" * 5000),
    ("multipart/form-data", b"no boundary"),
    (
        "multipart/form-data; boundary=XX",
        b'--XX\r\nContent-Disposition: form-data; name="a b"\r\n\r\n1&2=\r\n--XX\r\ncontent-disposition: form-data; '
        b'name="f"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\xff\r\n--XX\r\n'
        b'Content-Disposition: form-data; name="q%22uote"\r\n\r\n\xc3\xa4\r\n\r\n--XX--\r\n',
    ),
    ("multipart/form-data; boundary=XX", b"--XX--\r\n"),
]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_keys_of_requests_with_a_body(tmp_path: Path, method: str) -> None:
    records = []
    for number, (content_type, body) in enumerate(BODIES):
        url = f"http://example.com/{number}"
        records.append(record("response", url, HEADS[0], WARC_Record_ID=f"<urn:r:{number}>"))
        fields = f"Content-Type: {content_type}\r\n" if content_type else ""
        request = f"{method} / HTTP/1.1\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body
        concurrent = {"WARC_Record_ID": f"<urn:q:{number}>", "WARC_Concurrent_To": f"<urn:r:{number}>"}
        records.append(record("request", url, request, "application/http; msgtype=request", **concurrent))
    lines = peer_lines(tmp_path / "a.warc", records, "--post-append")
    assert [line.extra["method"] for line in lines] == [method] * len(BODIES)
    expected = [spell_body(content_type, body) for content_type, body in BODIES]
    assert [line.extra["requestBody"] for line in lines] == expected
    # A peer's slip to know of: with --post-append it digests what it has read already, that is nothing.
    assert {line.digest for line in lines} == {EMPTY_DIGEST}
