"""The applications of `bench.apps`: pages of ours on the built files of packages, served on loopback.

Each has a folder in `bench/app_pages`, whose `app.toml` says which files of which packages it serves, and what a reader
sees and can do. All of them share a few pictures and answers that are made here.
"""

from __future__ import annotations

import json
import mimetypes
import struct
import subprocess
import tomllib
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from bench.loopback_site import LoopbackSite
from bench.measuring import PEERS, ROOT

_PAGES = ROOT / "bench/app_pages"
_PACKAGES = PEERS / "apps/node_modules"
_STORIES, _PER_PAGE = 40, 8
_TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".md": "text/markdown; charset=utf-8",
          ".html": "text/html; charset=utf-8", ".webmanifest": "application/manifest+json"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a reader sees, maybe after doing something."""

    name: str
    do: str
    """An expression that does it and is true once it has; nothing where nothing is to be done."""
    sees: str
    """An expression that is true once it is seen."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Checks on one page, one after the other."""

    at: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Application:
    """One application, by the folder it has."""

    name: str
    about: str
    files: dict[str, str]
    """By the beginnings of paths, what they are in the packages."""
    has_routes: bool
    """Whether every path that is no file is the application's page."""
    visits: tuple[Visit, ...]

    @classmethod
    def read(cls, name: str) -> Application:
        """Take in what a folder says."""
        told = tomllib.loads((_PAGES / name / "app.toml").read_text("utf-8"))
        visits = tuple(
            Visit(each["at"], tuple(Check(one["name"], one.get("do", ""), one["sees"]) for one in each["check"]))
            for each in told["visit"]
        )
        return cls(name, told["about"], told.get("files", {}), told.get("has_routes", False), visits)

    def file_of(self, path: str) -> Path | None:
        """The file that is served at a path, if it is there."""
        places = [_PAGES / self.name / path[1:]]
        for at, place in self.files.items():
            if path == at or (at.endswith("/") and path.startswith(at)):
                places.append(_PACKAGES / place / path[len(at) :])
        files = (each / "index.html" if each.is_dir() else each for each in places)
        return next((each for each in files if each.is_file() and each.name != "app.toml"), None)


def install_packages(pages: Path = _PAGES, into: Path = PEERS / "apps") -> None:
    """Have the packages of a folder of pages there, as they are pinned."""
    wanted, held = pages / "package-lock.json", into / "package-lock.json"
    if not held.exists() or held.read_bytes() != wanted.read_bytes():
        subprocess.run(["scripts/apps.sh", str(pages), str(into)], cwd=ROOT, check=True)


def applications() -> list[Application]:
    """All of them, by name."""
    return [Application.read(each.parent.name) for each in sorted(_PAGES.glob("*/app.toml"))]


class AppServer(LoopbackSite):
    """Serves one of them."""

    def __init__(self, application: Application) -> None:
        super().__init__(_handler(application))


def _handler(application: Application) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, body = _answer(application, self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nobody reads it."""

    return Handler


def _answer(application: Application, target: str) -> tuple[int, str, bytes]:
    url = urlsplit(target)
    path = unquote(url.path)
    if path.startswith("/pictures/") and path.endswith(".png"):
        return 200, "image/png", _picture(path)
    if path.startswith("/api/stories"):
        return _stories(path, parse_qs(url.query))
    file = application.file_of(path)
    if file is None and application.has_routes and "." not in path.rpartition("/")[2]:
        file = application.file_of("/")
    if file is None:
        return 404, "text/plain", b"not here"
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return 200, kind, file.read_bytes()


def _stories(path: str, query: dict[str, list[str]]) -> tuple[int, str, bytes]:
    """A list in pages, or one story of it."""
    said = path.removeprefix("/api/stories").strip("/")
    if said:
        number = int(said) if said.isdigit() else 0
        told: object = {**_story(number), "text": f"What was told at the quay of story {number}."}
        return (200 if 0 < number <= _STORIES else 404), "application/json", json.dumps(told).encode()
    page = int(query.get("page", ["1"])[0])
    numbers = range((page - 1) * _PER_PAGE + 1, min(page * _PER_PAGE, _STORIES) + 1)
    following = page + 1 if page * _PER_PAGE < _STORIES else None
    return 200, "application/json", json.dumps({"stories": [*map(_story, numbers)], "next": following}).encode()


def _story(number: int) -> dict[str, object]:
    return {"id": number, "title": f"Story {number}", "picture": f"/pictures/story-{number}.png"}


def _picture(path: str) -> bytes:
    """A picture of 16 by 16 in a colour of its own."""
    seed = zlib.crc32(path.encode())
    row = b"\0" + bytes(((seed >> 16) & 255, (seed >> 8) & 255, seed & 255)) * 16
    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(row * 16)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
