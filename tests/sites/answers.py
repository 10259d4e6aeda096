"""What a server of the test sites says to a request, worked out without sending anything."""

import gzip
import hashlib
import re
import zlib
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote

import brotli
import zstandard

from sites.material import MAKERS
from sites.plan import FOLDER, Rule, Site

SHARED = FOLDER / "shared"
TYPES = {
    ".html": "text/html", ".xhtml": "application/xhtml+xml", ".css": "text/css", ".js": "text/javascript",
    ".mjs": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
    ".wav": "audio/wav", ".webm": "video/webm", ".vtt": "text/vtt", ".ttf": "font/ttf", ".txt": "text/plain",
    ".xml": "text/xml", ".xsl": "text/xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
}  # fmt: skip
_TEXTS = frozenset({".html", ".xhtml", ".css", ".js", ".mjs", ".json", ".svg", ".xml", ".xsl", ".webmanifest"})
_CODINGS = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_BLANK = re.compile(r"\$([a-z]+)")


@dataclass(frozen=True)
class Visit:
    """One request as it came."""

    scheme: str
    host: str
    port: int
    method: str
    target: str
    fields: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        return unquote(self.target.partition("?")[0])

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.target}"


@dataclass
class Said:
    """A whole answer; `content` is what a reader gets to see of it."""

    status: int
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    coding: str = ""

    @property
    def packed(self) -> bytes:
        return _CODINGS[self.coding](self.content) if self.coding else self.content

    @property
    def first_line(self) -> str:
        return f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"


def answer(site: Site, label: str, visit: Visit) -> tuple[Said, Rule | None]:
    """What is said to a request for one of a site's hosts, and the rule that made it so."""
    rule = site.rule(label, visit.path, visit.method)
    said = _file(site, label, visit.path, visit.port) if rule is None else _by_rule(site, rule, visit)
    if said.status == 200 and not said.coding:
        said = _conditional(said, visit)
    return said, rule


def _by_rule(site: Site, rule: Rule, visit: Visit) -> Said:
    if rule.to:
        to = rule.to.replace(":PORT", f":{visit.port}")
        return Said(rule.status if rule.status != 200 else 302, b"", {"Location": to, **rule.headers})
    if rule.says:
        said = Said(rule.status, _filled(rule.says, visit), {"Content-Type": "text/plain"})
    elif rule.status in (204, 304) or rule.events or rule.socket:
        said = Said(rule.status)
    else:
        said = _file(site, rule.host, f"/{rule.file}" if rule.file else rule.path, visit.port)
        said.status = rule.status if said.status == 200 else said.status
    said.headers |= {name: value.replace(":PORT", f":{visit.port}") for name, value in rule.headers.items()}
    said.coding = rule.coding
    return said


def _filled(text: str, visit: Visit) -> bytes:
    """A text with its blanks filled in."""
    query = visit.target.partition("?")[2]
    known = {name: values[-1] for name, values in parse_qs(query).items()}
    known |= {"method": visit.method, "query": query, "body": visit.body.decode("utf-8", "replace")}
    known |= {"cookie": visit.fields.get("cookie", ""), "type": visit.fields.get("content-type", "").partition(";")[0]}
    return _BLANK.sub(lambda match: known.get(match[1], ""), text).encode()


def _file(site: Site, label: str, path: str, port: int) -> Said:
    if path.endswith("/"):
        path += "index.html"
    name = path.removeprefix("/")
    kind = PurePosixPath(name).suffix
    headers = {"Content-Type": TYPES.get(kind, "application/octet-stream")}
    if (maker := site.made.get(f"{label}/{name}" if label else name)) is not None:
        return Said(200, MAKERS[maker](path), headers)
    for folder in (site.folder / label, SHARED):
        file = folder / name
        if folder in file.parents and ".." not in file.parts and file.is_file() and file.name != "site.toml":
            content = file.read_bytes()
            return Said(200, content.replace(b":PORT", b":%d" % port) if kind in _TEXTS else content, headers)
    return Said(404, b"nothing here", {"Content-Type": "text/plain"})


def _conditional(said: Said, visit: Visit) -> Said:
    """The part that was asked for, or nothing where the client has it."""
    mark = f'"{hashlib.sha256(said.content).hexdigest()[:16]}"'
    said.headers |= {"ETag": mark, "Accept-Ranges": "bytes"}
    said.headers.setdefault("Cache-Control", "max-age=600")
    if visit.fields.get("if-none-match") == mark:
        return Said(304, b"", {"ETag": mark})
    asked = _RANGE.fullmatch(visit.fields.get("range", ""))
    if asked is None or asked[0] == "bytes=-":
        return said
    size = len(said.content)
    start = int(asked[1]) if asked[1] else max(0, size - int(asked[2]))
    end = min(int(asked[2]) + 1, size) if asked[1] and asked[2] else size
    if start >= end:
        return Said(416, b"", {"Content-Range": f"bytes */{size}"})
    where = {"Content-Range": f"bytes {start}-{end - 1}/{size}"}
    return Said(206, said.content[start:end], said.headers | where)
