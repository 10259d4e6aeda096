"""Pages of 50 MB in a report: what one takes that holds two versions of such a page, seen twice by one capture."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.measuring import result, run_module, say
from webkeep.model import BytesBody, Exchange, Moment, VisitKind
from webkeep.quality.report import judge_report, read_archive_report, render_report_page
from webkeep.store.archive import Archive, WritableArchive

_PAGE_BYTES = 50_000_000
_PAGES: dict[str, Callable[[], bytes]] = {
    "paragraphs": lambda: (
        b"<p>Words of a long page that goes on and has <a href=/x>links</a></p>\n" * (_PAGE_BYTES // 68)
    ),
    "no spaces": lambda: b"<p>" + "\u7684\u4e00\u662f\u5728".encode() * (_PAGE_BYTES // 12),
    "nothing but tags": lambda: b"<b>a" * (_PAGE_BYTES // 4),
    "one word": lambda: b"a" * _PAGE_BYTES,
}


def measure_large_pages(folder: Path) -> dict[str, object]:
    """The slowest of such reports, and the one that takes most memory, in a process of its own."""
    seconds, memory = 0.0, 0.0
    for name, make in _PAGES.items():
        path = folder / f"large-{name.replace(' ', '-')}"
        _store(path, make())
        run = run_module("bench.quality_large_pages", path)
        say(f"report of a page of 50 MB, {name}: {run.facts['seconds']:.1f} s, {run.rss_mb} MB")
        seconds, memory = max(seconds, run.facts["seconds"]), max(memory, run.rss_mb)
    return {"large_page_report_s": round(seconds, 1), "large_page_report_rss_mb": memory}


def _store(path: Path, page: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    with WritableArchive.create(path) as archive, archive.begin("capture", ["http://site.test/"]) as capture:
        for number, visit in enumerate((VisitKind.VISIT, VisitKind.REVISIT)):
            body = BytesBody(page + b"<p>version %d" % number)
            moment = Moment.parse("2024-03-01T12:00:00Z").plus(number)
            capture.submit(Exchange("http://site.test/", moment, head, body, visit=visit))


def _report(path: Path) -> None:
    began = time.perf_counter()
    with Archive(path) as archive:
        report = read_archive_report(archive)
        pieces = sum(map(len, render_report_page(report, judge_report(report))))
    result({"seconds": time.perf_counter() - began, "bytes": pieces})


if __name__ == "__main__":
    _report(Path(sys.argv[1]))
