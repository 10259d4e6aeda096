"""How much memory a very large response takes: imported, read back, read near its end, verified, exported, mended."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.measuring import Run, result, run_module, say

BAR_MB = 150
STEPS = ("import", "read", "range", "verify", "export-warc", "export-wacz", "export-part", "export-revisit", "remove")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a body of 200 MB in place of 2 GB")
    args = parser.parse_args()
    size = 200_000_000 if args.quick else 2_000_000_000
    steps: dict[str, object] = {}
    peak, first_byte = 0.0, {}
    for kind in ("video", "text"):
        with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
            for name, run in _runs(Path(folder), kind, size):
                steps[f"{kind} {name}"] = {"rss_mb": run.rss_mb, "seconds": round(run.seconds, 2)}
                peak = max(peak, run.rss_mb)
                if name == "range":
                    first_byte[kind] = round(run.facts["first_byte_ms"], 1)
    result(
        {
            "body_gb": size / 1e9,
            "rss_mb": peak,
            "bar_mb": BAR_MB,
            "range_first_byte_ms": first_byte["video"],
            "range_first_byte_ms_compressed": first_byte["text"],
            "steps": steps,
        }
    )


def _runs(folder: Path, kind: str, size: int) -> list[tuple[str, Run]]:
    """Every step in a process of its own, each checked against the digest of the body that was made."""
    made = run_module("bench.memory_tasks", "make", folder, kind, size)
    say(f"{kind}: {made.facts['bytes'] / 1e6:,.0f} MB of WARC made in {made.seconds:.1f} s")
    runs = []
    for name in STEPS:
        run = run_module("bench.memory_tasks", name, folder)
        say(f"{kind} {name}: {run.rss_mb:.0f} MB, {run.seconds:.1f} s")
        runs.append((name, run))
    return runs


if __name__ == "__main__":
    main()
