"""Replaying at full load for a long time while a crawl writes into the same archive.

    .venv/bin/python -m bench.replay_soak [--quick] [--seconds N]

Eight connections in a closed loop ask for pages, pictures, TimeMaps and the index, again and again; a crawl of the demo
site into the same archive begins anew whenever it is done. Memory is read once a second; its growth is the median of
the last tenth less that of the second tenth, as the first is for warming up.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.measuring import result, say
from bench.replay_client import Request, load
from bench.replay_servers import HOST, MOMENT, Server, build, memory_mb, paths_of, webkeep_server
from webkeep.clock import SystemClock
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan

_AT_ONCE = 2000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.0)
    args = parser.parse_args()
    seconds = args.seconds or (35.0 if args.quick else 600.0)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        result(_measured(Path(folder), seconds, 300 if args.quick else 2000))


def _measured(folder: Path, seconds: float, pages: int) -> dict[str, object]:
    archive = build(folder / "archive", pages)
    ended = threading.Event()
    crawls: list[int] = []
    with (
        DemoServer(DemoSite(SitePlan(speed=1000.0), SystemClock().now())) as demo,
        webkeep_server(archive) as server,
    ):
        crawling = threading.Thread(target=_crawl, args=(archive, demo.url, ended, crawls))
        watching = _Watch(server.pid)
        crawling.start()
        watching.start()
        requests = _requests(server, pages)
        begun, answers, errors = time.monotonic(), 0, 0
        turn = 0
        while time.monotonic() - begun < seconds:
            chosen = random.Random(turn).sample(requests, min(_AT_ONCE, len(requests)))
            got = load(server.port, chosen)
            answers, errors, turn = answers + len(got.latencies), errors + got.errors, turn + 1
            say(f"{time.monotonic() - begun:.0f} s: {got.rate:,.0f}/s, {watching.samples[-1:]} MB")
        took = time.monotonic() - begun
        ended.set()
        watching.ended.set()
        crawling.join()
        watching.join()
    return {
        "seconds": round(took, 1),
        "errors": errors + sum(code not in (0, 1) for code in crawls),
        "rss_growth_mb": watching.growth(),
        "answers": answers,
        "crawls": len(crawls),
        "rss_mb": max(watching.samples),
    }


def _requests(server: Server, pages: int) -> list[Request]:
    """Everything there is to ask for."""
    html, pictures = paths_of(pages)
    stamp, control = MOMENT.digits(), f"localhost:{server.port}"
    host = f"{stamp}h-{HOST.replace('.', '-')}.localhost:{server.port}"
    found = [Request(path, host, "Sec-Fetch-Dest: document\r\n") for path in html]
    found += [Request(path, host, "Sec-Fetch-Dest: image\r\n") for path in pictures]
    for path in html[:: max(len(html) // 200, 1)]:
        url = f"http://{HOST}{path}"
        found += [Request(f"/web/{stamp}id_/{url}", control), Request(f"/timemap/link/{url}", control)]
        found += [Request(f"/cdx?url={url}", control), Request(f"/view/{stamp}/{url}", control)]
    return found


def _crawl(archive: Path, url: str, ended: threading.Event, codes: list[int]) -> None:
    """Capture a site again and again; each crawl that is begun is brought to its end."""
    command = [sys.executable, "-m", "webkeep", "capture", url, "--into", str(archive), "--delay", "0", "--json"]
    while not ended.is_set():
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
        codes.append(done.returncode)


class _Watch(threading.Thread):
    """Reads the memory of a server's processes once a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.ended = threading.Event()
        self.samples: list[float] = []

    def run(self) -> None:
        """Read until told to end."""
        while not self.ended.wait(1.0):
            self.samples.append(memory_mb(self._pid))

    def growth(self) -> float:
        """Megabytes from the second tenth of the time to the last."""
        tenth = max(len(self.samples) // 10, 1)
        early, late = self.samples[tenth : 2 * tenth], self.samples[-tenth:]
        return round(statistics.median(late) - statistics.median(early or self.samples[:1]), 1)


if __name__ == "__main__":
    main()
