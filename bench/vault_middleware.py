"""What putting blocks into pages while they are served costs an application, beside the same one whose pages end with
the same bytes already.

Both serve the same bytes, which is checked. The other one makes its pages that long itself, as text; `_least` is beside
one that only puts ready bytes behind its encoded pages. They take turns as in bench.middleware: the cost is for each
start the median over pairs of turns, then the mean over starts, with its standard error.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

from bench.measuring import ROOT, median
from bench.middleware import Comparison, Server, compare, serving
from bench.middleware_app import PAGES

_PATHS = ["/", *(f"/articles/{number}" for number in range(PAGES))]
_NEW_PATHS = [f"/tides/{number}" for number in range(PAGES)]
"""Pages that are never the same twice: that they can carry blocks is told by what they have in common."""
_NEW_SHARE, _LEAST_SHARE = 0.25, 0.25
"""Of the time."""
_COMPONENT_BYTES = 300_000
"""Packed; blocks of a plan for 60 % of a hundred pages then are about 8 kB, pages have 10 to 20."""


def cost(seconds: float = 12, starts: int = 2) -> dict[str, object]:
    """The share of requests a second that it costs, and how long that is for each."""
    seen, least, new = Comparison(), Comparison(), Comparison()
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as name:
        folder = Path(name)
        vault = _protect(folder)
        for _ in range(starts):
            with (
                serving(folder / "tails.log", "bench.vault_app", str(vault), "--as-tails") as plain,
                serving(folder / "bytes.log", "bench.vault_app", str(vault), "--as-bytes") as ready,
                serving(folder / "vault.log", "bench.vault_app", str(vault)) as carrying,
            ):
                _check_same(plain, carrying)
                _check_same(ready, carrying)
                compare(_PATHS, (plain, carrying), seconds / starts * (1 - _NEW_SHARE - _LEAST_SHARE), seen)
                compare(_PATHS, (ready, carrying), seconds / starts * _LEAST_SHARE, least)
                compare(_NEW_PATHS, (plain, carrying), seconds / starts * _NEW_SHARE, new)
    loss, rate = statistics.mean(seen.losses), median(seen.rates)
    return {
        "middleware_cost": round(loss, 4),
        "middleware_cost_error": round(statistics.stdev(seen.losses) / starts**0.5, 4),
        "middleware_cost_cpu": round(statistics.mean(seen.cpu), 4),
        "middleware_cost_least": round(statistics.mean(least.losses), 4),
        "middleware_cost_all_new": round(statistics.mean(new.losses), 4),
        "middleware_us": round(1e6 / rate * (1 / (1 - loss) - 1), 1),
        "middleware_requests_per_s": round(rate),
        "middleware_failed": seen.failed + least.failed + new.failed,
    }


def _protect(folder: Path) -> Path:
    """A vault over the pages of the application."""
    (folder / "component").write_bytes(random.Random(3).randbytes(_COMPONENT_BYTES))
    (folder / "pages").write_text("".join(f"{path} 16000\n" for path in (*_PATHS, *_NEW_PATHS)))
    command = [sys.executable, "-m", "webkeep", "vault", "protect", folder / "vault", "--component",
               folder / "component", "--page-list", folder / "pages", "--unencrypted"]  # fmt: skip
    subprocess.run([str(each) for each in command], cwd=ROOT, check=True, capture_output=True)
    return folder / "vault"


def _check_same(plain: Server, carrying: Server) -> None:
    for path in _PATHS[:5]:
        first, second = (urlopen(f"http://127.0.0.1:{server.port}{path}").read() for server in (plain, carrying))
        if first != second:
            raise SystemExit(f"the two servers do not serve the same {path}")
