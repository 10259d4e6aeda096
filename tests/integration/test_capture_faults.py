"""One crawl over every fault of the catalog: it ends, and each URL has the fate and the record that are right."""

import collections
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_catalog import FAULTS, LINKS, Fault, Recorded
from fault_server import FaultServer
from warcio.archiveiterator import ArchiveIterator

OPTIONS = (
    "--scope",
    "domain",
    "--timeout",
    "10",  # long enough for the server of these faults on a busy machine
    "--max-size",
    "16MB",
    "--max-seconds",
    "150",
    "--retries",
    "1",
    "--connections",
    "32",
)
MOST_MEMORY_KB = 400_000
MEASURING = """
import pathlib, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Crawl:
    """What came of the crawl."""

    server: FaultServer
    archive: Path
    code: int
    summary: dict[str, Any]
    complaints: str
    peak_kb: int
    fates: dict[str, tuple[str, str]]
    """Outcome and reason of every URL."""
    records: dict[str, list[dict[str, str]]]
    """Type, status and truncation of the records of every URL, requests aside."""


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    folder = tmp_path_factory.mktemp("faults")
    archive = folder / "archive"
    with FaultServer(folder) as server:
        resolves = [word for each in server.resolves for word in ("--resolve", each)]
        code, peak = measured(
            "capture", *server.seeds, "--into", archive, "--delay", "0", *OPTIONS, *resolves, to=folder
        )
        said = (folder / "said").read_text()
        summary = json.loads(said.splitlines()[-1]) if said else {}
        complaints = (folder / "complaints").read_text()
        yield Crawl(server, archive, code, summary, complaints, peak, fates_in(archive), records_in(archive))


def measured(*arguments: object, to: Path) -> tuple[int, int]:
    """How a call ended and the memory it took at most, in kB.

    Called by a small program, since a process counts what the one had that it was split off from.
    """
    words = [sys.executable, "-c", MEASURING, to / "peak", *command(*arguments)]
    with (to / "said").open("wb") as said, (to / "complaints").open("wb") as complaints:
        code = subprocess.run(words, stdout=said, stderr=complaints, check=False, timeout=200).returncode
    return code, int((to / "peak").read_text())


def webkeep(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, timeout=120)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "webkeep", *map(str, arguments), "--json"]


def fates_in(archive: Path) -> dict[str, tuple[str, str]]:
    lines = webkeep("list", archive, "--fates").stdout.splitlines()
    events = [event for event in map(json.loads, lines) if event.get("event") == "fate"]
    return {event["url"]: (event["outcome"], event["reason"]) for event in events}


def records_in(archive: Path) -> dict[str, list[dict[str, str]]]:
    """By warcio, not by our own reader."""
    found = collections.defaultdict(list)
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, no_record_parse=True):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                if record.rec_type != "request" and url.startswith("http"):
                    block = record.raw_stream.read(16)
                    truncated = record.rec_headers.get_header("WARC-Truncated") or ""
                    found[url].append({"type": record.rec_type, "start": block.decode("latin-1"), "cut": truncated})
    return found


def test_the_catalog_is_large_enough() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30


def test_the_crawl_came_to_its_end(crawl: Crawl) -> None:
    # 1 says that something was missed; nothing less is true of this crawl.
    assert crawl.code == 1, crawl.complaints
    assert "Traceback" not in crawl.complaints
    assert "queued" not in {outcome for outcome, _ in crawl.fates.values()}
    # The time limit is there so that a crawl without end fails the test and does not hang it.
    assert "cut" not in {outcome for outcome, _ in crawl.fates.values()}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fate_is_right(crawl: Crawl, fault: Fault) -> None:
    outcome, reason = crawl.fates[crawl.server.url(fault)]
    assert outcome in [str(fate) for fate in fault.fates], reason
    assert fault.reason in reason
    for path, expected in fault.leads_to:
        assert crawl.fates[crawl.server.url(fault, path)][0] == expected


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_what_came_is_recorded(crawl: Crawl, fault: Fault) -> None:
    records = crawl.records.get(crawl.server.url(fault), [])
    match fault.recorded:
        case Recorded.WHOLE:
            assert any(is_response(each) and not each["cut"] for each in records)
        case Recorded.TRUNCATED:
            assert any(is_response(each) and each["cut"] for each in records)
        case Recorded.SOMEHOW:
            assert records
        case Recorded.NOTHING:
            assert not any(map(is_response, records))
        case Recorded.EITHER:
            pass
    if fault.status:
        assert str(fault.status) in {each["start"][9:12] for each in records if is_response(each)}


def is_response(record: dict[str, str]) -> bool:
    return record["type"] in ("response", "revisit")


@pytest.mark.parametrize("fault", [each for each in FAULTS if each.most_requests], ids=lambda fault: fault.name)
def test_no_server_is_asked_without_end(crawl: Crawl, fault: Fault) -> None:
    assert 0 < crawl.server.asked[fault.name] <= fault.most_requests


def test_every_link_of_a_page_with_too_many_has_its_fate(crawl: Crawl) -> None:
    outside = [fate for url, fate in crawl.fates.items() if url.startswith("http://elsewhere.example/")]
    assert len(outside) == LINKS
    assert {outcome for outcome, _ in outside} == {"out-of-scope"}


def test_the_fates_sum_up(crawl: Crawl) -> None:
    counted = collections.Counter(outcome for outcome, _ in crawl.fates.values())
    assert {name: number for name, number in crawl.summary["fates"].items() if number} == dict(counted)


def test_memory_stayed_bounded(crawl: Crawl) -> None:
    assert crawl.peak_kb < MOST_MEMORY_KB


def test_the_archive_is_sound(crawl: Crawl) -> None:
    verified = webkeep("verify", crawl.archive)
    assert verified.returncode == 0, verified.stdout
