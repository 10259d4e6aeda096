"""Disturbs captures of many workers in every way, and checks that each comes to what an undisturbed one comes to.

    .venv/bin/python -m bench.cluster_kill [--quick] [--faults N] [--seed N]

A web of many hosts on loopback is captured by one machine in peace, and then again and again by eight workers on a
real PostgreSQL server, while faults are drawn by chance (`bench.cluster_faults`): to workers, their clocks and disks,
the ways to the database, the database itself, and whoever looks after the capture. Afterwards every URL must have one
fate, and the one that it has undisturbed; every fate must have its record, and every record the payload that it refers
to, if in another worker's archive; all archives must verify; nothing may have been asked for twice but what a worker
had under way or had not handed over when it was lost, or what a database forgot that took the place of another; and by
the log of the web no host may have been asked before its delay was over. The last line of the output is one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.cluster_fault_web import FORBIDDEN_PATH, HOSTS_RULE
from bench.cluster_faults import DATABASE_FAULTS, DELAYING_FAULTS, WORKER_FAULTS, Struck
from bench.cluster_repeats import Records, Requests, explain_repeats
from bench.cluster_trial import Trial, WebProcess, cluster_trial
from bench.measuring import result, say
from webkeep.errors import StorageError
from webkeep.model import Digest, Observation, UrlOutcome
from webkeep.replay.choice.collection import Collection
from webkeep.store.archive import Archive

_LATENCY_SECONDS = 0.02
_DELAY_SECONDS = 0.2
_GAP_SLACK_SECONDS = 0.005
"""The web measures by another clock, and writes down an answer before it is sent."""
_KEPT = (UrlOutcome.STORED, UrlOutcome.DUPLICATE)
_PATIENCE_SECONDS = 400
Fates = dict[str, tuple[str, str]]


# ---- reading what came of it ----


def _read_fates(archive: Path) -> tuple[Fates, int]:
    """The outcome and reason of every URL of the one capture, and how many URLs have more than one."""
    found: Fates = {}
    more = 0
    with Archive(archive) as opened:
        *_, capture = opened.captures()
        for _, fate in opened.catalog.log.fates(capture.id):
            more += fate.url in found
            outcome = "kept" if fate.outcome in _KEPT else fate.outcome.value
            found[fate.url] = (outcome, fate.reason)
    return found, more


def _read_records(trial: Trial) -> Records:
    """By URL in which worker's archive it is, and since when."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for worker in trial.workers:
        path = trial.folder / worker.name
        if path.exists():
            with Archive(path) as opened:
                for capture in opened.captures():
                    for each in opened.observations(capture.id, resolve=False):
                        found[each.url].append((worker.name, each.moment.micros / 1e6))
    return found


def _read_shared(trial: Trial) -> tuple[int, list[str]]:
    """How many records refer to what another worker holds, and of those the URLs whose payload is not there."""
    paths = [path for worker in trial.workers if (path := trial.folder / worker.name).exists()]
    shared, missing = 0, []
    with ExitStack() as open_ones:
        archives = [open_ones.enter_context(Archive(path)) for path in paths]
        alone = [{each.place for each in _read_observations(archive) if each.is_dangling} for archive in archives]
        together = Collection(archives)
        for archive, places in zip(together.archives, alone, strict=True):
            for each in _read_observations(archive):
                if each.place in places:
                    shared += 1
                    missing += [] if _is_whole(archive, each) else [f"the payload of {each.url} is nowhere"]
    return shared, missing


def _read_observations(archive: Archive) -> Iterator[Observation]:
    for capture in archive.captures():
        yield from archive.observations(capture.id)


def _is_whole(archive: Archive, seen: Observation) -> bool:
    try:
        payload = Digest.from_chunks("sha1", archive.read(seen).body.chunks())
    except StorageError:
        return False
    return payload == seen.payload_digest


def _read_log(path: Path) -> Requests:
    return [tuple(json.loads(line)) for line in path.read_text().splitlines()]


# ---- what is wrong with it ----


def _count_too_fast(requests: Requests) -> tuple[int, float]:
    """How many requests came too soon after the one before, and the smallest gap."""
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for host, _, began, ended in requests:
        spans[host].append((began, ended))
    gaps = [
        later[0] - earlier[1]
        for each in spans.values()
        for earlier, later in zip(sorted(each), sorted(each)[1:], strict=False)
    ]
    return sum(gap < _DELAY_SECONDS - _GAP_SLACK_SECONDS for gap in gaps), min(gaps, default=0.0)


