"""nginx on loopback with one worker, and what its log says of who asked for what, and when."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
    types {{ text/html html; text/css css; text/javascript js; image/jpeg jpg; }}
    default_type application/octet-stream;
    charset utf-8;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    keepalive_timeout 300s;
    open_file_cache max=20000 inactive=300s;
    log_format timed '$msec $request_time $status $bytes_sent $request_uri';
    access_log {folder}/access.log timed buffer=256k flush=1s;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        {site}
    }}
}}
"""
_PATIENCE = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of the server's log."""

    began: float
    """Seconds since 1970."""
    ended: float
    status: int
    size: int
    """Bytes of the answer, its head included."""
    path: str


class Nginx:
    """Serves a site while the `with` block lasts; its log is whole when the block has ended."""

    def __init__(self, folder: Path, site: str) -> None:
        self._folder = folder
        self._site = site
        self._process: subprocess.Popen[bytes] | None = None
        self._cpu_seconds = 0.0
        self.port = _free_port()

    @classmethod
    def serving(cls, files: Path, folder: Path) -> Self:
        """A server of the files in a folder."""
        return cls(folder, f"root {files}; index index.html;")

    @property
    def url(self) -> str:
        """The root of the site."""
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        configuration = self._folder / "nginx.conf"
        configuration.write_text(_CONFIGURATION.format(folder=self._folder, port=self.port, site=self._site))
        errors = self._folder / "error.log"
        self._process = subprocess.Popen(["nginx", "-p", self._folder, "-c", configuration, "-e", errors], env=_path())
        _await_port(self.port, self._process, errors)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._cpu_seconds = self.cpu_seconds()
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(_PATIENCE)
            self._process = None

    def cpu_seconds(self) -> float:
        """How much processor time the server has used."""
        if self._process is None:
            return self._cpu_seconds
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self) -> Iterator[Asked]:
        """Every request that was answered, in the order of their ends."""
        with (self._folder / "access.log").open(encoding="latin-1") as lines:
            for line in lines:
                ended, seconds, status, size, path = line.rstrip("\n").split(" ", 4)
                yield Asked(float(ended) - float(seconds), float(ended), int(status), int(size), path)


def _path() -> dict[str, str]:
    return {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin"}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _await_port(port: int, process: subprocess.Popen[bytes], errors: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    process.kill()
    raise SystemExit(f"nginx does not start: {errors.read_text()[-500:] if errors.exists() else 'no log'}")
