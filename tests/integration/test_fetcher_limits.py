"""Limits hold: rates, connections, sizes and times; and nothing is left behind by what is cut off or cancelled."""

import asyncio
import os
import resource
import threading
from pathlib import Path

import pytest
from fetcher_calls import fetch, fetch_at_once
from raw_server import Cut, Endless, Held, RawServer

from fetch_settings import settings as usual_settings
from webkeep.errors import StorageError
from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest, FetchSettings
from webkeep.fetch.client import Fetcher

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


def long_answer(size: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size


@pytest.mark.parametrize(
    "part", [b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"]
)
def test_a_server_that_stalls_is_given_up_on(tmp_path: Path, part: bytes) -> None:
    with RawServer(Held(part)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(max_stall_seconds=1)))
    assert fetched.failure is FetchFailure.STALLED
    assert (fetched.exchange.truncated if fetched.exchange else "time") == "time"


def test_a_server_that_takes_too_long_is_given_up_on(tmp_path: Path) -> None:
    with RawServer(Endless(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1000)) as server:
        limits = FetchLimits(seconds=0.3, rate=100_000)
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=limits))
    assert fetched.failure is FetchFailure.TIMEOUT
    assert fetched.exchange is not None
    assert fetched.exchange.truncated == "time"
    assert 0 < fetched.exchange.body.size < 1_000_000


def test_an_endless_body_is_cut_off(tmp_path: Path) -> None:
    with RawServer(Endless(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(size=3_000_000)))
    assert fetched.failure is FetchFailure.TOO_LARGE
    assert fetched.exchange is not None
    assert fetched.exchange.body.size == 3_000_000


ASKED = b"HTTP/1.1 401 Who?\r\nX-Kind: film\r\nWWW-Authenticate: Basic\r\nContent-Length: 4\r\n\r\nwho?"


@pytest.mark.parametrize("odd", [b"", b"No colon here\r\n"], ids=["by libcurl", "plainly"])
@pytest.mark.parametrize("kind", [b"film", b"text"])
def test_a_response_may_be_turned_away_when_its_head_is_there(tmp_path: Path, odd: bytes, kind: bytes) -> None:
    def turns_away(head: bytes) -> str:
        return "no films" if b"X-Kind: film" in head else ""

    answer = Cut(b"HTTP/1.1 200 OK\r\nX-Kind: %s\r\n%s\r\n" % (kind, odd) + b"x" * 500_000)
    with RawServer(ASKED, answer, answer) as server:
        url = server.url.replace("//", "//me:secret@")
        (fetched,) = fetch(tmp_path, FetchRequest(url, private=True, head_filter=turns_away))
    assert fetched.exchange is not None
    assert fetched.is_lenient is bool(odd)
    if kind == b"film":
        assert fetched.failure is FetchFailure.UNWANTED
        assert fetched.exchange.body.size == 0
        assert fetched.exchange.response in answer
        assert fetched.exchange.truncated == "unspecified"
    else:
        assert fetched.is_whole
        assert fetched.exchange.body.size == 500_000


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        (usual_settings(rate=400_000), FetchLimits()),
        (usual_settings(rate_per_host=400_000), FetchLimits()),
        (usual_settings(), FetchLimits(rate=200_000)),
    ],
    ids=["of all", "of a host", "of a response"],
)
def test_bytes_come_no_faster_than_allowed(tmp_path: Path, settings: FetchSettings, limits: FetchLimits) -> None:
    with RawServer(long_answer(200_000)) as one, RawServer(long_answer(200_000)) as other:
        requests = [FetchRequest(server.url, private=True, limits=limits) for server in (one, other)]
        fetched = fetch_at_once(tmp_path, *requests, settings=settings)
    assert all(each.is_whole for each in fetched)
    assert all(each.exchange is not None and each.exchange.body.size == 200_000 for each in fetched)
    started, ended = min(each.started for each in fetched), max(each.ended for each in fetched)
    # Both servers are one host; a quarter of a second's worth may come at once, and the last chunk unpaid.
    assert ended.micros - started.micros > 500_000


