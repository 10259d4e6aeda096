"""The functions for asyncio: the loop goes on, callbacks are called in it, and cancelled tasks end cleanly."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from python_site import changing_site
from small_site import SmallSite, linking

import webkeep
from webkeep import aio


def test_captures_run_side_by_side_and_callbacks_are_called_in_the_loop(tmp_path: Path) -> None:
    async def run() -> None:
        where: set[threading.Thread] = set()

        def look(_: webkeep.CaptureProgress) -> None:
            where.add(threading.current_thread())

        async def look_later(_: webkeep.CaptureProgress) -> None:
            await asyncio.sleep(0)
            where.add(threading.current_thread())

        calls = [
            aio.capture(server.url(), into=tmp_path / name, browser="off", on_progress=each)
            for name, each in (("a", look), ("b", look_later))
        ]
        done = await asyncio.gather(*calls)
        assert [each.stored for each in done] == [5, 5]
        assert where == {threading.main_thread()}

    with changing_site() as (_, server):
        asyncio.run(run())


def test_a_plain_call_works_where_a_loop_runs(tmp_path: Path) -> None:
    async def run() -> None:
        assert webkeep.capture(server.url(), into=tmp_path / "a", browser="off").stored == 5
        assert not webkeep.verify(tmp_path / "a").findings

    with changing_site() as (_, server):
        asyncio.run(run())


def test_a_cancelled_capture_is_gone_on_with(tmp_path: Path) -> None:
    async def run() -> None:
        task = asyncio.create_task(aio.capture(server.url(), into=tmp_path / "a", browser="off"))
        await asyncio.to_thread(server.wait_for_requests, 11)
        task.cancel()
        server.let_go()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not (await aio.verify(tmp_path / "a")).findings
        done = await aio.capture(server.url(), into=tmp_path / "a", browser="off")
        assert (done.resumed, done.finished) == (True, True)

    with SmallSite({"/": linking(*(f"/{number}" for number in range(50)))}) as server:
        server.hold_after(10)
        asyncio.run(run())
    assert len(server.paths) == len(set(server.paths)) == 51


def test_a_capture_cancelled_twice_lets_go_of_what_is_under_way(tmp_path: Path) -> None:
    async def run() -> None:
        task = asyncio.create_task(aio.capture(server.url(), into=tmp_path / "a", browser="off"))
        await asyncio.to_thread(server.wait_for_requests, 2)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with SmallSite({"/": linking("/1")}) as server:
        server.hold_after(1)
        asyncio.run(run())
    assert not webkeep.verify(tmp_path / "a").findings


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "archive"
    with webkeep.open(path, create=True) as archive, archive.begin("append") as capture:
        for number in range(300):
            capture.append_resource(f"http://example.org/{number}", "text/plain", b"%d" % number)
    return path


@pytest.mark.parametrize("name", ["verify", "certify", "export", "mirror", "import_files"])
def test_cancelled_work_ends_between_two_records_and_leaves_nothing_half(kept: Path, tmp_path: Path, name: str) -> None:
    warc = next((kept / "warcs").iterdir())
    calls: dict[str, Any] = {
        "verify": lambda: aio.verify(kept),
        "certify": lambda: aio.certify(kept, output=tmp_path / "out"),
        "export": lambda: aio.export(kept, wacz=tmp_path / "out"),
        "mirror": lambda: aio.mirror(kept, tmp_path / "out"),
        "import_files": lambda: aio.import_files(warc, into=tmp_path / "out"),
    }

    async def run() -> None:
        task = asyncio.create_task(calls[name]())
        await asyncio.sleep(0)  # it has begun its thread
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    if name == "import_files":
        assert not webkeep.verify(tmp_path / "out").findings
    else:
        assert [each.name for each in tmp_path.iterdir()] == []


def test_an_exception_in_a_callback_is_raised_by_the_awaited_call(kept: Path) -> None:
    async def refuse(_: webkeep.WorkProgress) -> None:
        raise LookupError("no more")

    async def run() -> None:
        with pytest.raises(LookupError, match="no more"):
            await aio.verify(kept, on_progress=refuse)
        with pytest.raises(webkeep.UsageError, match="give one of wacz, warc, cdxj and states"):
            await aio.export(kept)

    asyncio.run(run())


def test_servers_and_recordings_last_as_long_as_their_blocks(kept: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with aio.serve(kept, port=0, workers=1, words=False) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % server.port)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            await reader.read()
            writer.close()
        exchanges: list[webkeep.RecordedExchange] = []
        async with aio.record(
            into=tmp_path / "a", port=0, private=True, authority=tmp_path / "ca", on_exchange=exchanges.append
        ) as recording:
            reader, writer = await asyncio.open_connection("127.0.0.1", recording.port)
            writer.write(f"GET {site.url()} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            assert b"home" in await reader.read()
            writer.close()
        assert (recording.summary.stored, len(exchanges)) == (1, 1)

    with changing_site() as (_, site):
        asyncio.run(run())


def test_a_server_that_nobody_waits_for_any_more_is_closed(kept: Path) -> None:
    async def run() -> None:
        async def enter() -> None:
            async with aio.serve(kept, port=0, workers=1, words=False):
                raise AssertionError("it was cancelled before")

        task = asyncio.create_task(enter())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    names = [thread.name for thread in threading.enumerate()]
    assert "webkeep-serve" not in names
