"""Records of others lose their credentials wherever these stand: in blocks of any type, in frames, in named fields."""

from __future__ import annotations

import base64
import io
import json
import zlib
from pathlib import Path

import pytest

from webkeep.formats import Flaws, Strictness
from webkeep.formats.http import FRAMES_TYPE
from webkeep.redaction import Redactor
from webkeep.store.transfer.redacted_import import redact_source
from webkeep.store.writing.record_copy import RecordSource

SECRET = "Zk93hd7Qw2LmX8"
HTTP = "application/http; msgtype=response"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello world"


def record(kind: str, content_type: str, block: bytes, *fields: str, url: str = "http://a.test/x") -> bytes:
    lines = [
        "WARC/1.1", f"WARC-Type: {kind}", "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>",
        "WARC-Date: 2024-03-01T12:00:00Z", f"WARC-Target-URI: {url}", f"Content-Type: {content_type}", *fields,
        f"Content-Length: {len(block)}",
    ]  # fmt: skip
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + block + b"\r\n\r\n"


def written(tmp_path: Path, data: bytes) -> bytes:
    source = RecordSource("a.warc", lambda: io.BytesIO(data))
    with redact_source(source, tmp_path, Redactor(), Flaws(Strictness.NOTE)) as made, made.open() as stream:
        return stream.read()


def frame(text: str | bytes, opcode: int = 1, flags: int = 8, sender: str = "client") -> bytes:
    told: dict[str, object] = {"at": "2024-03-01T12:00:00Z", "from": sender, "opcode": opcode, "flags": flags}
    told |= {"text": text} if isinstance(text, str) else {"base64": base64.b64encode(text).decode()}
    return json.dumps(told).encode() + b"\n"


def packed(*texts: str) -> list[bytes]:
    packer = zlib.compressobj(wbits=-15)
    return [(packer.compress(text.encode()) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4] for text in texts]


FIRST, SECOND = packed('{"user": "me"}', json.dumps({"user": "me", "password": SECRET}))
BLOCKS = {
    "fragments": ("resource", FRAMES_TYPE, frame('{"pass', flags=0) + frame(f'word":"{SECRET}"}}', opcode=0)),
    "deflated": ("resource", FRAMES_TYPE, frame(FIRST, flags=12) + frame(SECOND, flags=12)),
    "deflated fragments": (
        "resource", FRAMES_TYPE, frame(packed(f'{{"token":"{SECRET}"}}')[0][:9], flags=4)
        + frame(packed(f'{{"token":"{SECRET}"}}')[0][9:], opcode=0),
    ),
    "no frame": ("resource", FRAMES_TYPE, f'["password","{SECRET}"]\n'.encode()),
    "request": (
        "request", "message/http",
        f"POST /x HTTP/1.1\r\nAuthorization: Bearer {SECRET}\r\n\r\npassword={SECRET}".encode(),
    ),
    "capitals": ("metadata", "Text/Plain", f"http://a.test/?token={SECRET}".encode()),
    "fields": (
        "metadata", "application/warc-fields",
        f"via: http://a.test/?token={SECRET}\r\nAuthorization: Bearer {SECRET}\r\npassword: {SECRET}\r\n".encode(),
    ),
    "answer": ("response", "Application/HTTP", f"HTTP/1.1 200 OK\r\nSet-Cookie: a={SECRET}\r\n\r\n".encode()),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "content_type", "block"), BLOCKS.values(), ids=BLOCKS)
def test_no_block_keeps_them(tmp_path: Path, kind: str, content_type: str, block: bytes) -> None:
    held = written(tmp_path, record(kind, content_type, block))
    lines = [json.loads(line) for line in held.splitlines() if line.startswith(b'{"at"')]
    payloads = [base64.b64decode(line["base64"]) for line in lines if "base64" in line]
    assert SECRET.encode() not in held
    assert SECOND not in payloads
    assert b"redacted" in held


@pytest.mark.parametrize(
    "field",
    [
        f"WARC-Page: http://a.test/?token={SECRET}", f'WARC-JSON-Metadata: {{"url":"http://a.test/?token={SECRET}"}}',
        f"WARC-Referred-From: http://a.test/?token={SECRET}", f"X-Sent: Bearer {SECRET}", f"X-Api-Key: {SECRET}",
        f"WARC-Source-URI: <http://a.test/?token={SECRET}>", f"Webkeep-Via: http://a.test/?token={SECRET}",
    ],
)  # fmt: skip
def test_no_named_field_keeps_them(tmp_path: Path, field: str) -> None:
    held = written(tmp_path, record("resource", "image/png", b"picture", field))
    assert SECRET.encode() not in held
    assert b"redacted" in held
    assert held.endswith(b"\r\n\r\npicture\r\n\r\n")


@pytest.mark.parametrize(
    "block", [b"[]\n", b"[" * 200_000 + b"\n", b'{"text": 1, "flags": "x"}\n', b'"\\ud800"\n', b"\n"]
)
def test_frames_that_are_none_stay(tmp_path: Path, block: bytes) -> None:
    assert written(tmp_path, record("resource", FRAMES_TYPE, block)).endswith(b"\r\n\r\n" + block + b"\r\n\r\n")


def test_frames_without_secrets_stay_to_the_letter(tmp_path: Path) -> None:
    block = frame("hello") + frame(FIRST, flags=12, sender="server") + b'{"from":"client", "text":"x"}\n'
    assert written(tmp_path, record("resource", FRAMES_TYPE, block)).endswith(b"\r\n\r\n" + block + b"\r\n\r\n")


def test_what_is_left_of_a_cut_record_is_salvaged(tmp_path: Path) -> None:
    answer = ANSWER.replace(b"\r\n\r\n", f"\r\nSet-Cookie: a={SECRET}\r\n\r\n".encode())
    held = written(tmp_path, record("response", HTTP, ANSWER) + record("response", HTTP, answer)[:-9])
    assert held.count(b"WARC-Type: response") == 2
    assert held.count(b"Set-Cookie: [redacted]\r\n\r\nhello \r\n\r\n") == 1
    assert b"WARC-Truncated: unspecified" in held
    assert b"Webkeep-Salvaged: " in held
    assert SECRET.encode() not in held
