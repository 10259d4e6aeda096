"""What a request costs by libcurl and without it: processor time of the process that asks, a server apart.

    .venv/bin/python -m bench.plain_requests [--quick]

The same files of the reference site by the same fetcher, whose requests go by libcurl or plainly; turn by turn.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from itertools import islice
from pathlib import Path

from bench.measuring import median, result, say
from bench.peers_nginx import Nginx
from bench.reference_site import reference_site
from webkeep.fetch import FetchRequest, FetchSettings
from webkeep.fetch.client import Fetcher

_ROUNDS = 5
_AT_ONCE = 8
_NEVER = 1 << 30
_WAYS = {"libcurl": _NEVER, "plain": 1}
"""After how many answers requests go plainly."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer requests")
    count = 900 if parser.parse_args().quick else 9000
    site = reference_site(300)
    spent: dict[str, list[float]] = {way: [] for way in _WAYS}
    with (
        tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder,
        Nginx.serving(site.folder, Path(folder, "server")) as server,
    ):
        urls = [server.url.rstrip("/") + path for path in islice(site.files(), 900)] * (count // 900)
        for _ in range(_ROUNDS):
            for way, after in _WAYS.items():
                spent[way].append(asyncio.run(_ask(urls, after, Path(folder))) / len(urls) * 1e6)
            say(", ".join(f"{way} {each[-1]:.1f} µs" for way, each in spent.items()))
    ratio = median(plain / usual for plain, usual in zip(spent["plain"], spent["libcurl"], strict=True))
    result({**{f"{way}_us": median(each) for way, each in spent.items()}, "plain_share": ratio, "requests": count})


async def _ask(urls: list[str], plain_after: int, spool: Path) -> float:
    """Ask for all of them; gives the seconds of processor time."""
    settings = FetchSettings(connections=_AT_ONCE, connections_per_host=_AT_ONCE, plain_after=plain_after)
    waiting = iter(urls)

    async def ask_next() -> None:
        for url in waiting:
            fetched = await fetcher.fetch(FetchRequest(url, headers=(("Accept", "*/*"),), private=True))
            if not fetched.is_whole:
                raise SystemExit(f"{url}: {fetched.failure} {fetched.detail}")

    async with Fetcher(settings, spool) as fetcher:
        for _ in range(2):
            await fetcher.fetch(FetchRequest(urls[0], headers=(("Accept", "*/*"),), private=True))
        started = time.process_time()
        await asyncio.gather(*(ask_next() for _ in range(_AT_ONCE)))
        return time.process_time() - started


if __name__ == "__main__":
    main()
