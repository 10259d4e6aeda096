"""A site's own machine, asked in place of the network: which local server answers for a public origin, by plain HTTP
over a Unix socket or a loopback port, and which of its files are read from the disk.

No TLS is spoken on such a way, whatever the scheme of the public URL is, and nothing claims that there was any: the
server is told the scheme in X-Forwarded-Proto, as by the reverse proxy that usually stands before it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes

from webkeep.fetch.addresses import authority_of

INDEX_NAME = "index.html"
"""The file that a directory's own URL stands for."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine that answers for public origins."""

    socket: str = ""
    """The path of its Unix socket; empty where it has a port."""
    address: str = "127.0.0.1"
    port: int = 0

    @property
    def connect_to(self) -> str:
        """Where connections for whatever host and port go, as libcurl has it."""
        bracketed = f"[{self.address}]" if ":" in self.address else self.address
        return f"::{bracketed}:{self.port}"


def plain_url(url: str) -> str:
    """A URL as a local server is asked for it: without TLS, the public host as it is."""
    return f"http{url[5:]}" if url.startswith("https:") else url


def scheme_line(url: str) -> str:
    """The header that tells a local server by which scheme the public asks for a URL."""
    return f"X-Forwarded-Proto: {url.partition(':')[0]}"


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """A folder whose files are served below a URL."""

    prefix: str
    """Ends in a slash."""
    folder: Path

    def find(self, url: str) -> Path | None:
        """The regular file that a URL is of; nothing hidden, and nothing that a link leads out to."""
        if not url.startswith(self.prefix) or "?" in url:
            return None
        path = unquote_to_bytes(url[len(self.prefix) :].partition("#")[0])
        parts = [os.fsdecode(part) for part in path.split(b"/")]
        if parts[-1] == "":
            parts[-1] = INDEX_NAME
        if b"\0" in path or any(_is_passed_over(part) for part in parts):
            return None
        return self._regular_file(self.folder.joinpath(*parts))

    def _regular_file(self, path: Path) -> Path | None:
        try:
            target = Path(os.path.realpath(path, strict=True))
            is_regular = stat.S_ISREG(target.stat().st_mode)
        except OSError:
            return None
        return path if is_regular and target.is_relative_to(os.path.realpath(self.folder)) else None


def _is_passed_over(part: str) -> bool:
    return part in ("", ".", "..") or (part.startswith(".") and part != ".well-known")


@dataclass(frozen=True, slots=True)
class LocalSite:
    """What of the web is on this machine: servers by the origin they answer for, and folders of files."""

    servers: Mapping[str, LocalServer] = field(default_factory=dict)
    """By origin, such as `https://www.example.org`."""
    folders: tuple[LocalFolder, ...] = ()

    def server_of(self, url: str) -> LocalServer | None:
        """The server that answers for a URL; None where the network does."""
        if not self.servers:
            return None
        return self.servers.get(f"{url.partition(':')[0]}://{authority_of(url)}")

    def file_of(self, url: str) -> Path | None:
        """The file that a URL is of; None where there is none, and a server is asked."""
        if not self.folders:
            return None
        return next((found for each in self.folders if (found := each.find(url)) is not None), None)
