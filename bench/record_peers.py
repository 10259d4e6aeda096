"""The proxies that bench.record compares, each in a process of its own on a port of loopback."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import PEERS, ROOT
from bench.record_client import Place

TLS = ROOT / "tests" / "data" / "tls"
"""The certificates of the server, and who signed them."""
PATIENCE = 600
"""For so many seconds a proxy may go on with its work after it was told to end."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A proxy that is starting, or runs."""

    place: Place
    process: subprocess.Popen[bytes]
    port: int

    def await_start(self) -> None:
        """Return when it listens."""
        deadline = time.monotonic() + PATIENCE / 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise SystemExit(f"no proxy listens on port {self.port}; are all of them installed? (make peers)")


@contextmanager
def webkeep(folder: Path) -> Iterator[Peer]:
    """Our own."""
    port, authority = free_port(), folder / "authority"
    words = ["record", "--into", folder / "archive", "--port", port, "--private", "--authority", authority]
    words += ["--certificate-authorities", TLS / "ca.pem"]
    command = [sys.executable, "-m", "webkeep", *map(str, words)]
    with _running(command) as process:
        yield Peer(Place(f"http://127.0.0.1:{port}", authority / "webkeep-authority.pem"), process, port)
    shutil.rmtree(folder / "archive")


@contextmanager
def mitmdump(folder: Path, words: list[str]) -> Iterator[Peer]:
    """One that passes on, or with `-w` writes its own records."""
    port = free_port()
    configuration = folder / f"mitmproxy-{port}"
    command = [str(PEERS / "mitmproxy/bin/mitmdump"), "-q", "-p", str(port), "--ssl-insecure", *words]
    with _running([*command, "--set", f"confdir={configuration}"]) as process:
        yield Peer(Place(f"http://127.0.0.1:{port}", configuration / "mitmproxy-ca-cert.pem"), process, port)


@contextmanager
def warcprox(folder: Path) -> Iterator[Peer]:
    """One that writes WARC."""
    port, authorities = free_port(), folder / "warcprox-ca.pem"
    words = ["-p", port, "-c", authorities, "-d", folder / "warcprox", "--certs-dir", folder / "warcprox-certs"]
    words += ["--dedup-db-file", "/dev/null", "--stats-db-file", folder / "warcprox-stats", "-q"]
    with _running([str(PEERS / "warcprox/bin/warcprox"), *map(str, words)]) as process:
        yield Peer(Place(f"http://127.0.0.1:{port}", authorities), process, port)


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A proxy that is starting; ended with the block."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
        finally:
            process.kill()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
