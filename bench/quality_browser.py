"""The memory and time of `report --browser`: webkeep's own processes and Chromium's, for a few pages and for many."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from bench.measuring import ROOT, MemoryWatch, say
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.model import Moment

_FEW, _MANY = 5, 40
"""Pages that are opened: what grows with them shows between the two."""
_PAGES = 120
"""Of the site."""
_START = "2026-01-01T00:00:00Z"


def measure_browser_report(folder: Path) -> dict[str, object]:
    """Megabytes at most and seconds a page, live against replay."""
    archive = folder / "browsed"
    figures: dict[str, object] = {}
    with DemoServer(DemoSite(SitePlan(seed=1, pages=_PAGES), Moment.parse(_START))) as server:
        _run("capture", server.url, "--into", str(archive), "--delay", "0", "--browser", "off")
        for name, pages in (("few", _FEW), ("many", _MANY)):
            words = ["report", str(archive), "--browser", "--browser-pages", str(pages), "--browser-seconds", "1200"]
            told, own_mb, all_mb, seconds = _run(*words)
            looked_at = len(told["fidelity"]["pages"])
            say(f"report --browser of {looked_at} pages: {seconds:.0f} s, {own_mb} MB, {all_mb} MB with Chromium")
            figures |= {
                f"browser_pages_{name}": looked_at,
                f"browser_rss_mb_{name}": own_mb,
                f"browser_rss_mb_{name}_with_chromium": all_mb,
                f"browser_s_per_page_{name}": round(seconds / max(looked_at, 1), 2),
            }
    return figures


def _run(*words: str) -> tuple[dict[str, dict[str, list[object]]], float, float, float]:
    """What a command told, the most memory it had without and with Chromium, and how long it took."""
    command = [sys.executable, "-m", "webkeep", *words, "--json"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        watches = [MemoryWatch(process.pid, is_counted=_is_own), MemoryWatch(process.pid)]
        for watch in watches:
            watch.start()
        try:
            output, _ = process.communicate(timeout=3000)
        finally:
            for watch in watches:
                watch.end()
            process.kill()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    own, whole = (watch.peak_mb for watch in watches)
    return json.loads(output.splitlines()[-1]), own, whole, time.perf_counter() - began


def _is_own(pid: int) -> bool:
    try:
        return "python" in Path(f"/proc/{pid}/comm").read_text()
    except OSError:  # it has ended meanwhile
        return False
