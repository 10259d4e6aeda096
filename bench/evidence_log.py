"""What the log of an archive's records costs its writer, how fast proofs are in a large one, and how long a whole
verification takes: each in a process of its own, which prints its figures as JSON.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from bench.measuring import run_module, say
from bench.traffic import Pair, pairs
from webkeep.formats.transparency import hash_leaf, is_included, prove_inclusion, tree_root
from webkeep.formats.warc import combine_record_hash
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.log import RecordLog, make_checkpoint
from webkeep.store.maintenance import verify_archive

_START = 1_794_740_000_000_000
_PROOFS = 2000
_ENTRIES_AT_ONCE = 1 << 16


def measure(quick: bool) -> dict[str, object]:
    """The figures of the log, by the names they have in the bench."""
    rounds, leaves, records = (12, 1_000_000, 20_000) if quick else (40, 10_000_000, 1_000_000)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        cost = run_module("bench.evidence_log", "cost", folder, rounds)
        rate = cost.facts["records_per_s"]
        say(f"writing: the log costs {cost.facts['log_cost']:.1%} of the time, at {rate:,.0f} records a second")
        proofs = run_module("bench.evidence_log", "proofs", folder, leaves)
        say(f"{leaves:,} leaves: appended in {proofs.facts['append_s']:.1f} s, root in {proofs.facts['root_s']:.1f} s")
        made = run_module("bench.evidence_log", "fill", folder, records)
        verified = run_module("bench.evidence_log", "verify", folder)
        say(f"{records:,} records made in {made.seconds:.0f} s, verified in {verified.seconds:.0f} s")
    return {
        "log_cost": round(cost.facts["log_cost"], 4),
        "log_cost_error": round(cost.facts["log_cost_error"], 4),
        "log_cost_by_clock": round(cost.facts["log_cost_by_clock"], 4),
        "log_cost_by_clock_error": round(cost.facts["log_cost_by_clock_error"], 4),
        "leaves": leaves,
        "append_s": round(proofs.facts["append_s"], 2),
        "root_s": round(proofs.facts["root_s"], 2),
        "proof_ms": round(proofs.facts["proof_ms"], 3),
        "log_rss_mb": proofs.rss_mb,
        "records": int(verified.facts["records"]),
        "verify_s": round(verified.facts["seconds"], 1),
        "verify_findings": int(verified.facts["findings"]),
        "rss_mb": verified.rss_mb,
    }


def cost(folder: str, rounds: str) -> dict[str, float]:
    """Two archives written in turns with the same records, one of them with a log; each turn is timed by itself.

    By processor time, of this process and those it started, which other programs on the machine change little; and by
    the clock.
    """
    traffic = pairs(500 * (int(rounds) + 2))
    spent = {False: [0.0, 0.0], True: [0.0, 0.0]}
    shares: list[float] = []
    busy_shares: list[float] = []
    with (
        WritableArchive.create(Path(folder, "plain")) as without,
        WritableArchive.create(Path(folder, "logged"), keep_log=True) as logged,
    ):
        without.writer.expect_many_records()
        logged.writer.expect_many_records()
        for number in range(int(rounds) + 2):
            batch = list(islice(traffic, 500))
            both = (without, logged) if number % 2 else (logged, without)
            turns = {archive is logged: _write(archive, batch, number) for archive in both}
            if number < 2:  # the workers are starting
                continue
            busy_shares.append(turns[True][0] / turns[False][0] - 1)
            shares.append(turns[True][1] / turns[False][1] - 1)
            for kind, seconds in turns.items():
                spent[kind] = [before + more for before, more in zip(spent[kind], seconds, strict=True)]
    rate = 1000 * int(rounds) / spent[False][1]
    # Records are hashed whether a log is kept or not: that is counted too.
    hashing = _hash_seconds() * 1000 * int(rounds)
    return {
        "log_cost": statistics.median(busy_shares) + hashing / spent[False][0],
        "log_cost_error": _error(busy_shares),
        "log_cost_by_clock": statistics.median(shares) + hashing / spent[False][1],
        "log_cost_by_clock_error": _error(shares),
        "records_per_s": rate,
    }


def _error(shares: Sequence[float]) -> float:
    """How far the middle of several turns may be off."""
    return float(statistics.stdev(shares) / len(shares) ** 0.5)


def _write(archive: WritableArchive, batch: Sequence[Pair], number: int) -> tuple[float, float]:
    """Seconds of processors and of the clock."""
    busy, started = _busy_seconds(), time.perf_counter()
    with archive.begin("bench") as capture:
        for at, pair in enumerate(batch):
            moment = Moment(_START + (number * 1000 + at) * 1000)
            capture.submit(Exchange(pair.url, moment, pair.head, BytesBody(pair.body), pair.request))
    archive.writer.flush()
    return _busy_seconds() - busy, time.perf_counter() - started


def _busy_seconds() -> float:
    """Processor time of this process and those that it started."""
    children = [pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()]
    tasks = [stat for pid in children for stat in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return time.process_time() + sum(int(stat.read_text().split()[0]) for stat in tasks) / 1e9


def _hash_seconds() -> float:
    """Processor time that the hash of a record takes, by the best of some goes: others are disturbed by neighbours."""
    head, block = b"WARC/1.1\r\n" + b"x" * 500, bytes(32)

    def hash_many() -> float:
        started = time.process_time()
        for _ in range(20_000):
            combine_record_hash(head, block)
        return (time.process_time() - started) / 20_000

    return min(hash_many() for _ in range(5))


def proofs(folder: str, leaves: str) -> dict[str, float]:
    """A log of so many leaves: appended, its root, and proofs of leaves all over it."""
    size, chance = int(leaves), random.Random(3)
    Path(folder, "log").mkdir(exist_ok=True)
    with RecordLog(Path(folder, "log", "large"), "bench", writable=True) as log:
        started = time.perf_counter()
        for start in range(0, size, _ENTRIES_AT_ONCE):
            log.append(os.urandom(32 * min(_ENTRIES_AT_ONCE, size - start)))
            log.write_pending()
        log.settle()
        appended = time.perf_counter()
        root = tree_root(log.tree, size)
        rooted = time.perf_counter()
        wanted = [chance.randrange(size) for _ in range(_PROOFS)]
        found = [prove_inclusion(log.tree, index, size) for index in wanted]
        proven = time.perf_counter()
        for proof in found:
            if not is_included(hash_leaf(log.read_entries(proof.index, 1)), proof, root):
                raise SystemExit(f"the proof of leaf {proof.index} is wrong")
    return {
        "append_s": appended - started,
        "root_s": rooted - appended,
        "proof_ms": (proven - rooted) / _PROOFS * 1000,
    }


def fill(folder: str, records: str) -> dict[str, float]:
    """An archive with a log and so many records, small ones, half of them requests."""
    count = int(records) // 2
    with WritableArchive.create(Path(folder, "many"), keep_log=True) as archive:
        archive.writer.expect_many_records()
        with archive.begin("bench") as capture:
            for number in range(count):
                url, body = f"http://example.org/{number}", b"<p>page %d of %d</p>" % (number, count)
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
                request = b"GET /%d HTTP/1.1\r\nHost: example.org\r\n\r\n" % number
                capture.submit(Exchange(url, Moment(_START + number * 1000), head, BytesBody(body), request))
        make_checkpoint(archive)
    return {"records": 2.0 * count}


def verify(folder: str) -> dict[str, float]:
    """All of it verified: digests, caches, log and checkpoint."""
    findings: list[object] = []
    started = time.perf_counter()
    with Archive(Path(folder, "many")) as archive:
        done = verify_archive(archive, findings.append)
    if done.log is None or done.log.records != done.records:
        raise SystemExit(f"not every record is in the log: {done}")
    return {"seconds": time.perf_counter() - started, "records": done.records, "findings": len(findings)}


TASKS: dict[str, Callable[..., dict[str, float]]] = {"cost": cost, "proofs": proofs, "fill": fill, "verify": verify}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
