"""How a site's own machine is written in a plan: its application (`--app`), folders of its files (`--files`) and
databases to be dumped (`--dump`), and what is said of one that cannot be meant.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webkeep.crawl.plan.value_parsers import parse_line, parse_texts
from webkeep.errors import UsageError
from webkeep.fetch import LocalServer, is_loopback
from webkeep.process import DumpKind
from webkeep.url import normalize_url, split_url

_match_origin = re.compile(r"(https?://[^/=\s]+)/?=(.+)").fullmatch
_match_module = re.compile(r"(?!unix:|https?:)[A-Za-z_][\w.]*:[A-Za-z_][\w.]*(?:\(\))?").fullmatch
_match_folder = re.compile(r"(.+?)=(https?://.+)").fullmatch
_match_name = re.compile(r"([a-z][a-z0-9_-]{0,31})=(.+)", re.DOTALL).fullmatch
_UNUSUAL_IN_NAMES = re.compile(r"[^a-z0-9_-]+")
_USUAL_PORTS = {80, 443}


@dataclass(frozen=True, slots=True)
class ApplicationSource:
    """An application, and the origin that it answers for; without one, for the hosts of all seeds."""

    where: str
    origin: str = ""

    @property
    def is_module(self) -> bool:
        """Whether it is started for the capture, and not running already."""
        return _match_module(self.where) is not None

    @property
    def server(self) -> LocalServer:
        """Where it is, if it is running already."""
        if self.where.startswith("unix:"):
            return LocalServer(socket=self.where.removeprefix("unix:"))
        parts = urlsplit(self.where)
        host = parts.hostname or ""
        return LocalServer(address="127.0.0.1" if host == "localhost" else host, port=parts.port or 80)

    def origins(self, seeds: Iterable[str]) -> Iterator[str]:
        """The origins that it answers for: of a host at its usual ports, by either scheme."""
        for url in [f"{self.origin}/"] if self.origin else seeds:
            parts = split_url(url)
            if self.origin or parts.effective_port not in _USUAL_PORTS:
                yield parts.origin
            elif url.startswith(("http://", "https://")):
                yield from (f"http://{parts.host}", f"https://{parts.host}")


def parse_application(text: str) -> ApplicationSource:
    """An application as a person writes it: `[ORIGIN=]WHERE`."""
    match = _match_origin(text)
    origin = normalize_url(f"{match[1]}/") if match else ""
    where = match[2] if match else text
    if origin is None or not (_match_module(where) or _is_server(where)):
        raise UsageError(
            f"{text!r} is no application; write module:attribute, unix:/run/site.sock or http://127.0.0.1:8000, "
            "and before it, for another host than those of the seeds, https://static.example.org="
        )
    return ApplicationSource(where, origin.rstrip("/"))


def _is_server(where: str) -> bool:
    if where.startswith("unix:"):
        return where.startswith("unix:/")
    try:
        parts = urlsplit(where)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    is_plain = parts.scheme == "http" and parts.path in ("", "/") and not (parts.query or parts.username)
    return is_plain and port != 0 and (host == "localhost" or is_loopback(host))


def check_applications(value: Any) -> tuple[str, ...]:
    """Applications that can be meant."""
    texts = tuple(parse_texts(value))
    for text in texts:
        parse_application(text)
    return texts


def check_folder(value: Any) -> str:
    """A folder that is there."""
    if not Path(parse_line(value)).is_dir():
        raise ValueError("there is no such folder; give one that is there")
    return str(Path(value).absolute())


def check_program(value: Any) -> str:
    """A program that can be run."""
    if shutil.which(parse_line(value)) is None:
        raise ValueError("there is no such program; give the path of one")
    return str(value)


def check_site_folders(value: Any) -> tuple[str, ...]:
    """Folders of files, each with the URL below which they are served, written in full."""
    return tuple(f"{folder}={prefix}" for folder, prefix in map(parse_site_folder, parse_texts(value)))


def parse_site_folder(text: str) -> tuple[Path, str]:
    """A folder and the URL below which its files are served: `DIR=URL`."""
    match = _match_folder(text)
    prefix = normalize_url(match[2]) if match else None
    if match is None or prefix is None or "?" in prefix or "#" in prefix:
        raise UsageError(f"{text!r} is no folder and its URL; write /srv/site/static=https://example.org/static/")
    if not Path(match[1]).is_dir():
        raise UsageError(f"there is no folder {match[1]}; give one that is there")
    return Path(match[1]).absolute(), f"{prefix.rstrip('/')}/"


@dataclass(frozen=True, slots=True)
class DumpSource:
    """A database to be dumped: the name that tells it from others, and how it is had."""

    name: str
    text: str = field(repr=False)
    """A URL of a database, which may hold a password, or a command."""

    @property
    def kind(self) -> DumpKind:
        """Whose dump it is."""
        kinds = (kind for scheme, kind in _KINDS_BY_SCHEME.items() if self.text.startswith(scheme))
        return next(kinds, DumpKind.COMMAND)

    @property
    def what(self) -> str:
        """The database as its kind names it: an address, a file, or a command."""
        return self.text.removeprefix(_SQLITE_SCHEME)


_SQLITE_SCHEME = "sqlite:"
_KINDS_BY_SCHEME = {
    _SQLITE_SCHEME: DumpKind.SQLITE,
    "postgresql://": DumpKind.POSTGRESQL,
    "postgres://": DumpKind.POSTGRESQL,
    "mysql://": DumpKind.MYSQL,
    "mariadb://": DumpKind.MYSQL,
}


def parse_dumps(texts: Iterable[str]) -> tuple[DumpSource, ...]:
    """Databases as a person writes them, `[NAME=]WHAT`, each with a name of its own."""
    sources = tuple(map(_parse_dump, texts))
    names = [source.name for source in sources]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"two dumps are called {twice}; give each a name, as in shop=sqlite:/srv/shop.db")
    return sources


def check_dumps(value: Any) -> tuple[str, ...]:
    """Databases that can be meant."""
    texts = tuple(parse_texts(value))
    parse_dumps(texts)
    return texts


def _parse_dump(text: str) -> DumpSource:
    match = _match_name(text)
    what = (match[2] if match else text).strip()
    if not what:
        raise UsageError("a dump says nothing; write sqlite:FILE, postgresql://…, mysql://… or a command")
    source = DumpSource("", what)
    if source.kind is DumpKind.SQLITE and not Path(source.what).is_file():
        raise UsageError(f"there is no database {source.what}; give a file that is there")
    return replace(source, name=match[1] if match else _usual_name(source))


def _usual_name(source: DumpSource) -> str:
    """What a dump is called where no one says: as its database is, or `data` for a command."""
    if source.kind is DumpKind.COMMAND:
        return "data"
    path = source.what if source.kind is DumpKind.SQLITE else urlsplit(source.what).path
    return _UNUSUAL_IN_NAMES.sub("-", Path(path).stem.lower()).strip("-") or "data"
