"""Writing, reading, indexing and looking up, beside warcio, FastWARC and cdxj-indexer on the same records."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.measuring import PEERS, median, result, run_child, run_module, say

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same on less work, in under 50 seconds")
    args = parser.parse_args()
    pairs, entries = (3_000, 300_000) if args.quick else (15_000, 10_000_000)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        facts = _writing_and_reading(Path(folder), pairs) | _looking_up(Path(folder), entries)
    result(facts)


def _writing_and_reading(folder: Path, pairs: int) -> dict[str, object]:
    rounds: dict[str, list[float]] = {}
    memory: list[float] = []
    size = 0.0
    for number in range(ROUNDS):
        warcs, archive = folder / f"warcs-{number}", folder / f"archive-{number}"
        warcio = run_module("bench.archive_tasks", "write-warcio", warcs, pairs)
        webkeep = run_module("bench.archive_tasks", "write-webkeep", archive, pairs)
        memory.append(webkeep.rss_mb)
        size = webkeep.facts["bytes"] / warcio.facts["bytes"]
        _note(rounds, "write", warcio=warcio.facts["seconds"], webkeep=webkeep.facts["seconds"])
        read = {
            name: run_module("bench.archive_tasks", f"read-{name}", warcs) for name in ("warcio", "fastwarc", "webkeep")
        }
        if len({run.facts["payloads"] for run in read.values()}) != 1:
            raise SystemExit(f"the readers did not read the same bytes: {read}")
        memory.append(read["webkeep"].rss_mb)
        _note(rounds, "read", **{name: run.facts["seconds"] for name, run in read.items()})
        indexer = [str(PEERS / "tools/bin/python"), str(Path(__file__).with_name("cdxj_indexer_task.py")), str(warcs)]
        peer = run_child(indexer)
        ours = run_module("bench.archive_tasks", "index-webkeep", warcs, folder / f"indexed-{number}")
        if peer.facts["entries"] != ours.facts["entries"]:
            raise SystemExit(f"the indexes differ: {peer.facts} {ours.facts}")
        memory.append(ours.rss_mb)
        _note(rounds, "index", cdxj_indexer=peer.facts["seconds"], webkeep=ours.facts["seconds"])
    records = 2 * pairs
    return {
        "write_vs_warcio": _ratio(rounds, "write", "warcio"),
        "size_vs_warcio": round(size, 3),
        "read_vs_warcio": _ratio(rounds, "read", "warcio"),
        "read_vs_fastwarc": _ratio(rounds, "read", "fastwarc"),
        "index_vs_cdxj_indexer": _ratio(rounds, "index", "cdxj_indexer"),
        "records": records,
        "records_per_s": {
            task: round(records / median(rounds[f"{task} webkeep"])) for task in ("write", "read", "index")
        },
        "rss_mb": max(memory),
    }


def _looking_up(folder: Path, entries: int) -> dict[str, object]:
    path = folder / "lookup"
    built = run_module("bench.archive_tasks", "build-index", path, entries)
    say(f"an index of {entries:,} entries took {built.facts['seconds']:.1f} s, {built.facts['bytes'] / 1e6:,.0f} MB")
    runs = [run_module("bench.archive_tasks", "look-up", path, entries) for _ in range(ROUNDS)]
    return {
        "lookups_per_s": round(median(run.facts["lookups"] / run.facts["seconds"] for run in runs)),
        "lookup_entries": entries,
        "lookup_rss_mb": max(run.rss_mb for run in runs),
        "index_build_rss_mb": built.rss_mb,
    }


def _note(rounds: dict[str, list[float]], task: str, **seconds: float) -> None:
    for name, value in seconds.items():
        rounds.setdefault(f"{task} {name}", []).append(value)
    say(f"{task}: " + ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items()))


def _ratio(rounds: dict[str, list[float]], task: str, peer: str) -> float:
    pairs = zip(rounds[f"{task} {peer}"], rounds[f"{task} webkeep"], strict=True)
    return median(theirs / ours for theirs, ours in pairs)


if __name__ == "__main__":
    main()