def _check(trial: Trial, web_log: Path, port: int, expected: Fates) -> tuple[dict[str, float], list[str]]:
    """Figures of one capture, and what is wrong with it."""
    fates, more = _read_fates(trial.folder / "main")
    wrong = [f"{url} has {fates.get(url)}, undisturbed {expected.get(url)}" for url in sorted(expected.keys() | fates)
             if fates.get(url) != expected.get(url)]  # fmt: skip
    wrong += [f"{more} URLs have more than one fate"] if more else []
    requests, records = _read_log(web_log), _read_records(trial)
    wrong += [f"{host}{path} was asked for, which robots.txt forbids" for host, path, _, _ in requests
              if path == FORBIDDEN_PATH]  # fmt: skip
    again, unexplained = explain_repeats(trial, port, requests, records)
    wrong += unexplained
    shared, lost = _read_shared(trial)
    lost += [url for url, (outcome, _) in fates.items() if outcome == "kept" and url not in records]
    wrong += [each for member in trial.members for each in member.wrong_ends]
    for member in trial.members:
        path = trial.folder / member.name
        if not path.exists():
            continue
        verified = subprocess.run(
            [sys.executable, "-m", "webkeep", "verify", str(path)], capture_output=True, text=True, check=False
        )
        if verified.returncode:
            lost.append(f"{member.name}: {verified.stdout}{verified.stderr}")
    too_fast, gap = _count_too_fast(requests)
    urls = len({(host, path) for host, path, _, _ in requests})
    figures = {
        "lost": len(lost),
        "too_fast": too_fast,
        "gap": gap,
        "asked_again": again.total(),
        "urls": urls,
        "shared": shared,
        **{f"again_{reason}": count for reason, count in again.items()},
    }
    return figures, wrong + lost


# ---- disturbing ----


def _disturb(trial: Trial, faults: int, pause: float, chance: random.Random) -> Counter[str]:
    """Strike so often, unless the capture is over before."""
    struck: Counter[str] = Counter()
    undone: list[tuple[float, Struck, bool, float]] = []
    next_at = time.monotonic() + 2
    while not trial.is_over() and (sum(struck.values()) < faults or undone):
        now = time.monotonic()
        for each in [each for each in undone if each[0] <= now]:
            _undo(trial, *each[1:])
            undone.remove(each)
        trial.keep_up()
        if now >= next_at and sum(struck.values()) < faults:
            next_at = now + chance.uniform(0.2, 2 * pause)
            has_database_fault = any(is_database for _, _, is_database, _ in undone)
            is_database = not has_database_fault and chance.random() < 0.4
            fault = chance.choice(DATABASE_FAULTS if is_database else WORKER_FAULTS)
            struck_at = time.time()
            done = fault(trial, chance)
            if done is not None:
                struck[fault.__name__] += 1
                say(
                    f"{now - trial.began:6.1f} {fault.__name__}: {done.whom}"
                    + (f" {done.seconds:.1f} s" if done.seconds else "")
                )
                delays_since = struck_at if fault in DELAYING_FAULTS else 0.0
                undone.append((now + done.seconds, done, is_database, delays_since))
        time.sleep(0.05)
    for left in undone:
        _undo(trial, *left[1:])
    return struck


def _undo(trial: Trial, done: Struck, is_database: bool, delays_since: float) -> None:
    """Undo what was done, and keep for how long it held up what was on its way to the database."""
    done.undo()
    if delays_since:
        trial.delays.append(("" if is_database else done.whom, delays_since, time.time()))


def _capture_in_peace(folder: Path, web: WebProcess) -> Fates:
    words = ["capture", *web.seeds(), "--into", str(folder / "peace"), "--browser", "off", "--delay", "0"]
    words += ["--include", HOSTS_RULE]
    subprocess.run([sys.executable, "-m", "webkeep", *words], capture_output=True, check=False)
    return _read_fates(folder / "peace")[0]


def main() -> None:
    """Disturb, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some faults on a small web")
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=0)
    parser.add_argument("--pages", type=int, default=0)
    args = parser.parse_args()
    faults = args.faults or (12 if args.quick else 300)
    hosts, pages = args.hosts or (16 if args.quick else 64), args.pages or (30 if args.quick else 150)
    seed = args.seed or random.randrange(1 << 30)
    chance = random.Random(seed)
    struck: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    captures, gap, wrong = 0, float("inf"), []
    while sum(struck.values()) < faults:
        with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as name:
            folder = Path(name)
            quiet_log, log = folder / "quiet.log", folder / "web.log"
            web = WebProcess(hosts, pages, _LATENCY_SECONDS, quiet_log)
            try:
                expected = _capture_in_peace(folder, web)
                quiet_log.rename(log)
                log.write_text("")
                quiet_log.touch()
                with cluster_trial(folder, web, _DELAY_SECONDS) as trial:
                    trial.is_patient = not args.quick
                    trial.begin()
                    struck += _disturb(trial, faults - sum(struck.values()), 1.0, chance)
                    say(f"{time.monotonic() - trial.began:6.1f} left in peace")
                    came = trial.finish(_PATIENCE_SECONDS)
                    say(f"{time.monotonic() - trial.began:6.1f} all have ended")
                    captures += 1
                    if not came:
                        wrong.append(f"capture {captures} does not end")
                        break
                    figures, more = _check(trial, log, web.port, expected)
            finally:
                web.end()
        say(f"capture {captures}: {figures} {more[:10]}")
        wrong += more
        gap = min(gap, figures["gap"])
        totals.update({name: int(count) for name, count in figures.items() if name != "gap"})
    for each in wrong[:40]:
        say(each)
    result(
        {
            "faults": sum(struck.values()),
            "lost": totals["lost"],
            "differences": len(wrong) - totals["lost"],
            "too_fast": totals["too_fast"],
            "captures": captures,
            "urls": totals["urls"],
            "asked_again": totals["asked_again"],
            "again_for": {name[6:]: count for name, count in sorted(totals.items()) if name.startswith("again_")},
            "shared": totals["shared"],
            "smallest_gap": round(gap, 4),
            "struck": dict(sorted(struck.items())),
            "seed": seed,
        }
    )


if __name__ == "__main__":
    main()
