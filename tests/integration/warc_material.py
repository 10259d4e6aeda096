"""Records of all kinds, made by hand so that they can be wrong, and the command as a person calls it."""

import base64
import gzip
import hashlib
import io
import json
import zlib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from webkeep.cli.main import main
from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE
from webkeep.model import Body, BytesBody, Exchange, Finding, Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.maintenance import verify_archive

MOMENT = Moment.parse("2024-03-01T12:00:00Z")
SITE = "http://example.org/"


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record_id(number: int) -> str:
    return f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"


def record(kind: str, block: bytes, fields: dict[str, str | None], version: str = "WARC/1.0") -> bytes:
    """A plain record; a field that is None is left out, and `Content-Length` may be given to be wrong."""
    named: dict[str, str | None] = {"WARC-Type": kind, "WARC-Date": MOMENT.iso(), "Content-Length": str(len(block))}
    lines = [f"{name}: {value}" for name, value in (named | fields).items() if value is not None]
    return "\r\n".join([version, *lines, "", ""]).encode() + block + b"\r\n\r\n"


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", "Content-Type: text/html", *headers, "", ""]).encode() + body


def response(
    number: int, url: str, body: bytes, version: str = "WARC/1.0", block: bytes | None = None, **fields: str | None
) -> bytes:
    message = http(body) if block is None else block
    named: dict[str, str | None] = {
        "WARC-Record-ID": record_id(number),
        "WARC-Target-URI": url,
        "WARC-Payload-Digest": sha1(body),
        "WARC-Block-Digest": sha1(message),
        "Content-Type": "application/http; msgtype=response",
    }
    given = {name.replace("_", "-"): value for name, value in fields.items()}
    return record("response", message, named | given, version)


def request(number: int, of: int, url: str, block: bytes = b"", **fields: str | None) -> bytes:
    message = block or b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
    named: dict[str, str | None] = {
        "WARC-Record-ID": record_id(number),
        "WARC-Target-URI": url,
        "WARC-Concurrent-To": record_id(of),
        "Content-Type": "application/http; msgtype=request",
    }
    return record("request", message, named | {name.replace("_", "-"): value for name, value in fields.items()})


def revisit(
    number: int, url: str, block: bytes, profile: str = IDENTICAL_PAYLOAD_PROFILE, **fields: str | None
) -> bytes:
    named: dict[str, str | None] = {
        "WARC-Record-ID": record_id(number),
        "WARC-Target-URI": url,
        "WARC-Profile": profile,
        "Content-Type": "application/http; msgtype=response",
    }
    return record("revisit", block, named | {name.replace("_", "-"): value for name, value in fields.items()})


def warcinfo(number: int = 900) -> bytes:
    fields: dict[str, str | None] = {"WARC-Record-ID": record_id(number), "Content-Type": "application/warc-fields"}
    return record("warcinfo", b"software: other/1.0\r\n", fields)


def gzipped(records: list[bytes]) -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def zstandarded(records: list[bytes]) -> bytes:
    return b"".join(zstandard.ZstdCompressor().compress(each) for each in records)


def exchange(url: str, body: bytes | Body, moment: Moment = MOMENT, request: bytes = b"", **more: Any) -> Exchange:
    content = BytesBody(body) if isinstance(body, bytes) else body
    return Exchange(url, moment, more.pop("head", http(b"")), content, request, **more)


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: bytes
    err: str
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        return self.err.splitlines()


def webkeep(*words: object, as_json: bool = True) -> Done:
    """Run the command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*map(str, words), *(["--json"] if as_json else [])])
    out.flush()
    err.flush()
    printed, said = out.buffer.getvalue(), err.buffer.getvalue().decode()  # type: ignore[attr-defined]
    summary = json.loads(printed.splitlines()[-1]) if as_json else {}
    return Done(code, printed, said, summary)


def findings_of(path: Path) -> list[Finding]:
    """What a verification of an archive finds."""
    found: list[Finding] = []
    with Archive(path) as archive:
        verify_archive(archive, found.append)
    return found


def facts_of(observation: Observation) -> tuple[object, ...]:
    """All that is known of an observation but for where its record lies and how that is stored."""
    return (
        observation.url,
        observation.moment,
        observation.method,
        observation.status,
        observation.media_type,
        observation.payload_digest,
        observation.etag,
        observation.last_modified,
        observation.via,
        observation.visit,
        observation.request is not None,
    )


def contents_of(archive: Archive) -> list[tuple[str, Moment, bytes]]:
    """Every observation's URL, moment and payload as it came."""
    return [(each.url, each.moment, b"".join(archive.read(each).body.chunks())) for each in archive.observations()]


def on_disk(path: Path, needle: bytes) -> list[str]:
    """The files of an archive that hold some bytes, as they are or inside any gzip member."""
    found = []
    for file in sorted(path.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            if needle in data or needle in _inflated(data):
                found.append(file.name)
    return found


def _inflated(data: bytes) -> bytes:
    """All that can be inflated at any gzip signature."""
    parts = []
    at = data.find(b"\x1f\x8b\x08")
    while at >= 0:
        inflater = zlib.decompressobj(wbits=31)
        try:
            parts.append(inflater.decompress(data[at:]))
        except zlib.error:
            parts.append(b"")
        at = data.find(b"\x1f\x8b\x08", at + 1)
    return b"".join(parts)
