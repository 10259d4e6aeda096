"""The applications of `bench.real_walks`: pages that lie in packages, as others wrote them.

They are reached through a proxy that knows nothing else, each package as a host of its own. So whatever a page asks
for elsewhere ends there, over whichever way it asks.
"""

from __future__ import annotations

import mimetypes
import tomllib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from bench.apps_site import install_packages
from bench.loopback_site import LoopbackSite
from bench.measuring import PEERS, ROOT

_PAGES = ROOT / "bench/real_pages"
_PACKAGES = (PEERS / "real/node_modules").resolve()
_TOLD: dict[str, dict[str, Any]] = tomllib.loads((_PAGES / "pages.toml").read_text("utf-8"))
_ZONE = ".test"
"""Names that are nobody's."""
_BESIDE = ("node_modules/", "bower_components/")
"""Where pages look for packages that are installed beside theirs."""
_TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".html": "text/html", ".json": "application/json"}


@dataclass(frozen=True, slots=True)
class RealPage:
    """One page of a package."""

    package: str
    path: str

    @property
    def name(self) -> str:
        """What it is called in what the bench tells."""
        return f"{self.package}/{self.path}"

    @property
    def url(self) -> str:
        """Where the proxy has it."""
        return f"http://{self.package.replace('_', '-')}{_ZONE}/{quote(self.path)}"


def install_real_pages() -> list[RealPage]:
    """Have the packages there, as they are pinned; gives the pages that are to be walked."""
    install_packages(_PAGES, PEERS / "real")
    pages = [RealPage(package, path) for package, paths in _TOLD["pages"].items() for path in paths]
    if missing := [each.name for each in pages if not (_PACKAGES / each.name).is_file()]:
        raise SystemExit(f"not in the packages: {', '.join(missing)}")
    return pages


class PackageFile(NamedTuple):
    """A file of a package."""

    media_type: str
    body: bytes


class PackageProxy(LoopbackSite):
    """A proxy for which the web is the packages of the pages."""

    def __init__(self, pages: list[RealPage]) -> None:
        self.refused: set[str] = set()
        """The hosts elsewhere that were asked for."""
        self.removed: set[str] = set()
        """Addresses at which nothing is any more."""
        self._packages = {urlsplit(each.url).netloc: each.package for each in pages}
        super().__init__(_handler(self))

    def find(self, url: str) -> PackageFile | None:
        """What is at an address; None where nothing is."""
        split = urlsplit(url)
        package = self._packages.get(split.netloc)
        file = None if package is None or url in self.removed else _file_of(package, unquote(split.path))
        if file is None:
            return None
        kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return PackageFile(kind, _bytes_of(file))

    def has_host(self, host: str) -> bool:
        """Whether a host is one of the packages."""
        return host in self._packages


def _handler(site: PackageProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = urlsplit(self.path).netloc
            if not site.has_host(host):
                return self._refuse(host)
            found = site.find(self.path)
            return self._send(404, "text/plain", b"not here") if found is None else self._send(200, *found)

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_CONNECT(self) -> None:
            self._refuse(self.path)

        def _refuse(self, host: str) -> None:
            site.refused.add(host)
            self._send(403, "text/plain", b"nobody is there")

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nobody reads it."""

    return Handler


def _file_of(package: str, path: str) -> Path | None:
    """The file that is at a path of a package, or that it would find in a package beside it."""
    inside = path.lstrip("/")
    if inside in _TOLD["files"]:
        return ROOT / str(_TOLD["files"][inside])
    beside = next((inside.removeprefix(each) for each in _BESIDE if inside.startswith(each)), inside)
    places = ((_PACKAGES / package / inside).resolve(), (_PACKAGES / beside).resolve())
    files = (each / "index.html" if each.is_dir() else each for each in places if each.is_relative_to(_PACKAGES))
    return next((each for each in files if each.is_file()), None)


def _bytes_of(file: Path) -> bytes:
    """What is in a file; pages and scripts name what they would have from elsewhere where it is here."""
    body = file.read_bytes()
    if file.suffix in {".html", ".js"}:
        for there, here in _TOLD["elsewhere"].items():
            body = body.replace(there.encode(), here.encode())
    return body
