"""A tab shown elsewhere, in real Chromium: pictures come, input goes back, nothing but the web is reached."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from speaking_site import Speaker, serving

from webkeep.browser.process import BrowserSettings, Chromium
from webkeep.browser.screencast import ShownTab, parse_tab_input
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings
from webkeep.fetch.proxy import ProxySettings, RecordingProxy, open_listeners
from webkeep.service.browsing import PassingRecorder, host_and_port

FORM = b"""<!doctype html><title>Form</title><body style="margin:0"><form action="/said" method="get">
<input name="word" style="position:absolute;left:0;top:0;width:300px;height:50px"></form>
<a href="/popup" target="_blank" style="position:absolute;left:0;top:200px;width:300px;height:50px">open</a>
<button onclick="window.open('/popup')"
 style="position:absolute;left:0;top:300px;width:300px;height:50px">open</button>"""
CLOSING = b"<!doctype html><title>Popup</title><body onclick='window.close()'>here"
JPEG_START = b"\xff\xd8\xff"


class FormSite(Speaker):
    def answer(self) -> None:
        self.say(CLOSING if self.path == "/popup" else FORM, ("Set-Cookie", "seen=yes; Path=/"))


@asynccontextmanager
async def shown_tab(folder: Path, private_hosts: frozenset[str]) -> AsyncIterator[ShownTab]:
    settings = ProxySettings(folder, folder / "authority", FetchSettings(connections=16, connections_per_host=16))
    proxying = RecordingProxy(settings, open_listeners("127.0.0.1", 0), PassingRecorder(private_hosts), SystemClock())
    async with (
        proxying as proxy,
        Chromium(BrowserSettings(key_hashes=proxy.authority.key_hashes)) as browser,
        ShownTab(browser, f"127.0.0.1:{proxy.port}") as tab,
    ):
        yield tab


async def seen_at(tab: ShownTab, ending: str) -> None:
    """Wait for a picture of a page."""
    number = 0
    while (frame := await tab.next_frame(number, 30)) is not None:
        number = frame.number
        if frame.url.endswith(ending) and frame.picture.startswith(JPEG_START):
            return
    pytest.fail(f"no picture of {ending}, but of {tab.frame.url}")


async def do(tab: ShownTab, *inputs: dict[str, object]) -> None:
    for each in inputs:
        await tab.perform(parse_tab_input(each))


def click(x: int, y: int) -> tuple[dict[str, object], dict[str, object]]:
    return {"kind": "down", "x": x, "y": y, "buttons": 1}, {"kind": "up", "x": x, "y": y}


def type_key(key: str, number: int) -> tuple[dict[str, object], dict[str, object]]:
    pressed = {"key": key, "code": key, "number": number}
    return {"kind": "keydown", **pressed}, {"kind": "keyup", **pressed}


def run_in_tab(folder: Path, work: Callable[[ShownTab, str], Awaitable[None]], is_private_open: bool = True) -> None:
    async def run(home: str) -> None:
        async with shown_tab(folder, frozenset({host_and_port(home)} if is_private_open else ())) as tab:
            await work(tab, home)

    with serving(FormSite) as home:
        asyncio.run(run(home))


def test_somebody_elsewhere_types_into_a_form_and_goes_back(tmp_path: Path) -> None:
    async def work(tab: ShownTab, home: str) -> None:
        await do(tab, {"kind": "size", "width": 640, "height": 480}, {"kind": "go", "url": f"{home}/"})
        await seen_at(tab, "/")
        await do(tab, *click(20, 20), *type_key("h", 72), {"kind": "text", "text": "ello & more"})
        await do(tab, *type_key("Enter", 13))
        await seen_at(tab, "/said?word=hello+%26+more")
        assert (tab.frame.width, tab.frame.height) == (640, 480)
        assert [each["name"] for each in await tab.read_cookies()] == ["seen"]
        await do(tab, {"kind": "back"})
        await seen_at(tab, "/")

    run_in_tab(tmp_path, work)


def test_a_window_that_a_page_opens_is_shown_until_it_is_closed(tmp_path: Path) -> None:
    async def work(tab: ShownTab, home: str) -> None:
        await do(tab, {"kind": "go", "url": f"{home}/"})
        await seen_at(tab, "/")
        await do(tab, *click(20, 320))
        await seen_at(tab, "/popup")
        await do(tab, *click(20, 20))
        await seen_at(tab, "/")
        await do(tab, *click(20, 220))
        await seen_at(tab, "/popup")
        await do(tab, {"kind": "back"})
        await seen_at(tab, "/")

    run_in_tab(tmp_path, work)


def test_files_and_private_addresses_are_not_reached(tmp_path: Path) -> None:
    async def work(tab: ShownTab, home: str) -> None:
        for address in ("file:///etc/passwd", "chrome://settings", "view-source:http://example.org/", "javascript:1"):
            with pytest.raises(UsageError, match="no page of the web"):
                await tab.navigate(address)
        await do(tab, {"kind": "go", "url": f"{home}/"})
        await seen_at(tab, "/")
        assert await tab.read_cookies() == []  # the answer is the proxy's, and not the site's

    run_in_tab(tmp_path, work, is_private_open=False)
