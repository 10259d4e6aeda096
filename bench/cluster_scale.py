"""A capture of a thousand million URLs on 64 machines, by what a URL costs here: how long it takes, what the database
does meanwhile, where it breaks first, and what several databases change.

.venv/bin/python -m bench.cluster_scale [--quick]

Measured with real PostgreSQL: what a URL costs a database (synthetic workers that say all that real ones say), with one
database and with two that have hosts by their hash; and how long statements take where one host has ten million URLs
queued, or ten million hosts have one (`--quick`: 300,000). Reckoned from that: a flow of all hosts at their pace, held
up by processors of the workers or of the databases, whichever is full first, for hosts that are all alike and for sizes
as they are on the web (Pareto, one host in a thousand has a third of all). Costs of a worker are those of
`bench.cluster`, given by `--worker-ms`. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, cast

from bench.cluster_partitions import host_name, page_link, partition_of
from bench.measuring import cpu_seconds, result, say
from bench.postgres_server import PostgresServer, postgres_server
from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.cluster.store.capture_joining import join_capture
from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.cluster_load import read_load
from webkeep.cluster.store.cluster_rows import QueuedUrl, WorkerBatch
from webkeep.cluster.store.cluster_state import ClusterCapture, ClusterTerms
from webkeep.cluster.store.worker_exchange import URLS_PER_READ, WorkerExchange

_URLS, _HOSTS, _MACHINES = 10**9, 10**6, 64
_CORES = 16
"""Of each machine, and of each that has a database."""
_PACE_SECONDS = 1.1
"""From one answer of a host to the next: a second of delay and 100 ms of latency."""
_WORKER_MS = 1.4
"""Processor time of a worker for one URL (`bench.cluster`)."""
_WORKERS = 2
_EXTREME = 10**7
_QUICK_EXTREME = 300_000
_LARGEST = 10**6
"""URLs of the largest host, where sizes differ."""
_PARETO_SHAPE = 1.1


@dataclass(frozen=True, slots=True)
class DatabaseCost:
    """What a URL costs databases."""

    urls: int
    urls_a_second: float
    cpu_ms_per_url: float
    """Of all databases together."""
    statements_per_url: float
    wal_bytes_per_url: float
    differences: int
    """URLs that have no fate, more than one, or a fate in the wrong database."""


def measure_databases(servers: Sequence[PostgresServer], hosts: int, pages: int) -> DatabaseCost:
    """Have synthetic workers capture a web, with its hosts spread over these databases."""
    addresses = [server.address for server in servers]
    for part, server in enumerate(servers):
        links = [page_link(host, 0) for host in range(1) if partition_of(host_name(host), len(servers)) == part]
        database = ClusterDatabase(server.address)
        batch = WorkerBatch(links={link.key: link for link in links})
        ClusterCapture(database).begin("scale", ClusterTerms("{}", "{}"), 0, batch, anew=True)
        database.close()
    began, cpu, wal = time.monotonic(), sum(cpu_seconds(each.pid) for each in servers), _wal_bytes(servers)
    command = [sys.executable, "-m", "bench.cluster_partitions"]
    words = [str(hosts), str(pages), *addresses]
    numbers = range(max(_WORKERS, len(servers)))
    workers = [
        subprocess.Popen([*command, str(number), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in numbers
    ]
    told = [json.loads(cast("IO[str]", each.stdout).readline()) for each in workers]
    took, spent = time.monotonic() - began, sum(cpu_seconds(each.pid) for each in servers)
    for each in workers:
        each.communicate()
    urls = hosts * pages
    fates = sum(each["fates"] for each in told)
    wrong = abs(fates - urls) + sum(_count_wrong(server, part, len(servers)) for part, server in enumerate(servers))
    stored = "SELECT count(*) FROM webkeep_cluster.url WHERE outcome = 1"
    known = sum(int(str(server.ask(stored)[0][0])) for server in servers)
    return DatabaseCost(
        urls,
        round(urls / took, 1),
        round((spent - cpu) / urls * 1000, 3),
        round(sum(each["statements"] for each in told) / urls, 3),
        round((_wal_bytes(servers) - wal) / urls),
        wrong + abs(known - urls),
    )


def _wal_bytes(servers: Sequence[PostgresServer]) -> float:
    sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::BIGINT"
    return sum(float(str(server.ask(sql)[0][0])) for server in servers)


def _count_wrong(server: PostgresServer, part: int, parts: int) -> int:
    groups = server.ask("SELECT DISTINCT host_group FROM webkeep_cluster.url")
    return sum(partition_of(str(group), parts) != part for (group,) in groups)


def measure_extremes(server: PostgresServer, count: int) -> dict[str, float]:
    """Milliseconds that an exchange takes where one host has very much queued, and where very many have one."""
    found = {}
    spread = {"one_host": "'h0.example'", "one_url_each": "'h' || number || '.example'"}
    for name, group in spread.items():
        database = ClusterDatabase(server.address)
        capture = ClusterCapture(database)
        capture.begin("extreme", ClusterTerms("{}", "{}"), 0, WorkerBatch(), anew=True)
        _fill(server, group, count)
        exchange = WorkerExchange(database, join_capture(database, "worker").worker, None)
        found[f"{name}_claim_ms"] = _time(lambda: exchange.hand_over(WorkerBatch(room=16)))  # noqa: B023
        full = (("h0.example", 400),) if name == "one_host" else ()
        found[f"{name}_read_ms"] = _time(lambda: exchange.hand_over(WorkerBatch(short=full)))  # noqa: B023
        found[f"{name}_look_ms"] = _time(capture.look)
        found[f"{name}_load_ms"] = _time(lambda: read_load(database, 3200))  # noqa: B023
        # All is done, and a worker has room: it looks for what was overlooked.
        _end_all(server)
        found[f"{name}_nothing_left_ms"] = _time(lambda: exchange.hand_over(WorkerBatch(room=16)))  # noqa: B023
        database.close()
    return found


def _fill(server: PostgresServer, group: str, count: int) -> None:
    server.ask(
        f"""
        INSERT INTO webkeep_cluster.url (key, url, host, host_group, rank, via, facts, outcome, reason)
        SELECT sha256(number::TEXT::BYTEA), 'http://' || {group} || '/' || number, {group}, {group}, number, '', 0, 0,
            ''
        FROM generate_series(0, {count} - 1) number;
        INSERT INTO webkeep_cluster.host_group (key) SELECT DISTINCT host_group FROM webkeep_cluster.url;
        ANALYZE webkeep_cluster.url; ANALYZE webkeep_cluster.host_group
        """
    )


def _end_all(server: PostgresServer) -> None:
    server.ask("UPDATE webkeep_cluster.url SET outcome = 1; UPDATE webkeep_cluster.host_group SET pending = FALSE")
    server.ask("VACUUM webkeep_cluster.url")  # as the server does by itself all the while
    server.ask("VACUUM webkeep_cluster.host_group")


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return round((time.perf_counter() - began) * 1000, 1)


def measure_held_bytes() -> int:
    """Memory of a worker for each URL that it holds."""
    store, groups = LeasedUrlStore(str), 100
    tracemalloc.start()
    for number in range(groups):
        group = host_name(number)
        store.lease(group)
        for page in range(URLS_PER_READ):
            link = page_link(number, page)
            store.enqueue(QueuedUrl(link.key, link.url, group, group, link.rank, "", link.facts))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(held / groups / URLS_PER_READ)


# ---- on paper ----


def pareto_sizes(hosts: int, urls: int) -> list[float]:
    """Sizes of hosts as they are on the web, smallest first: few have most."""
    raw = [((hosts - number) / hosts) ** (-1 / _PARETO_SHAPE) for number in range(hosts)]
    scale = urls / sum(raw)
    return [min(_LARGEST, each * scale) for each in raw]


@dataclass(frozen=True, slots=True)
class Flow:
    """A capture as a flow."""

    hours: float
    most_a_second: float
    full_share: float
    """Share of the time in which processors are full, and not the pace of hosts."""
    nearly_hours: float
    """After so long all but half a percent is there."""


def flow(sizes: Sequence[float], capacity: float) -> Flow:
    """All hosts at their pace, or all equally slower where together that is more than there is capacity for.

    Hosts that are not done have had equally many pages each; from one size to the next is a step.
    """
    total, done, seconds, full, fastest, nearly = sum(sizes), 0.0, 0.0, 0.0, 0.0, 0.0
    pages, active = 0.0, len(sizes)
    for size in sizes:
        rate = min(1 / _PACE_SECONDS, capacity / active)
        took = (size - pages) / rate
        fastest = max(fastest, rate * active)
        seconds += took
        full += took if rate < 1 / _PACE_SECONDS else 0.0
        done += (size - pages) * active
        pages, active = size, active - 1
        if not nearly and done >= 0.995 * total:
            nearly = seconds
    return Flow(
        round(seconds / 3600, 1), round(fastest), round(full / seconds, 3), round((nearly or seconds) / 3600, 1)
    )


def reckon(worker_ms: float, cost: DatabaseCost, databases: int, sizes: Sequence[float]) -> dict[str, object]:
    """How a capture goes by these costs."""
    workers = _MACHINES * _CORES / worker_ms * 1000
    stores = databases * _CORES / cost.cpu_ms_per_url * 1000
    hosts = len(sizes) / _PACE_SECONDS
    flown = flow(sizes, min(workers, stores))
    full = {"pace of hosts": hosts, "processors of workers": workers, "processors of databases": stores}
    return {
        "hours": flown.hours,
        "hours_99_5_percent": flown.nearly_hours,
        "pages_a_second": flown.most_a_second,
        "statements_a_second": round(flown.most_a_second * cost.statements_per_url),
        "breaks_first": min(full, key=lambda name: full[name]),
        "wal_mb_a_second": round(flown.most_a_second * cost.wal_bytes_per_url / 1e6, 1),
        "full_share_of_time": flown.full_share,
    }


def main() -> None:
    """Measure, reckon, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller webs and tables")
    parser.add_argument("--worker-ms", type=float, default=_WORKER_MS, help="processor time of a worker for one URL")
    args = parser.parse_args()
    hosts, pages = (200, 50) if args.quick else (2000, 100)
    with ExitStack() as stack:
        servers = [stack.enter_context(postgres_server()) for _ in range(2)]
        one = measure_databases(servers[:1], hosts, pages)
        say(f"one database: {one}")
        two = measure_databases(servers, hosts, pages)
        say(f"two databases: {two}")
        extremes = measure_extremes(servers[0], _QUICK_EXTREME if args.quick else _EXTREME)
        say(f"extremes: {extremes}")
    held_bytes = measure_held_bytes()
    worker_mb = round(_HOSTS / _MACHINES * URLS_PER_READ * held_bytes / 1e6)
    alike, real = [_URLS / _HOSTS] * _HOSTS, pareto_sizes(_HOSTS, _URLS)
    reckoned = {}
    for databases, cost in ((1, one), (2, two), (4, two)):
        for name, sizes in (("alike", alike), ("pareto", real)):
            told = reckon(args.worker_ms, cost, databases, sizes)
            reckoned[f"{name}_{databases}"] = told
            say(f"{name}, {databases} databases: {told}")
    result(
        {
            "database_cpu_ms_per_url": {"1": one.cpu_ms_per_url, "2": two.cpu_ms_per_url},
            "database_urls_a_second": {"1": one.urls_a_second, "2": two.urls_a_second},
            "statements_per_url": {"1": one.statements_per_url, "2": two.statements_per_url},
            "wal_bytes_per_url": {"1": one.wal_bytes_per_url, "2": two.wal_bytes_per_url},
            "differences": one.differences + two.differences,
            "extremes": extremes,
            "held_bytes_per_url": held_bytes,
            "queues_mb_per_machine": worker_mb,
            "reckoned": reckoned,
        }
    )


if __name__ == "__main__":
    main()
