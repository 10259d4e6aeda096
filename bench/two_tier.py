"""The two tiers of a crawl with a browser, against a crawl that runs every page: the same resources, far sooner.

    python -m bench.two_tier [--quick]

A site of eight templates (`bench.mixed_site`), four of them held out from anything tuned; nine pages in ten need no
browser, though all have scripts. Both crawls are webkeep's, with the same Chromium and tabs. `recall` is over URLs,
`recall_pages` over deferred pages that were run: what the others ask for may have been told by a pattern.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measuring import ROOT, result, say
from bench.mixed_site import HELD_OUT, names
from webkeep.store.archive import Archive
from webkeep.store.views import read_state_notes

_TABS = 2


@dataclass(frozen=True)
class Run:
    """One crawl."""

    seconds: float
    urls: frozenset[str]
    """Paths of all that was stored."""
    run: frozenset[str]
    """Paths of the pages that were run."""
    bound: float


def main() -> None:
    """Run both crawls in turn, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pages, once")
    args = parser.parse_args()
    result(measured(240 if args.quick else 1200, 1 if args.quick else 3))


def measured(pages: int, rounds: int) -> dict[str, object]:
    """The figures for a site of so many pages, each crawl made so many times."""
    truth = names(pages)
    needing = {path for path, deferred in truth.items() if deferred}
    always: list[Run] = []
    auto: list[Run] = []
    for turn in range(rounds):
        auto.append(_crawl(pages, "auto"))
        always.append(_crawl(pages, "always"))
        say(f"round {turn + 1}: auto {auto[-1].seconds:.1f} s, always {always[-1].seconds:.1f} s")
    ours, whole = auto[0], always[0]
    for run in (*auto, *always):
        say(f"{len(run.run):,} pages run, {len(run.urls):,} URLs, lacking {sorted(whole.urls - run.urls)[:5]}")
    held_out = {url for url in whole.urls if _is_held_out(url)}
    return {
        "pages": pages,
        "deferred": len(needing),
        "pages_run": len(ours.run),
        "two_tier_speedup": round(
            statistics.median(run.seconds for run in always) / statistics.median(run.seconds for run in auto), 2
        ),
        "precision": round(len(ours.run & needing) / max(len(ours.run), 1), 3),
        "recall": round(min(len(run.urls & whole.urls) for run in auto) / max(len(whole.urls), 1), 4),
        "recall_pages": round(len(ours.run & needing) / max(len(needing), 1), 4),
        "recall_heldout": round(min(len(run.urls & held_out) for run in auto) / max(len(held_out), 1), 4),
        "missed_upper_95": round(max(run.bound for run in auto), 4),
        "resources_equal": all(run.urls == whole.urls for run in auto),
    }


def _is_held_out(path: str) -> bool:
    signs = ("map", "ticker", "rows", "tracks", *HELD_OUT)
    return any(sign in path for sign in signs)


@contextmanager
def site(pages: int) -> Iterator[int]:
    """The site in a process of its own, on the port that is given."""
    words = [sys.executable, "-m", "bench.mixed_site", str(pages)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def _crawl(pages: int, browser: str) -> Run:
    with tempfile.TemporaryDirectory(prefix="webkeep-two-tier-") as folder, site(pages) as port:
        archive = Path(folder) / "archive"
        seed = f"http://127.0.0.1:{port}/article/0.html"
        words = [sys.executable, "-m", "webkeep", "capture", seed, "--into", str(archive), "--scope", "host", "--json",
                 "--no-sitemaps", "--browser", browser, "--states", "0", "--tabs", str(_TABS)]  # fmt: skip
        began = time.monotonic()
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr[-2000:])
        facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        tiers = facts["browser"]["tiers"]
        home = f"http://127.0.0.1:{port}"
        with Archive(archive) as opened:
            urls = frozenset(each.url.removeprefix(home) for each in opened if each.status == 200)
            run = frozenset(note.page.removeprefix(home) for note in read_state_notes(opened))
        return Run(seconds, urls, run, tiers["upper_bound"] if tiers else 0.0)


if __name__ == "__main__":
    main()
