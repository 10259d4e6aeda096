"""A client that loads pages through a proxy as fast as it can, in a process of its own.

    python -m bench.record_client URL COUNT CONNECTIONS PROXY AUTHORITIES
    python -m bench.record_client --long URL 0 1 PROXY AUTHORITIES

It prints one JSON object: how many answers were whole, in how many seconds, and the median time of one. A proxy of `-`
means none. With `--long` one long body is loaded, and what counts is when its first and its last byte came.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

import pycurl

from webkeep.fetch import Door, DoorSettings, Request


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("url")
    parser.add_argument("count", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("proxy")
    parser.add_argument("authorities")
    args = parser.parse_args()
    facts = _long(args) if args.long else asyncio.run(_many(args))
    print(json.dumps(facts), flush=True)


async def _many(args: argparse.Namespace) -> dict[str, float]:
    settings = DoorSettings(
        connections=args.connections,
        connections_per_host=args.connections,
        proxy="" if args.proxy == "-" else args.proxy,
        certificate_authorities=args.authorities,
        http2=False,
    )
    numbers = iter(range(args.count))
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as spool:
        async with Door(settings, Path(spool)) as door:

            async def work() -> None:
                for number in numbers:
                    began = time.perf_counter()
                    fetched = await door.fetch(Request(f"{args.url}?{number}", private=True))
                    exchange = fetched.exchange
                    if fetched.is_whole and exchange is not None and exchange.response[9:12] == b"200":
                        seconds.append(time.perf_counter() - began)

            await asyncio.gather(*(work() for _ in range(args.connections)))  # connections are opened
            seconds.clear()
            numbers = iter(range(args.count, 2 * args.count))
            began = time.perf_counter()
            await asyncio.gather(*(work() for _ in range(args.connections)))
            took = time.perf_counter() - began
    return {"whole": len(seconds), "seconds": took, "median": statistics.median(seconds) if seconds else 0.0}


def _long(args: argparse.Namespace) -> dict[str, float]:
    began = time.perf_counter()
    first = 0.0
    size = 0

    def take(chunk: bytes) -> None:
        nonlocal first, size
        first = first or time.perf_counter() - began
        size += len(chunk)

    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, args.url)
    curl.setopt(pycurl.PROXY, args.proxy)
    curl.setopt(pycurl.NOPROXY, "")
    curl.setopt(pycurl.CAINFO, args.authorities)
    curl.setopt(pycurl.WRITEFUNCTION, take)
    curl.perform()
    curl.close()
    return {"bytes": size, "first": first, "seconds": time.perf_counter() - began}


if __name__ == "__main__":
    main()
