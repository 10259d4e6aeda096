"""Live crawls of a changing site by every strategy, over one history for each seed: what stays coherent, how blurred
single visits are, and whether the certificate tells the truth.

    python -m bench.coherence_live [--quick]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from typing import Any

from bench.measuring import ROOT, result, say

SELECTIVE = "sharc-selective"
OFFLINE = "sharc-offline"
OTHERS = tuple(
    f"{order}-{way}" for order in ("breadth-first", "depth-first", "hottest-last") for way in ("fifo", "lifo")
)
"""What Selective is held against."""
BESIDE = ("scouting",)
SINGLE = (OFFLINE, "sharc-online", "hottest-first", "hottest-last")
"""With one visit; the plain orders are seen in the visits of those with revisits."""
_DELAY = 0.008
_STEP = 0.013
"""About what a request takes with that delay, on this kind of machine."""
_SLOWDOWN = 4.0
_AT_ONCE = 4

Figures = Mapping[str, Any]


def main() -> None:
    """Run all, print the table, and the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="300 pages and 2 seeds, fewer strategies")
    args = parser.parse_args()
    pages, seeds = (300, 2) if args.quick else (2000, 5)
    strategies = (SELECTIVE, OFFLINE, *OTHERS) if args.quick else (SELECTIVE, *OTHERS, *BESIDE, *SINGLE)
    runs = _runs(strategies, range(1, seeds + 1), pages)
    incoherent = {name: [run["incoherent"] for run in runs[name]] for name in strategies if name not in SINGLE}
    blur = {_order(name): [run["blur"] for run in runs[name]] for name in strategies if _is_single(name)}
    _tell(incoherent, blur, runs)
    result(
        {
            "pages": min(int(run["pages"]) for each in runs.values() for run in each),
            "seeds": seeds,
            "slowdown": round(statistics.mean(_slowdown(run) for each in runs.values() for run in each), 2),
            "verdict_errors": sum(len(run["errors"]) for each in runs.values() for run in each),
            "incoherent": {name: round(statistics.mean(each), 1) for name, each in incoherent.items()},
            "blur": {name: round(statistics.mean(each), 3) for name, each in blur.items()},
            "selective_margin": _margin(incoherent),
            "offline_margin": _blur_margin(blur),
        }
    )


def _is_single(name: str) -> bool:
    """Whether its blur is looked at: single visits, and one of the two that begin with the same visits."""
    return name in SINGLE or name.endswith("-lifo")


def _order(name: str) -> str:
    return name.removesuffix("-lifo")


def _runs(strategies: Sequence[str], seeds: range, pages: int) -> dict[str, list[Figures]]:
    """The figures of each strategy, by seed; those of one seed run side by side."""
    runs: dict[str, list[Figures]] = {name: [] for name in strategies}
    for seed in seeds:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            crawls = [pool.submit(_crawl, name, seed, pages) for name in strategies]
            for name, crawl in zip(strategies, crawls, strict=True):
                runs[name].append(crawl.result())
                say(f"seed {seed}, {name}: {_told(runs[name][-1])}")
    return runs


def _crawl(strategy: str, seed: int, pages: int) -> Figures:
    words = {"strategy": strategy, "seed": seed, "pages": pages, "delay": _DELAY, "hottest": _SLOWDOWN / _STEP}
    command = [sys.executable, "-m", "bench.coherence_live_crawl"]
    command += [text for name, value in words.items() for text in (f"--{name}", str(value))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{strategy}, seed {seed}: {done.stderr[-1000:]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def _slowdown(run: Figures) -> float:
    """How many times the hottest page changed from one request to the next."""
    return float(run["step"]) * _SLOWDOWN / _STEP


def _told(run: Figures) -> str:
    pace = f"{run['seconds']:.0f} s, slow-down {_slowdown(run):.1f}"
    return f"{run['incoherent']} incoherent, blur {run['blur']:.3f}, {pace}"


def _margin(incoherent: Mapping[str, Sequence[float]]) -> float:
    """By how many standard errors of the paired differences the best other leaves more than Selective."""
    best = min(OTHERS, key=lambda name: statistics.mean(incoherent[name]))
    return _errors(incoherent[best], incoherent[SELECTIVE])


def _blur_margin(blur: Mapping[str, Sequence[float]]) -> float:
    best = min((name for name in blur if name != OFFLINE), key=lambda name: statistics.mean(blur[name]))
    return _errors(blur[best], blur[OFFLINE])


def _errors(more: Sequence[float], less: Sequence[float]) -> float:
    differences = [one - other for one, other in zip(more, less, strict=True)]
    spread = statistics.stdev(differences) / sqrt(len(differences))
    return round(statistics.mean(differences) / spread, 2) if spread else 0.0


def _tell(
    incoherent: Mapping[str, Sequence[float]],
    blur: Mapping[str, Sequence[float]],
    runs: Mapping[str, Sequence[Figures]],
) -> None:
    for title, table, best in (("incoherent pages", incoherent, SELECTIVE), ("blur", blur, OFFLINE)):
        say(f"{title}, and how much more than {best} (paired by seed, with the spread of the differences)")
        for name, values in sorted(table.items(), key=lambda each: statistics.mean(each[1])):
            more = [one - other for one, other in zip(values, table[best], strict=True)]
            spread = statistics.stdev(more) if len(more) > 1 else 0.0
            say(f"  {name:22} {statistics.mean(values):10.2f}   {statistics.mean(more):+9.2f} ± {spread:.2f}")
    for name, each in runs.items():
        for run in each:
            for url in run["errors"]:
                say(f"the certificate is wrong on {url} ({name})")


if __name__ == "__main__":
    main()
