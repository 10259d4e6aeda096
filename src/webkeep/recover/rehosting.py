"""The re-host export: every file under the path it had, its bytes as they were, ready for a web server.

Nothing in the files is changed: links lead where they always led, for the site is to live at its old address again.
Names that a web server obeys or runs (`.htaccess`, `web.config`, `index.php`) are spelled otherwise, so that nothing
out of an archive is code or configuration of the machine that serves it. What a path alone does not tell (such a name,
a query, a type that the name contradicts, a redirect) stands in a configuration for nginx and in the `_redirects` and
`_headers` files that static hosts read.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import StorageError, UsageError
from webkeep.formats.codings import BOMB
from webkeep.formats.content_type import media_type
from webkeep.model import Observation
from webkeep.process.new_file import new_file, write_whole
from webkeep.recover.outcome import Line
from webkeep.recover.paths import INDEX, INERT, path_of
from webkeep.store.archive import Archive
from webkeep.store.layout import write_failure
from webkeep.store.reading import RECORD_BOMB
from webkeep.url import normal, resolve, split

_SIGN = ".webkeep-rehost"
_DEFAULT = "text/html"
"""What a file is whose name tells nothing."""


@dataclass(slots=True)
class Rehosted:
    """What an export came to."""

    folder: Path
    files: int = 0
    bytes: int = 0
    redirects: int = 0
    cut: dict[str, str] = field(default_factory=dict)
    """What is not whole, by URL, and why."""
    hosts: set[str] = field(default_factory=set)


def rehost(archive: Archive, lines: Iterable[Line], out: Path, windows: bool = False) -> Rehosted:
    """Write the chosen version of every resource to a folder, and what web servers need to know."""
    check_rehost_place(out)
    done = Rehosted(out)
    try:
        (out / "sites").mkdir(parents=True, exist_ok=True)
        write_whole(out / _SIGN, b"")
        with new_file(out / "files.map") as files, new_file(out / "redirects.map") as redirects:
            writing = _Writing(archive, done, files, redirects, windows)
            for line in lines:
                if line.chosen is not None:
                    writing.write(line)
        for host in sorted(done.hosts):
            writing.write_static(host)
        write_whole(out / "nginx.conf", _nginx(sorted(done.hosts)).encode("utf-8", "replace"))
    except OSError as error:
        raise write_failure(out, error) from error
    return done


def check_rehost_place(out: Path) -> None:
    """Refuse to write where there is something that webkeep did not make."""
    if out.exists() and not (out / _SIGN).exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there and is no re-host export of webkeep; choose a new folder")


class _Writing:
    """Writes one export."""

    def __init__(self, archive: Archive, done: Rehosted, files: BinaryIO, redirects: BinaryIO, windows: bool) -> None:
        self._archive = archive
        self._done = done
        self._files = files
        self._redirects = redirects
        self._windows = windows
        self._static: dict[str, list[str]] = {}
        self._typed: dict[str, list[tuple[str, str]]] = {}

    def write(self, line: Line) -> None:
        """Write the chosen version of one resource."""
        seen = self._observation(line)
        if seen is None:
            return
        holding = self._archive.read(seen)
        parts = split(normal(seen.url) or seen.url)
        self._done.hosts.add(parts.authority)
        location = holding.head.headers.get("location") if holding.head is not None else ""
        if 300 <= (seen.status or 200) < 400 and location:
            self._redirect(parts.authority, parts.target, resolve(seen.url, location) or location)
            return
        path = self._place(path_of(seen.url, self._windows))
        with new_file(path) as file:
            for piece in holding.content(note=partial(self._note, seen.url)):
                self._done.bytes += file.write(piece)
        self._done.files += 1
        named = media_type(holding.head.headers) if holding.head is not None else holding.media_type
        self._tell(parts.authority, parts.target, path, named)

    def _note(self, url: str, code: str, message: str) -> None:
        if code in (BOMB, RECORD_BOMB):
            self._done.cut[url] = f"{message} [{code}]"

    def _observation(self, line: Line) -> Observation | None:
        chosen = line.chosen
        if chosen is None:
            return None
        seen = self._archive.lookup(chosen.url, chosen.moment)
        if seen is None or seen.record_type == "metadata":
            raise StorageError(f"{chosen.url} is not in {self._archive.path} any more; recover it again")
        return seen

    def _place(self, name: str) -> Path:
        """Where a file goes; where one is wanted to be a folder too, it becomes the index of that."""
        path = self._done.folder / "sites" / name
        for above in reversed(path.parents):
            if above.is_file():
                moved = above.with_name(above.name + "~")
                above.rename(moved)
                above.mkdir()
                moved.rename(above / INDEX)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path / INDEX if path.is_dir() else path

    def _redirect(self, host: str, target: str, location: str) -> None:
        self._done.redirects += 1
        self._redirects.write(f"{_quoted(host + target)} {_quoted(location)};\n".encode("utf-8", "replace"))
        self._static.setdefault(host, []).append(f"{target} {location} 301")

    def _tell(self, host: str, target: str, path: Path, named: str) -> None:
        """Say where a file is that its path does not tell, and of which type if its name says otherwise."""
        below = path.relative_to(
            self._done.folder / "sites" / path_of(f"http://{host}/", self._windows).partition("/")[0]
        )
        guessed = mimetypes.guess_type(path.name, strict=False)[0] or ""
        is_typed = bool(named) and named != guessed
        usual = target.partition("?")[0]
        if "?" in target or usual not in (f"/{below.as_posix()}", f"/{below.parent.as_posix()}/".replace("/./", "/")):
            mapped = f"{_quoted(host + target)} {_quoted('/' + below.as_posix())};\n"
            self._files.write(mapped.encode("utf-8", "replace"))
            if "?" not in target and any(part.endswith(INERT) for part in below.parts):
                self._static.setdefault(host, []).append(f"{target} /{below.as_posix()} 200")
        if is_typed:
            self._typed.setdefault(host, []).append((f"/{below.as_posix()}", named))

    def write_static(self, host: str) -> None:
        """Write what static hosts read of one site, and for nginx which files are of another type than they look."""
        site = path_of(f"http://{host}/", self._windows).partition("/")[0]
        typed = self._typed.get(host, [])
        headers = [f"{path}\n  Content-Type: {named}" for path, named in typed]
        for name, told in (("_redirects", self._static.get(host)), ("_headers", headers)):
            if told:
                text = "\n".join(told) + "\n"
                write_whole(self._done.folder / "sites" / site / name, text.encode("utf-8", "replace"))
        odd = [(path, named) for path, named in typed if named != _DEFAULT or mimetypes.guess_type(path)[0]]
        locations = (
            f"location = {_quoted(path)} {{ types {{}} default_type {_quoted(named)}; }}\n" for path, named in odd
        )
        write_whole(self._done.folder / f"types-{site}.conf", "".join(locations).encode("utf-8", "replace"))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "%24")
    return f'"{escaped}"'


def _nginx(hosts: list[str]) -> str:
    """A configuration to be included in that of nginx, from the folder that it lies in."""
    servers = "".join(_server(host) for host in hosts)
    return (
        "# Include this file in the http block of nginx; replace FOLDER by where it lies.\n"
        'map "$http_host$request_uri" $webkeep_file { default "/.none"; include FOLDER/files.map; }\n'
        'map "$http_host$request_uri" $webkeep_location { default ""; include FOLDER/redirects.map; }\n' + servers
    )


def _server(host: str) -> str:
    name, _, port = host.partition(":")
    return (
        f"server {{\n  listen {port or '80'};\n  server_name {name};\n  root FOLDER/sites/{host};\n"
        f"  index index.html;\n  default_type {_DEFAULT};\n  include FOLDER/types-{host}.conf;\n  location / {{\n"
        "    if ($webkeep_location) { return 301 $webkeep_location; }\n"
        "    try_files $webkeep_file $uri $uri/index.html =404;\n  }\n}\n"
    )
