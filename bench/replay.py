"""Replaying an archive beside pywb: rewritten pages, pictures, and a range far into a long video.

    .venv/bin/python -m bench.replay [--quick] [--turns N] [--video-gb N]

Both servers show the same WARC file and run at the same time; they take turns, eight connections in a closed loop, and
every URL is asked for once. A ratio is the median of those of single turns, because machines are not equally quick at
all times. pywb serves what it calls `mp_` (rewritten, without a frame around it) and `im_`; webkeep the same to a
browser on a replay host. The latencies compared are webkeep's 99th percentile and pywb's median, over pages and
pictures.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import MemoryWatch, cpu_seconds, median, result, say
from bench.replay_client import Load, Request, first_byte, load
from bench.replay_servers import HOST, MOMENT, VIDEO, Server, build, paths_of, pywb_server, webkeep_server

_SHARE = 0.12
"""How many of webkeep's requests pywb is given in a turn, so that turns take about as long."""
_FIELDS = {"html": "Sec-Fetch-Dest: document\r\n", "image": "Sec-Fetch-Dest: image\r\n"}
_MARKS = {"html": "mp_", "image": "im_"}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done."""

    turns: int
    pages: int
    video_gb: float


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--video-gb", type=float, default=0.0)
    args = parser.parse_args()
    usual = Effort(3, 1500, 0.25) if args.quick else Effort(7, 5000, 2.0)
    effort = Effort(args.turns or usual.turns, usual.pages, args.video_gb or usual.video_gb)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        result(_measured(Path(folder), effort))


def _measured(folder: Path, effort: Effort) -> dict[str, object]:
    archive = build(folder / "archive", effort.pages)
    seen: dict[str, list[dict[str, Load]]] = {}
    with webkeep_server(archive) as ours, pywb_server(archive, folder / "pywb") as theirs:
        watch = MemoryWatch(ours.pid)
        watch.start()
        pages, pictures = paths_of(effort.pages)
        for kind, paths in (("html", pages), ("image", pictures)):
            seen[kind] = [_turn(kind, paths, turn, effort.turns, ours, theirs) for turn in range(effort.turns)]
        watch.end()
    ratios = {kind: [turn["webkeep"].rate / turn["pywb"].rate for turn in turns] for kind, turns in seen.items()}
    every = [turn for turns in seen.values() for turn in turns]
    waits = [turn["webkeep"].quantile(0.99) / turn["pywb"].quantile(0.5) for turn in every]
    return {
        "html_vs_pywb": median(ratios["html"]),
        "image_vs_pywb": median(ratios["image"]),
        "p99_vs_pywb_p50": median(waits),
        "range_first_byte_ms": _range(folder, effort.video_gb),
        "video_gb": effort.video_gb,
        "rss_mb": watch.peak_mb,
        "errors": sum(turn["webkeep"].errors for turn in every),
        "pywb_errors": sum(turn["pywb"].errors for turn in every),
        **{f"{kind}_cpu_vs_pywb": _cpu_ratio(turns) for kind, turns in seen.items()},
        "html_per_s": median(turn["webkeep"].rate for turn in seen["html"]),
        "image_per_s": median(turn["webkeep"].rate for turn in seen["image"]),
        "p99_ms": median(turn["webkeep"].quantile(0.99) * 1000 for turn in every),
        "turns": effort.turns,
    }


def _cpu_ratio(turns: list[dict[str, Load]]) -> float:
    """How much more processor time pywb takes for an answer: other than rates, it hardly depends on what else runs."""
    return median(turn["pywb"].cpu_ms / turn["webkeep"].cpu_ms for turn in turns)


def _turn(kind: str, paths: list[str], turn: int, turns: int, ours: Server, theirs: Server) -> dict[str, Load]:
    """One turn: a part of all URLs for webkeep, a part of that for pywb."""
    chosen = paths[turn::turns]
    random.Random(turn).shuffle(chosen)
    stamp = MOMENT.digits()
    host = f"{stamp}h-{HOST.replace('.', '-')}.localhost:{ours.port}"
    mine = [Request(path, host, _FIELDS[kind]) for path in chosen]
    few = chosen[: max(int(len(chosen) * _SHARE), 20)]
    pywbs = [Request(f"/bench/{stamp}{_MARKS[kind]}/http://{HOST}{path}", f"localhost:{theirs.port}") for path in few]
    found = {"webkeep": _loaded(ours, mine), "pywb": _loaded(theirs, pywbs)}
    told = ", ".join(
        f"{name} {each.rate:,.0f}/s, p99 {each.quantile(0.99) * 1000:.1f} ms" for name, each in found.items()
    )
    say(f"{kind}: {told}")
    return found


def _loaded(server: Server, requests: list[Request]) -> Load:
    before = cpu_seconds(server.pid)
    found = load(server.port, requests)
    found.cpu_seconds = cpu_seconds(server.pid) - before
    return found


def _range(folder: Path, gigabytes: float) -> float:
    """Milliseconds until the first byte of a range near the end of a long video, the worst of five."""
    video, size = folder / "video.mp4", int(gigabytes * 1e9)
    chance = random.Random(1)
    with video.open("wb") as file:
        for at in range(0, size, 1 << 24):
            file.write(chance.randbytes(min(1 << 24, size - at)))
    archive = build(folder / "with-video", 10, video)
    with webkeep_server(archive) as server:
        host = f"{MOMENT.digits()}h-{HOST.replace('.', '-')}.localhost:{server.port}"
        waits = []
        for turn in range(5):
            at = int(size * 0.95) + turn
            asked = Request(VIDEO.removeprefix(f"http://{HOST}"), host, f"Range: bytes={at}-\r\n")
            seconds, byte = first_byte(server.port, asked)
            with video.open("rb") as file:
                file.seek(at)
                if file.read(1) != byte:
                    raise SystemExit("a range began with another byte than it should")
            waits.append(round(seconds * 1000, 1))
    say(f"range: {waits} ms")
    return max(waits)


if __name__ == "__main__":
    main()
