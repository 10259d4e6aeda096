"""Endless, huge, deep and slow things against capture, recover, mirror and serve: each within bounds.

    .venv/bin/python -m bench.hostile [--quick] [--only WORD]

Each thing meets one command in a process of its own, on loopback. What is measured is the time until it ends by itself,
the peak of anonymous memory of its processes, and what it leaves on the disk. `serve` must answer an ordinary request
within the time at the end. Nothing may be beyond its bound, end with a traceback, or have to be ended by force.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.hostile_material import bomb, zstd_record_bomb
from bench.hostile_server import Answers, HostileServer, running_loop
from bench.hostile_things import LOST, Size, archive_things, client_things, site_things
from bench.measuring import ROOT, MemoryWatch, result, say
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

FULL, QUICK = Size(1 << 30, 1_000_000), Size(128 << 20, 100_000)
SITE = "http://bomb.example/"
AT_ONCE = 8
_PATIENCE = 6
"""For how many seconds an archive is asked before the recovery is told to stop."""
_WORDS = ["--timeout", "4", "--max-size", "8MB", "--retries", "0", "--max-urls", "40", "--max-seconds", "20"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one thing may cost."""

    seconds: float = 300
    """On a machine that does nothing else, most take less than ten."""
    memory_mb: float = 700
    disk_mb: float = 256


@dataclass(frozen=True, slots=True)
class Cost:
    """What one thing cost."""

    command: str
    name: str
    seconds: float
    memory_mb: float
    disk_mb: float
    trouble: str = ""

    def beyond(self, bounds: Bounds) -> str:
        """What is beyond its bound; nothing where all is within."""
        costs = {
            f"{self.seconds:.0f} s": self.seconds > bounds.seconds,
            f"{self.memory_mb:.0f} MB of memory": self.memory_mb > bounds.memory_mb,
            f"{self.disk_mb:.0f} MB of disk": self.disk_mb > bounds.disk_mb,
        }
        return self.trouble or ", ".join(words for words, is_beyond in costs.items() if is_beyond)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller ones, in under 50 seconds")
    parser.add_argument("--only", default="", metavar="WORD", help="those whose names have it")
    args = parser.parse_args()
    bounds, started = Bounds(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder, running_loop() as loop:
        costs = list(_measured(Path(folder), loop, QUICK if args.quick else FULL, bounds, args.only))
    beyond = [cost for cost in costs if cost.beyond(bounds)]
    facts = {
        "things": len(costs),
        "unbounded": len(beyond),
        "slowest_s": max(cost.seconds for cost in costs),
        "memory_mb": max(cost.memory_mb for cost in costs),
        "disk_mb": max(cost.disk_mb for cost in costs),
        "bounds": {"seconds": bounds.seconds, "memory_mb": bounds.memory_mb, "disk_mb": bounds.disk_mb},
        "seconds": round(time.perf_counter() - started, 1),
    }
    result(facts)
    if beyond:
        raise SystemExit(1)


def _measured(folder: Path, loop: asyncio.AbstractEventLoop, size: Size, bounds: Bounds, only: str) -> Iterator[Cost]:
    things = [each for each in _things(folder, loop, size, bounds) if only in f"{each[0]}: {each[1]}"]
    with ThreadPoolExecutor(AT_ONCE) as workers:
        for cost in workers.map(lambda thing: replace(thing[2](), command=thing[0], name=thing[1]), things):
            told = cost.beyond(bounds)
            say(
                f"{cost.command:8} {cost.seconds:6.1f} s {cost.memory_mb:7.1f} MB {cost.disk_mb:7.1f} MB on disk  "
                f"{cost.name}{'  BEYOND: ' + told if told else ''}"
            )
            yield cost


Thing = tuple[str, str, Callable[[], Cost]]


def _things(folder: Path, loop: asyncio.AbstractEventLoop, size: Size, bounds: Bounds) -> Iterator[Thing]:
    for number, (name, answers) in enumerate(site_things(size).items()):
        yield "capture", name, partial(_captured, answers, loop, folder / f"site-{number}", bounds)
    for number, (name, (address, answers)) in enumerate(archive_things(size).items()):
        yield "recover", name, partial(_recovered, address, answers, loop, folder / f"archive-{number}", bounds)
    for number, (name, made) in enumerate(_contents(size).items()):
        yield "mirror", name, partial(_mirrored, made, folder / f"copy-{number}", bounds)
    for number, (name, client) in enumerate(client_things().items()):
        yield "serve", name, partial(_served, client, folder / f"serve-{number}", size, bounds)


def _captured(answers: Answers, loop: asyncio.AbstractEventLoop, place: Path, bounds: Bounds) -> Cost:
    place.mkdir()
    with HostileServer(answers, loop) as site:
        return _run(["capture", site.url, "--into", str(place / "archive"), *_WORDS], place, bounds)


def _recovered(address: str, answers: Answers, loop: asyncio.AbstractEventLoop, place: Path, bounds: Bounds) -> Cost:
    place.mkdir()
    with HostileServer(answers, loop) as archive:
        words = ["recover", LOST, "--from", address.replace("{url}", archive.url), "--into", str(place / "back")]
        return _run(
            [*words, "--ledger", str(place / "ledger"), "--max-size", "8MB"], place, bounds, interrupted_by=archive
        )


def _mirrored(made: Callable[[Path], None], place: Path, bounds: Bounds) -> Cost:
    place.mkdir()
    made(place / "archive")
    return _run(["mirror", str(place / "archive"), str(place / "copy")], place, bounds)


def _served(client: Callable[[int], None], place: Path, size: Size, bounds: Bounds) -> Cost:
    place.mkdir()
    _bombs(size)(place / "archive")
    command = [sys.executable, "-m", "webkeep", "serve", str(place / "archive"), "--port", "0", "--json"]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT) as server:
        watch = MemoryWatch(server.pid)
        watch.start()
        trouble = ""
        try:
            port = _port_of(server)
            with suppress(OSError):
                client(port)
            trouble = "" if _answers(port, bounds.seconds) else "an ordinary request is not answered any more"
        finally:
            server.terminate()
            watch.end()
            server.wait(30)
    return Cost("", "", round(time.perf_counter() - started, 1), watch.peak_mb, _disk_mb(place), trouble)


