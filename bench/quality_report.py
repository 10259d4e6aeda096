"""The report of a very large archive: how long it takes and how much memory, content verdicts included.

The archive is made by the product's own writer: a site in a tree of directories, captured several times, on which a
part of the pages changes between captures, a few come and go, and some links lead nowhere.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from bench.measuring import Run, run_child, run_module, say
from webkeep.model import BytesBody, Exchange, Fate, Moment, UrlOutcome
from webkeep.store.archive import WritableArchive

CAPTURES = 10
_SITE = "http://large.example"
_START = Moment.parse("2026-01-01T00:00:00Z")
_WEEK_SECONDS = 7 * 86_400
_PER_DIRECTORY = 200
"""Pages of one directory."""
_WORDS = [
    "harbour",
    "tide",
    "ferry",
    "market",
    "weather",
    "council",
    "notice",
    "archive",
    "history",
    "lantern",
    "slipway",
    "quay",
]


def measure_report(folder: Path, observations: int, pages: int) -> dict[str, object]:
    """Seconds and memory of the report of an archive with so many observations, of which so many pages are read."""
    path = folder / "large"
    built = run_module("bench.quality_report", "build", path, observations)
    say(f"an archive of {built.facts['observations']:,.0f} observations took {built.seconds:.0f} s to make")
    run: Run = run_child([sys.executable, "-m", "webkeep", "report", str(path), "--pages", str(pages), "--json"])
    verdicts = run.facts["steps"][-1]["counts"]["pages"]  # type: ignore[index]
    say(f"its report took {run.seconds:.1f} s and {run.rss_mb:.0f} MB; pages of the last capture: {verdicts}")
    return {
        "report_observations": round(built.facts["observations"]),
        "report_pages_read": pages,
        "report_s": round(run.seconds, 1),
        "report_rss_mb": round(run.rss_mb, 1),
    }


def build(path: Path, observations: int) -> int:
    """Make the archive; gives how many observations it has."""
    pages = observations // CAPTURES
    made = 0
    with WritableArchive.create(path) as archive:
        for number in range(CAPTURES):
            started = _START.plus(number * _WEEK_SECONDS)
            with archive.begin("capture", [f"{_SITE}/"]) as capture:
                for page in range(pages):
                    capture.submit(_exchange(page, number, started))
                    made += 1
                capture.submit_fates(_fates(pages))
    return made


def _exchange(page: int, number: int, started: Moment) -> Exchange:
    """A page in a capture: one in fifty changes each week, one in five hundred is only there in every other."""
    version = number if page % 50 == 1 else number // 5 if page % 50 == 2 else 0
    gone = page % 500 == 3 and number % 2 == 1
    chance = random.Random(page)
    text = " ".join(chance.choice(_WORDS) for _ in range(60))
    body = f"<title>{page}</title><p>{text} {version}<a href='/d{page % 997}/'>on</a><img src='/p/{page % 99}.png'>"
    status = "404 Not Found" if gone else "200 OK"
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n".encode()
    return Exchange(_url(page), started.plus(page / 10), head, BytesBody(body.encode()), via=_parent(page))


def _url(page: int) -> str:
    return f"{_SITE}/d{page // _PER_DIRECTORY}/page-{page}.html" if page else f"{_SITE}/"


def _parent(page: int) -> str:
    return _url((page - 1) // 20) if page else ""


def _fates(pages: int) -> list[Fate]:
    """What the capture did not store: one link in a hundred."""
    return [
        Fate(f"{_SITE}/lost/{page}", UrlOutcome.FAILED, "connection refused, asked 4 times", _url(page))
        for page in range(0, pages, 100)
    ]


if __name__ == "__main__":
    began = time.perf_counter()
    count = build(Path(sys.argv[2]), int(sys.argv[3]))
    print(f'{{"observations": {count}, "seconds": {time.perf_counter() - began:.1f}}}')