class CountingServer:
    """Holds answers back until so many requests are under way, and knows the most there ever were."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self._under_way = 0
        self._enough = asyncio.Event()
        self._talks: list[asyncio.Task[None] | None] = []
        self.most = 0

    async def ended(self) -> None:
        """Wait until all clients are gone."""
        await asyncio.gather(*filter(None, self._talks))

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._talks.append(asyncio.current_task())
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                self._under_way += 1
                self.most = max(self.most, self._under_way)
                if self._under_way == self._awaited:
                    self._enough.set()
                await self._enough.wait()
                for _ in range(20):  # whoever would be one too many gets the time to show up
                    await asyncio.sleep(0)
                self._under_way -= 1
                writer.write(OK)
        except asyncio.IncompleteReadError:
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize(
    ("settings", "hosts", "most"),
    [
        (usual_settings(connections=3), 1, 3),
        (usual_settings(connections=3, connections_per_host=2), 1, 2),
        (usual_settings(connections=3, connections_per_host=2), 2, 3),
    ],
)
def test_no_more_requests_are_under_way_than_allowed(
    tmp_path: Path, settings: FetchSettings, hosts: int, most: int
) -> None:
    async def run() -> int:
        server = CountingServer(most)
        async with await asyncio.start_server(server.answer, "127.0.0.1", 0) as listening:
            port = listening.sockets[0].getsockname()[1]
            async with Fetcher(settings, tmp_path) as door:
                urls = [f"http://{['127.0.0.1', 'localhost'][number % hosts]}:{port}/" for number in range(12)]
                fetched = await asyncio.gather(*(door.fetch(FetchRequest(url, private=True)) for url in urls))
            await server.ended()
        assert all(each.is_whole for each in fetched)
        return server.most

    assert asyncio.run(run()) == most


def test_a_cancelled_request_leaves_nothing_behind(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))

    async def run(url: str) -> int:
        async with Fetcher(usual_settings(), tmp_path) as door:
            opened = len(os.listdir("/proc/self/fd"))
            for limits in (FetchLimits(), FetchLimits(rate=2_000_000)):
                task = asyncio.create_task(door.fetch(FetchRequest(url, private=True, limits=limits)))
                while not any(True for _ in _spooled()):
                    await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert not any(True for _ in _spooled())
            assert (await door.fetch(FetchRequest(url, private=True))).is_whole
            return opened

    endless = Endless(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)
    with RawServer(endless, endless, OK) as server:
        asyncio.run(run(server.url))
    assert len(os.listdir("/proc/self/fd")) == before


def _spooled() -> list[str]:
    """The temporary files that are open."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue
        if "(deleted)" in target and "pytest" in target:
            found.append(target)
    return found


def test_a_fetcher_that_closes_cancels_what_is_under_way(tmp_path: Path) -> None:
    async def run(url: str) -> None:
        async with Fetcher(usual_settings(), tmp_path) as door:
            task = asyncio.create_task(door.fetch(FetchRequest(url, private=True)))
            while not server.received:
                await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    with RawServer(Held(b"HTTP/1.1 200 OK\r\n\r\n")) as server:
        asyncio.run(run(server.url))


def test_a_full_disk_stops_the_crawl(tmp_path: Path) -> None:
    with RawServer(long_answer(3_000_000)) as server, pytest.raises(StorageError, match="make room"):
        fetch(tmp_path / "not there", FetchRequest(server.url, private=True))


def test_a_large_body_does_not_grow_memory(tmp_path: Path) -> None:
    with RawServer(Endless(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_000_000)) as server:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(size=50 << 20)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert fetched.exchange is not None
    assert fetched.exchange.body.size == 50 << 20
    assert grown < 25 << 10  # in KB


def test_a_body_is_read_by_several_threads_at_a_time(tmp_path: Path) -> None:
    body = bytes(range(256)) * 12_000
    with RawServer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.exchange is not None
    kept = fetched.exchange.body
    read: list[bytes] = []
    threads = [threading.Thread(target=lambda: read.append(b"".join(kept.chunks()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each == body for each in read)
