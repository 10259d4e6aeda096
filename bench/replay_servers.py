"""Archives to replay, and servers that replay them: webkeep and pywb, on the same WARC file."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import PEERS
from bench.record_peers import free_port
from bench.reference_site import reference_site
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive
from webkeep.store.folder import FileBody

HOST = "replay.example"
MOMENT = Moment.parse("20240301120000")
VIDEO = f"http://{HOST}/video.mp4"
_TYPES = {".html": "text/html; charset=utf-8", ".jpg": "image/jpeg", ".css": "text/css", ".js": "text/javascript"}
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int
    pid: int


def paths_of(pages: int) -> tuple[list[str], list[str]]:
    """The paths of pages and of pictures."""
    files = reference_site(pages).files()
    return [path for path, file in files.items() if file.suffix == ".html"], [
        path for path, file in files.items() if file.suffix == ".jpg"
    ]


def build(path: Path, pages: int, video: Path | None = None) -> Path:
    """An archive of the reference site, and of a long video where there is one."""
    with WritableArchive.create(path, rotate_at=16 << 30) as archive, archive.begin("capture") as capture:
        waiting = []
        for name, file in reference_site(pages).files().items():
            data = file.read_bytes()
            waiting.append(capture.submit(_exchange(name, _TYPES[file.suffix or ".html"], BytesBody(data))))
            if len(waiting) > 500:
                waiting.pop(0).result()
        if video is not None:
            body = FileBody(video, video.stat().st_size)
            waiting.append(capture.submit(_exchange("/video.mp4", "video/mp4", body)))
        for each in waiting:
            each.result()
    return path


def _exchange(path: str, kind: str, body: BytesBody | FileBody) -> Exchange:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {body.size}\r\n\r\n"
    return Exchange(f"http://{HOST}{path}", MOMENT, head.encode(), body)


@contextmanager
def webkeep_server(archive: Path, *options: str) -> Iterator[Server]:
    """`webkeep serve`."""
    command = [sys.executable, "-m", "webkeep", "serve", str(archive), "--port", "0", "--json", "--no-words", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield Server(int(told["port"]), process.pid)
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def pywb_server(archive: Path, folder: Path) -> Iterator[Server]:
    """The server that comes with pywb, on a collection that holds the archive's WARC file."""
    manager, server = PEERS / "pywb/bin/wb-manager", PEERS / "pywb/bin/wayback"
    folder.mkdir()
    subprocess.run([manager, "init", "bench"], cwd=folder, check=True, capture_output=True)
    held = folder / "collections/bench/archive"
    for file in (archive / "warcs").iterdir():
        (held / file.name).symlink_to(file)
    subprocess.run([manager, "reindex", "bench"], cwd=folder, check=True, capture_output=True)
    port = free_port()
    command = [str(server), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield Server(port, process.pid)
        finally:
            process.terminate()
            process.wait(20)
            shutil.rmtree(folder)


def memory_mb(pid: int) -> float:
    """The anonymous memory of a process and of those that it started."""
    pids, total = [pid], 0
    while pids:
        each = Path(f"/proc/{pids.pop()}")
        try:
            lines = (each / "status").read_text().splitlines()
            total += next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)
            pids += [int(child) for file in each.glob("task/*/children") for child in file.read_text().split()]
        except OSError:  # it has ended
            continue
    return round(total / 1024, 1)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("a server did not start")
