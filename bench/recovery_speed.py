"""A lost site of many small resources, recovered by the command from `webkeep serve` on loopback."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import ROOT, MemoryWatch
from bench.replay_servers import webkeep_server
from webkeep.lab.recovery.simulation.site_content import draw_words, render_picture
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

SITE = "http://lost.example/"
MOMENT = Moment.parse("20060225120000")
_BRANCHES = 8
"""How many pages each page leads to, and how many pictures it shows."""
_UNDER_WAY = 500


@dataclass(frozen=True, slots=True)
class Measured:
    """One recovery."""

    resources: int
    missing: int
    seconds: float
    cpu_seconds: float
    """Processor time of the command; the server's is not in it."""
    rss_mb: float

    @property
    def per_second(self) -> float:
        """Resources in a second, from the start of the command to its end."""
        return self.resources / self.seconds


def measured(folder: Path, resources: int) -> Measured:
    """Recover a site of so many resources into a fresh archive."""
    folder.mkdir()
    _build(folder / "held", resources)
    with webkeep_server(folder / "held") as server:
        before = _cpu_of_children()
        told, rss_mb = _recovered(folder, f"cdx=http://127.0.0.1:{server.port}/cdx name=held")
        cpu = _cpu_of_children() - before
    shutil.rmtree(folder)
    back = int(told["recovered"])
    return Measured(back, resources - back, float(told["seconds"]), cpu, rss_mb)


def _cpu_of_children() -> float:
    """Processor time of the children that have ended; the server has not."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _recovered(folder: Path, repository: str) -> tuple[dict[str, float], float]:
    command = [sys.executable, "-m", "webkeep", "recover", SITE, "--json", "--from", repository]
    command += ["--into", str(folder / "back"), "--ledger", str(folder / "ledger.sqlite")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        watch = MemoryWatch(process.pid)
        watch.start()
        last = b""
        assert process.stdout is not None
        for line in process.stdout:
            last = line
        watch.end()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    told: dict[str, float] = json.loads(last)
    return told, watch.peak_mb


def _build(path: Path, resources: int) -> None:
    """An archive of the site: a tree of pages, each with pictures of its own."""
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        waiting = []
        for exchange in _exchanges(resources):
            waiting.append(capture.submit(exchange))
            if len(waiting) > _UNDER_WAY:
                waiting.pop(0).result()
        for each in waiting:
            each.result()


def _exchanges(resources: int) -> Iterator[Exchange]:
    pages = max(resources // (_BRANCHES + 1), 1)
    for number in range(resources):
        if number < pages:
            yield _exchange(_page_url(number), "text/html", _page(number, pages, resources))
        else:
            yield _exchange(_picture_url(number), "image/png", render_picture(number))


def _page_url(number: int) -> str:
    return f"{SITE}part{number % 100}/page{number}.html" if number else SITE


def _picture_url(number: int) -> str:
    return f"{SITE}images/{number % 100}/picture{number}.png"


def _page(number: int, pages: int, resources: int) -> bytes:
    children = range(_BRANCHES * number + 1, min(_BRANCHES * (number + 1) + 1, pages))
    shown = range(pages + number, resources, pages)
    parts = [
        f"<!doctype html><title>{draw_words(f'title {number}', 3)}</title><p>{draw_words(str(number), 120)}</p>",
        *(f'<a href="{_page_url(each)}">{draw_words(str(each), 2)}</a>' for each in children),
        *(f'<img src="{_picture_url(each)}" alt="">' for each in shown),
    ]
    return "\n".join(parts).encode()


def _exchange(url: str, kind: str, data: bytes) -> Exchange:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
    return Exchange(url, MOMENT, head.encode(), BytesBody(data))
