"""The re-host export: every file under the path it had, its bytes as they were, ready for a web server; what is written
for nginx and for static hosts, and what becomes of redirects.

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
from webkeep.formats.codings import CODING_BOMB
from webkeep.formats.http import declared_media_type
from webkeep.formats.status import is_redirection
from webkeep.model import Observation, RecordType
from webkeep.process import atomic_file, write_atomically
from webkeep.recover.report.outcome import OutcomeLine
from webkeep.recover.report.rehost_paths import INDEX_NAME, INERT_SUFFIX, path_from_url
from webkeep.store.archive import Archive
from webkeep.store.folder import write_error
from webkeep.store.reading import RECORD_BOMB
from webkeep.url import normalize_url, resolve_url, split_url

_MARKER_FILE = ".webkeep-rehost"
_DEFAULT_TYPE = "text/html"
"""What a file is whose name tells nothing."""


@dataclass(slots=True)
class RehostResult:
    """What an export came to."""

    folder: Path
    files: int = 0
    bytes: int = 0
    redirects: int = 0
    cut: dict[str, str] = field(default_factory=dict)
    """What is not whole, by URL, and why."""
    hosts: set[str] = field(default_factory=set)


def rehost(archive: Archive, lines: Iterable[OutcomeLine], out: Path, windows: bool = False) -> RehostResult:
    """Write the chosen version of every resource to a folder, and what web servers need to know."""
    check_rehost_folder(out)
    done = RehostResult(out)
    try:
        (out / "sites").mkdir(parents=True, exist_ok=True)
        write_atomically(out / _MARKER_FILE, b"")
        with atomic_file(out / "files.map") as files, atomic_file(out / "redirects.map") as redirects:
            writing = _RehostWriter(archive, done, files, redirects, windows)
            for line in lines:
                if line.chosen is not None:
                    writing.write(line)
        for host in sorted(done.hosts):
            writing.write_host_files(host)
        write_atomically(out / "nginx.conf", _nginx_config(sorted(done.hosts)).encode("utf-8", "replace"))
    except OSError as error:
        raise write_error(out, error) from error
    return done


def check_rehost_folder(out: Path) -> None:
    """Refuse to write where there is something that webkeep did not make."""
    if out.exists() and not (out / _MARKER_FILE).exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there and is no re-host export of webkeep; choose a new folder")


class _RehostWriter:
    """Writes one export."""

    def __init__(
        self, archive: Archive, done: RehostResult, files: BinaryIO, redirects: BinaryIO, windows: bool
    ) -> None:
        self._archive = archive
        self._result = done
        self._files = files
        self._redirects = redirects
        self._windows = windows
        self._static: dict[str, list[str]] = {}
        self._typed: dict[str, list[tuple[str, str]]] = {}

    def write(self, line: OutcomeLine) -> None:
        """Write the chosen version of one resource."""
        seen = self._observation(line)
        if seen is None:
            return
        stored = self._archive.read(seen)
        parts = split_url(normalize_url(seen.url) or seen.url)
        self._result.hosts.add(parts.authority)
        location = stored.head.headers.get("location") if stored.head is not None else ""
        if is_redirection(seen.status) and location:
            self._write_redirect(parts.authority, parts.target, resolve_url(seen.url, location) or location)
            return
        path = self._file_path(path_from_url(seen.url, self._windows))
        with atomic_file(path) as file:
            for piece in stored.content(on_flaw=partial(self._note_bomb, seen.url)):
                self._result.bytes += file.write(piece)
        self._result.files += 1
        named = declared_media_type(stored.head.headers) if stored.head is not None else stored.media_type
        self._write_mapping(parts.authority, parts.target, path, named)

    def _note_bomb(self, url: str, code: str, message: str) -> None:
        if code in (CODING_BOMB, RECORD_BOMB):
            self._result.cut[url] = f"{message} [{code}]"

    def _observation(self, line: OutcomeLine) -> Observation | None:
        chosen = line.chosen
        if chosen is None:
            return None
        seen = self._archive.lookup(chosen.url, chosen.moment)
        if seen is None or seen.record_type == RecordType.METADATA:
            raise StorageError(f"{chosen.url} is not in {self._archive.path} any more; recover it again")
        return seen

    def _file_path(self, name: str) -> Path:
        """Where a file goes; where one is wanted to be a folder too, it becomes the index of that."""
        path = self._result.folder / "sites" / name
        for above in reversed(path.parents):
            if above.is_file():
                moved = above.with_name(above.name + "~")
                above.rename(moved)
                above.mkdir()
                moved.rename(above / INDEX_NAME)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path / INDEX_NAME if path.is_dir() else path

    def _write_redirect(self, host: str, target: str, location: str) -> None:
        self._result.redirects += 1
        self._redirects.write(f"{_nginx_quote(host + target)} {_nginx_quote(location)};\n".encode("utf-8", "replace"))
        self._static.setdefault(host, []).append(f"{target} {location} 301")

    def _write_mapping(self, host: str, target: str, path: Path, named: str) -> None:
        """Say where a file is that its path does not tell, and of which type if its name says otherwise."""
        below = path.relative_to(
            self._result.folder / "sites" / path_from_url(f"http://{host}/", self._windows).partition("/")[0]
        )
        guessed = mimetypes.guess_type(path.name, strict=False)[0] or ""
        is_typed = bool(named) and named != guessed
        usual = target.partition("?")[0]
        if "?" in target or usual not in (f"/{below.as_posix()}", f"/{below.parent.as_posix()}/".replace("/./", "/")):
            mapped = f"{_nginx_quote(host + target)} {_nginx_quote('/' + below.as_posix())};\n"
            self._files.write(mapped.encode("utf-8", "replace"))
            if "?" not in target and any(part.endswith(INERT_SUFFIX) for part in below.parts):
                self._static.setdefault(host, []).append(f"{target} /{below.as_posix()} 200")
        if is_typed:
            self._typed.setdefault(host, []).append((f"/{below.as_posix()}", named))

    def write_host_files(self, host: str) -> None:
        """Write what static hosts read of one site, and for nginx which files are of another type than they look."""
        site = path_from_url(f"http://{host}/", self._windows).partition("/")[0]
        typed = self._typed.get(host, [])
        headers = [f"{path}\n  Content-Type: {named}" for path, named in typed]
        for name, told in (("_redirects", self._static.get(host)), ("_headers", headers)):
            if told:
                text = "\n".join(told) + "\n"
                write_atomically(self._result.folder / "sites" / site / name, text.encode("utf-8", "replace"))
        odd = [(path, named) for path, named in typed if named != _DEFAULT_TYPE or mimetypes.guess_type(path)[0]]
        locations = (
            f"location = {_nginx_quote(path)} {{ types {{}} default_type {_nginx_quote(named)}; }}\n"
            for path, named in odd
        )
        write_atomically(self._result.folder / f"types-{site}.conf", "".join(locations).encode("utf-8", "replace"))


def _nginx_quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "%24")
    return f'"{escaped}"'


def _nginx_config(hosts: list[str]) -> str:
    """A configuration to be included in that of nginx, from the folder that it lies in."""
    servers = "".join(_nginx_server(host) for host in hosts)
    return (
        "# Include this file in the http block of nginx; replace FOLDER by where it lies.\n"
        'map "$http_host$request_uri" $webkeep_file { default "/.none"; include FOLDER/files.map; }\n'
        'map "$http_host$request_uri" $webkeep_location { default ""; include FOLDER/redirects.map; }\n' + servers
    )


def _nginx_server(host: str) -> str:
    name, _, port = host.partition(":")
    return (
        f"server {{\n  listen {port or '80'};\n  server_name {name};\n  root FOLDER/sites/{host};\n"
        f"  index index.html;\n  default_type {_DEFAULT_TYPE};\n  include FOLDER/types-{host}.conf;\n  location / {{\n"
        "    if ($webkeep_location) { return 301 $webkeep_location; }\n"
        "    try_files $webkeep_file $uri $uri/index.html =404;\n  }\n}\n"
    )