def _port_of(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    for line in server.stdout:
        found = line.partition("localhost:")[2] or line.partition("127.0.0.1:")[2]
        digits = found[: len(found) - len(found.lstrip("0123456789"))]
        if digits:
            return int(digits)
    raise SystemExit("webkeep serve did not say where it listens")


def _answers(port: int, seconds: float) -> bool:
    with suppress(OSError, http.client.HTTPException):
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        asking.request("GET", "/", headers={"Host": f"localhost:{port}"})
        return asking.getresponse().status < 500
    return False


def _run(words: list[str], place: Path, bounds: Bounds, interrupted_by: HostileServer | None = None) -> Cost:
    """Run a command; one that waits for better times, as with an archive, is told to stop after a while, and must."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "webkeep", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        watch = MemoryWatch(process.pid)
        watch.start()
        said, trouble = "", ""
        try:
            said, trouble = _ended(process, bounds.seconds, interrupted_by)
        finally:
            if process.poll() is None:
                process.kill()
            watch.end()
    if "Traceback" in said or process.returncode not in (0, 1, 3, -signal.SIGTERM):
        trouble = trouble or f"it ended with {process.returncode}: {said.strip().splitlines()[-1:]}"
    return Cost("", "", round(time.perf_counter() - started, 1), watch.peak_mb, _disk_mb(place), trouble)


def _ended(process: subprocess.Popen[str], seconds: float, archive: HostileServer | None) -> tuple[str, str]:
    began = time.monotonic()
    while archive is not None and process.poll() is None and time.monotonic() - began < seconds:
        if archive.requests:
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=_PATIENCE)[1], ""
            process.terminate()
            break
        time.sleep(0.05)
    try:
        return process.communicate(timeout=seconds)[1], ""
    except subprocess.TimeoutExpired:
        return "", "it did not end"


def _disk_mb(place: Path) -> float:
    size = 0
    for root, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(root, name)).st_blocks * 512
    return round(size / (1 << 20), 1)


def _seen(path: str, body: bytes, kind: str, *fields: str) -> Exchange:
    head = "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {kind}", *fields, "", ""]).encode()
    return Exchange(SITE + path, Moment.parse("2024-03-01"), head, BytesBody(body))


def _kept(*exchanges: Exchange) -> Callable[[Path], None]:
    def made(place: Path) -> None:
        with WritableArchive.create(place) as archive, archive.begin("bench", [SITE]) as capture:
            for each in exchanges:
                capture.append(each)

    return made


def _bombs(size: Size) -> Callable[[Path], None]:
    packed = bomb("br", size.bomb)
    return _kept(
        _seen("", packed, "application/octet-stream", "Content-Encoding: br"),
        _seen("page", packed, "text/html", "Content-Encoding: br"),
    )


def _contents(size: Size) -> dict[str, Callable[[Path], None]]:
    """What archives may hold for a copy."""
    found = {
        f"{name} that unpacks to {size.bomb >> 20} MB": _kept(
            _seen("", b"<img src=i>", "text/html"),
            _seen("i", bomb(name, size.bomb), "image/png", f"Content-Encoding: {name}"),
        )
        for name in ("br", "gzip", "zstd", "br,gzip")
    }
    small = bomb("br", 2 << 20)

    def dropped(place: Path) -> None:
        _kept(_seen("", b"<img src=i>", "text/html"))(place)
        (place / "warcs" / "dropped.warc.zst").write_bytes(zstd_record_bomb(f"{SITE}i", 64 << 20))

    return found | {
        "forty bodies that unpack to 2 MB each": _kept(
            *(_seen(f"{number}", small, "image/png", "Content-Encoding: br") for number in range(40))
        ),
        "a page nested beyond all depth": _kept(_seen("", b"<div>" * size.many, "text/html")),
        "style sheets that import each other": _kept(
            _seen("", b"<link rel=stylesheet href=0.css>", "text/html"),
            *(_seen(f"{n}.css", b"@import '%d.css';" % ((n + 1) % 50), "text/css") for n in range(50)),
        ),
        "a record of a few bytes that claims many": dropped,
    }  # fmt: skip


if __name__ == "__main__":
    main()
