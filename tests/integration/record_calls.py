"""Recordings as people make them: the command in a process of its own, and clients that go through it."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator


@dataclass
class RecordRun:
    """A recording that runs, and what it said."""

    process: subprocess.Popen[str]
    archive: Path
    authority: Path
    port: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    said: str = ""

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> Path:
        return self.authority / "webkeep-authority.pem"

    def next_event(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        event: dict[str, Any] = json.loads(line)
        self.events.append(event)
        return event

    def until(self, *names: str) -> dict[str, Any]:
        """The next event of one of these names."""
        while (event := self.next_event()).get("event") not in names:
            pass
        return event

    def end(self) -> dict[str, Any]:
        """End it as Ctrl-C does; gives the summary."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self) -> dict[str, Any]:
        out, self.said = self.process.communicate(timeout=60)
        assert "Traceback" not in self.said, self.said
        lines = [json.loads(line) for line in out.splitlines()]
        self.events += lines[:-1]
        self.summary = lines[-1]
        return self.summary

    def ask(self, data: bytes, until_close: bool = True) -> bytes:
        """Send bytes to the proxy as they are; gives all that it says."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(data)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        return answer

    def curl(self, *words: object) -> subprocess.CompletedProcess[bytes]:
        command = ["curl", "-sS", "--max-time", "30", "--proxy", self.proxy, "--noproxy", "", "--cacert"]
        return subprocess.run([*command, self.certificate, *map(str, words)], capture_output=True, check=False)


@contextmanager
def recording(folder: Path, *words: object) -> Iterator[RecordRun]:
    """A recording into an archive in a folder; it is killed with the block if it has not ended."""
    archive, authority = folder / "archive", folder / "authority"
    command = [sys.executable, "-m", "webkeep", "record", "--json", "--into", archive, "--port", "0"]
    command += ["--authority", authority, *words]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        run = RecordRun(process, archive, authority)
        try:
            run.port = int(run.until("recording")["proxy"].rpartition(":")[2])
            yield run
        finally:
            if process.poll() is None:
                process.kill()


@dataclass(frozen=True)
class Kept:
    """One record of a WARC file, as warcio reads it."""

    kind: str
    url: str
    head: bytes
    body: bytes
    fields: dict[str, str]


def kept(archive: Path) -> list[Kept]:
    """Every record with a web address, by warcio and not by our own reader."""
    found = []
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                head = b""
                if record.http_headers is not None:
                    head = record.http_headers.to_ascii_bytes()
                body = record.raw_stream.read()
                if url and not url.startswith("urn:"):
                    found.append(Kept(record.rec_type, url, head, body, dict(record.rec_headers.headers)))
    return found


def responses(archive: Path, url: str = "") -> list[Kept]:
    return [each for each in kept(archive) if each.kind in ("response", "revisit") and url in ("", each.url)]


def requests(archive: Path, url: str = "") -> list[Kept]:
    return [each for each in kept(archive) if each.kind == "request" and url in ("", each.url)]
