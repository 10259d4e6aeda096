"""What a URL costs the frontier, and a record index and catalog, as they grow to ten million.

    .venv/bin/python -m bench.store_scale [--quick] [--only frontier|catalog]

Both are filled to each size, and then some thousands more are put through them while processor time is taken: a URL
is found as a link, given its turn, answered and settled; the rows of a record are entered, in groups of the size that
a capture has, and looked up. All lies on disk as in a capture, a commit as often as there.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from bench.measuring import result, say
from webkeep.crawl.plan import CapturePlan, policy_from_plan
from webkeep.extract.links import Link, LinkRole
from webkeep.frontier import Frontier
from webkeep.frontier.policy import RobotsMode
from webkeep.frontier.urls import Admission, Candidate, Dispatch, FetchOutcome, Settled
from webkeep.model import Moment, RecordPlace, RecordType, UrlOutcome, VisitKind
from webkeep.store.index import UrlIndex
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.index.record_facts import RecordFacts
from webkeep.store.jobs import SqliteUrlStore
from webkeep.store.writing.group_commit import apply_rows

_SIZES = (100_000, 1_000_000, 10_000_000)
_QUICK_SIZES = (20_000, 200_000)
_MEASURED = 20_000
"""URLs that are put through at each size."""
_HOSTS = 1000
_LINKS_PER_PAGE = 40
"""Of which one is new: most links of a page were met before."""
_FILL_BATCH = 2000
_GROUP = 48
"""Records that a busy capture commits together."""
_START = Moment(1_794_740_000_000_000)
_FILE = "bench.warc.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 200,000")
    parser.add_argument("--only", choices=("frontier", "catalog"), help="only one of both")
    args = parser.parse_args()
    sizes = _QUICK_SIZES if args.quick else _SIZES
    facts: dict[str, object] = {"sizes": sizes}
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        if args.only != "catalog":
            facts["frontier_us"] = list(_frontier_costs(Path(folder, "job.sqlite"), sizes))
        if args.only != "frontier":
            facts["record_us"] = list(_catalog_costs(Path(folder), sizes))
    result(facts)


# ---- the frontier ----


def _frontier_costs(path: Path, sizes: tuple[int, ...]) -> Iterator[float]:
    """Microseconds of processor time for a URL, at each size."""
    numbers = iter(range(1 << 60))
    seeds = tuple(f"http://{_host(number).partition(':')[0]}/" for number in range(_HOSTS))
    policy = replace(policy_from_plan(CapturePlan(seeds, delay=0.0, robots=RobotsMode.IGNORE)), record_robots=False)
    with SqliteUrlStore(path) as urls:
        held = 0
        for size in sizes:
            while held < size:
                urls.add([_admission(number) for number in islice(numbers, _FILL_BATCH)])
                urls.commit()
                held += _FILL_BATCH
            frontier = Frontier(policy, urls)
            yield _measure(f"{size:,} URLs known", _MEASURED, partial(_crawl, frontier, urls, numbers))
            held += _MEASURED


def _admission(number: int) -> Admission:
    return Admission(Candidate(0, _url(number), _host(number), rank=number))


def _url(number: int) -> str:
    return f"http://{_host(number).partition(':')[0]}/section/{number % 97}/page-{number}.html"


def _host(number: int) -> str:
    return f"www{number % _HOSTS}.example.org:80"


def _crawl(frontier: Frontier, urls: SqliteUrlStore, numbers: Iterator[int]) -> None:
    """Give URLs their turns, answer them, and take in their links."""
    done, now, older = 0, _START, 0
    while done < _MEASURED:
        now = now.plus(0.001)
        found = []
        for action in frontier.next_actions(now, 64):
            if not isinstance(action, Dispatch):
                raise SystemExit(f"nothing can be asked for: {action}")
            page = action.candidate
            outcome = FetchOutcome(now, now, 200, address="192.0.2.1", loopback=True, size=20_000)
            frontier.record_outcome(page, outcome, now)
            older += 7919
            known = [_url((older + each) % 50_000) for each in range(_LINKS_PER_PAGE - 1)]
            links = [Link(url, LinkRole.NAVIGATE, "html a[href]") for url in (*known, _url(next(numbers)))]
            found.append((page, links))
        frontier.discover_all(found, now)
        for page, _ in found:
            frontier.settle(page, Settled(UrlOutcome.STORED), f"sha1:{page.id}")
        urls.commit()
        done += len(found)


# ---- index and catalog ----


def _catalog_costs(folder: Path, sizes: tuple[int, ...]) -> Iterator[float]:
    """Microseconds of processor time for a record, at each size."""
    index, catalog = UrlIndex(folder / "index.sqlite", writable=True), Catalog(folder / "catalog.sqlite", writable=True)
    numbers = iter(range(1 << 60))
    held = 0
    for size in sizes:
        while held < size:
            _enter(index, catalog, list(islice(numbers, _FILL_BATCH)))
            held += _FILL_BATCH
        yield _measure(f"{size:,} records known", _MEASURED, partial(_enter_groups, index, catalog, numbers))
        held += _MEASURED
    index.database.close()
    catalog.database.close()


def _enter_groups(index: UrlIndex, catalog: Catalog, numbers: Iterator[int]) -> None:
    for _ in range(0, _MEASURED, _GROUP):
        _enter(index, catalog, list(islice(numbers, _GROUP)))


def _enter(index: UrlIndex, catalog: Catalog, numbers: list[int]) -> None:
    rows = IndexRows(_FILE)
    for number in numbers:
        rows.add(RecordPlace(_FILE, number * 20_000, 19_000), _facts(number), RecordPlace(_FILE, number * 20_000, 400))
    rows.cover(numbers[-1] * 20_000)
    apply_rows(rows, index, catalog)


def _facts(number: int) -> RecordFacts:
    digest = f"sha1:{hashlib.md5(str(number).encode()).hexdigest()[:32].upper().translate(_BASE32)}"
    return RecordFacts(
        record=f"urn:uuid:{number:032x}",
        record_type=RecordType.RESPONSE.value,
        url=_url(number),
        moment=Moment(_START.micros + number * 1000),
        status=200,
        media_type="text/html",
        indexed_type="text/html",
        payload_digest=digest,
        content_digest="",
        check=digest.encode()[-16:],
        size=20_000,
        etag=f'"{number:x}"',
        last_modified="Mon, 16 Nov 2026 16:00:00 GMT",
        capture="",
        within="",
        via=_url(number // 40),
        visit=VisitKind.VISIT,
        fingerprint=digest.encode() * 3,
    )


_BASE32 = str.maketrans("0189", "GHIJ")


def _measure(what: str, count: int, work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    spent = (time.process_time() - began) / count * 1e6
    say(f"{what}: {spent:.1f} µs")
    return round(spent, 1)


if __name__ == "__main__":
    main()
