"""The debugging protocol, spoken with the other end of a pair of pipes."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from webkeep.browser.process import BrowserGone, BrowserSettings, PageGone, find_program
from webkeep.browser.process.chromium_command import build_command
from webkeep.browser.process.devtools_pipe import DevToolsPipe
from webkeep.errors import UsageError


class OtherEnd:
    """What Chromium would be."""

    def __init__(self, writing: int) -> None:
        self.writing = writing
        self._is_closed = False

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            os.close(self.writing)

    def say(self, *messages: object) -> None:
        os.write(self.writing, b"".join(json.dumps(each).encode() + b"\0" for each in messages))


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[DevToolsPipe, OtherEnd]]:
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    pipe = DevToolsPipe()
    await pipe.connect(to_us, from_us)
    other = OtherEnd(from_browser)
    try:
        yield pipe, other
    finally:
        pipe.close()
        other.close()
        os.close(to_browser)
        await asyncio.sleep(0)


def run(work: Callable[[DevToolsPipe, OtherEnd], Awaitable[None]]) -> None:
    async def main() -> None:
        async with connected() as ends:
            await work(*ends)

    asyncio.run(asyncio.wait_for(main(), 20))


def test_answers_find_their_calls_in_any_order() -> None:
    async def work(pipe: DevToolsPipe, other: OtherEnd) -> None:
        first, second = pipe.send("A.a"), pipe.send("B.b", "session", x=1)
        await asyncio.sleep(0)
        other.say({"id": 2, "result": {"two": 2}}, {"id": 1, "result": {"one": 1}})
        assert (await first, await second) == ({"one": 1}, {"two": 2})

    run(work)


def test_messages_may_come_in_pieces() -> None:
    async def work(pipe: DevToolsPipe, other: OtherEnd) -> None:
        heard: list[tuple[str, str]] = []
        pipe.listen("s", lambda event, _params, session: heard.append((event, session)))
        told = json.dumps({"method": "X.y", "params": {"text": "é"}, "sessionId": "s"}).encode() + b"\0"
        answer = pipe.send("A.a")
        for piece in (told[:5], told[5:-1], told[-1:] + told):
            os.write(other.writing, piece)
        other.say({"id": 1, "result": {}})
        await answer
        assert heard == [("X.y", "s")] * 2

    run(work)


def test_refusals_are_errors() -> None:
    async def work(pipe: DevToolsPipe, other: OtherEnd) -> None:
        answer = pipe.send("A.a", "session")
        other.say({"id": 1, "error": {"message": "no such thing"}})
        with pytest.raises(PageGone, match=r"A\.a: no such thing"):
            await answer

    run(work)


def test_silence_is_an_error() -> None:
    async def work(pipe: DevToolsPipe, _other: OtherEnd) -> None:
        with pytest.raises(PageGone, match="did not answer"):
            await pipe.call("A.a", "session", seconds=0.01)
        with pytest.raises(BrowserGone, match="did not answer"):
            await pipe.call("A.a", seconds=0.01)

    run(work)


def test_the_end_of_chromium_ends_every_call() -> None:
    async def work(pipe: DevToolsPipe, other: OtherEnd) -> None:
        told: list[str] = []
        pipe.listen("s", lambda event, _params, _session: told.append(event))
        waiting = pipe.send("A.a")
        other.close()
        with pytest.raises(BrowserGone):
            await waiting
        with pytest.raises(BrowserGone):
            await pipe.send("B.b")
        assert pipe.is_gone
        assert told == ["Webkeep.gone"]

    run(work)


def test_there_is_no_way_but_the_tab_proxies() -> None:
    words = build_command(BrowserSettings(program="/bin/true", key_hashes=("abc=",)), "/profile")
    assert "--proxy-server=http://127.0.0.1:1" in words
    assert any(word.startswith("--host-resolver-rules=MAP * ~NOTFOUND") for word in words)
    assert "--ignore-certificate-errors-spki-list=abc=" in words
    assert words[-1] == "about:blank"


def test_a_window_is_for_a_person() -> None:
    words = build_command(BrowserSettings(program="/bin/true", window="http://site.test/"), "/profile")
    assert "--headless=new" not in words
    assert not any(word.startswith("--proxy-server") for word in words)
    assert words[-1] == "http://site.test/"


def test_a_missing_chromium_is_told() -> None:
    with pytest.raises(UsageError, match="no-such-browser was not found"):
        find_program("no-such-browser")


def test_a_chromium_can_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBKEEP_CHROMIUM", "/bin/true")
    assert find_program() == "/bin/true"
    assert find_program("/bin/false") == "/bin/false", "what is said with a call goes first"
    monkeypatch.setenv("WEBKEEP_CHROMIUM", "no-such-browser")
    with pytest.raises(UsageError, match=r"no-such-browser was not found; .* WEBKEEP_CHROMIUM"):
        find_program()
