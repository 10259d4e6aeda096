"""The single tasks of the archive bench, each run in a process of its own that prints its figures as JSON."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from bench.traffic import Pair, pairs
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.index import UrlIndex
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.maintenance import rebuild_caches

_FILES = 4
_START = 1_794_740_000_000_000
_VERSIONS = 5


def write_webkeep(path: str, count: str) -> dict[str, float]:
    """Append every pair and wait until all are acknowledged."""
    from webkeep.store.archive import WritableArchive

    traffic = pairs(int(count))
    with WritableArchive.create(Path(path)) as archive:
        first = next(traffic)  # what the pages are made of is made before the clock starts
        started = time.perf_counter()
        with archive.begin("bench") as capture:
            for number, pair in enumerate(chain([first], traffic)):
                moment = Moment(_START + number * 1000)
                exchange = Exchange(
                    pair.url, moment, pair.head, BytesBody(pair.body), pair.request, address="127.0.0.1"
                )
                capture.submit(exchange)
            archive.writer.flush()
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "bytes": sum(each.stat().st_size for each in Path(path, "warcs").iterdir())}


def write_warcio(folder: str, count: str) -> dict[str, float]:
    """Write every pair to WARC files, with digests, without sync or index."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    traffic: Iterator[Pair] = pairs(int(count))
    Path(folder).mkdir()
    share = -(-int(count) // _FILES)
    traffic = chain([next(traffic)], traffic)
    started = time.perf_counter()
    for number in range(_FILES):
        with Path(folder, f"{number}.warc.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
            for pair in islice(traffic, share):
                line, _, fields = pair.request.decode().partition("\r\n")
                asked = [tuple(field.split(": ", 1)) for field in fields.splitlines() if field]
                request = writer.create_warc_record(
                    pair.url, "request", io.BytesIO(), http_headers=StatusAndHeaders(line, asked, is_http_request=True)
                )
                head = StatusAndHeaders("200 OK", list(pair.headers), protocol="HTTP/1.1")
                response = writer.create_warc_record(pair.url, "response", io.BytesIO(pair.body), http_headers=head)
                writer.write_request_response_pair(request, response)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "bytes": sum(each.stat().st_size for each in Path(folder).iterdir())}


def read_webkeep(folder: str) -> dict[str, float]:
    """Read with our reader."""
    from webkeep.formats.http import split_response
    from webkeep.formats.warc import WarcReader

    def payloads(stream: BinaryIO) -> Iterator[int]:
        for record in WarcReader(stream, "bench"):
            block = record.read()
            head, start = split_response(block) if record.type == "response" else (None, 0)
            yield len(block) - start if head is not None and head.status == 200 else 0

    return _read(folder, payloads)


def read_warcio(folder: str) -> dict[str, float]:
    """Read with warcio."""
    from warcio.archiveiterator import ArchiveIterator

    def payloads(stream: BinaryIO) -> Iterator[int]:
        for record in ArchiveIterator(stream):
            payload = record.raw_stream.read()
            is_response = record.rec_type == "response" and record.http_headers.get_statuscode() == "200"
            yield len(payload) if is_response else 0

    return _read(folder, payloads)


def read_fastwarc(folder: str) -> dict[str, float]:
    """Read with FastWARC."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    def payloads(stream: BinaryIO) -> Iterator[int]:
        for record in ArchiveIterator(stream):
            payload = record.reader.read()
            is_response = record.record_type == WarcRecordType.response and record.http_headers.status_code == 200
            yield len(payload) if is_response else 0

    return _read(folder, payloads)


def _read(folder: str, payloads: Callable[[BinaryIO], Iterator[int]]) -> dict[str, float]:
    """Read every record, its HTTP head and its whole payload."""
    started, records, size = time.perf_counter(), 0, 0
    for path in sorted(Path(folder).iterdir()):
        with path.open("rb") as stream:
            for payload in payloads(stream):
                size += payload
                records += 1
    return {"seconds": time.perf_counter() - started, "records": records, "payloads": size}


def index_webkeep(folder: str, path: str) -> dict[str, float]:
    """Build index and catalog of WARC files that were written by another tool."""
    from webkeep.clock import SystemClock
    from webkeep.store.archive import Archive
    from webkeep.store.folder import layout

    made = layout.create_archive(Path(path), "bench", SystemClock().now())
    for warc in Path(folder).iterdir():
        os.link(warc, made.warcs / warc.name)
    started = time.perf_counter()
    findings = rebuild_caches(Path(path))
    seconds = time.perf_counter() - started
    with Archive(Path(path)) as archive:
        return {"seconds": seconds, "entries": archive.count(), "findings": len(findings)}


def build_index(path: str, count: str) -> dict[str, float]:
    """Fill an index with as many entries, five versions of each URL, not in the order of its keys."""
    Path(path).mkdir()
    index = UrlIndex(Path(path, "index.sqlite"), writable=True)
    started = time.perf_counter()
    urls = int(count) // _VERSIONS
    for first in range(0, urls, 20_000):
        rows = IndexRows("bench.warc.gz")
        for number in range(first, min(first + 20_000, urls)):
            key, url = _key_and_url(number, urls)
            rows.entries += [
                (key, _START + version * 86_400_000_000, number * 100_000 + version, 12_345, url, "response", 200,
                 "text/html", "sha1:UYPW4A6JY2XQ7CQH6VP6IXOSPJCSJ62H", "")
                for version in range(_VERSIONS)
            ]  # fmt: skip
        index.add_rows(rows)
    index.database.close()
    size = sum(each.stat().st_size for each in Path(path).iterdir())
    return {"seconds": time.perf_counter() - started, "bytes": size}


def look_up(path: str, count: str) -> dict[str, float]:
    """Look up random URLs at random moments, one after the other."""
    index = UrlIndex(Path(path, "index.sqlite"))
    urls = int(count) // _VERSIONS
    chance = random.Random(7)
    wanted = [(_key_and_url(chance.randrange(urls), urls), Moment(_START + chance.randrange(5 * 86_400_000_000)))
              for _ in range(60_000)]  # fmt: skip
    started = time.perf_counter()
    for (key, url), moment in wanted:
        entry = index.nearest(key, url, moment)
        if entry is None or entry.url != url:
            raise SystemExit(f"{url} was not found")
    return {"seconds": time.perf_counter() - started, "lookups": len(wanted)}


def _key_and_url(number: int, urls: int) -> tuple[str, str]:
    spread = number * 7_368_787 % urls  # a prime, so that keys come in no order
    host, path = spread % 997, f"/section-{spread % 89}/page-{spread}.html"
    return f"example,site{host:03d}){path}", f"https://site{host:03d}.example{path}"


TASKS: dict[str, Callable[..., dict[str, float]]] = {
    "write-webkeep": write_webkeep,
    "write-warcio": write_warcio,
    "read-webkeep": read_webkeep,
    "read-warcio": read_warcio,
    "read-fastwarc": read_fastwarc,
    "index-webkeep": index_webkeep,
    "build-index": build_index,
    "look-up": look_up,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
