"""Browsers that a service shows, in real Chromium: whom they are shown to, what they may not, and how they end."""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from dashboard_calls import DashboardClient, dashboard
from speaking_site import Speaker, serving

from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.service.browsing import (
    ShownBrowsers,
    ShownLimits,
    ShownOrder,
    ShownSession,
    build_passing_way,
    host_and_port,
)
from webkeep.service.jobs import ProcessIdentity
from webkeep.service.run.process_identity import is_running

PLACE = "position:absolute;left:0;width:300px;height:40px"
PAGE = f"""<!doctype html><title>Page</title><body>
<button style="{PLACE};top:0" onclick="document.title = String(confirm('Really?'))">confirm</button>
<button style="{PLACE};top:50px" onclick="location = '/said?' + prompt('Name?', 'Ada')">prompt</button>
<a style="{PLACE};top:100px;display:block" href="/file.zip" download>load</a>
<input style="{PLACE};top:150px" type="file">
<a style="{PLACE};top:200px;display:block" href="file:///etc/passwd">file</a>
<button style="{PLACE};top:250px" onclick="location = '/read?' + (navigator.clipboard ? 'open' : 'shut')">clip</button>
<script>onbeforeunload = (event) => event.preventDefault();</script>"""


class PageSite(Speaker):
    def answer(self) -> None:
        if self.path == "/file.zip":
            self.say(b"PK", ("Content-Disposition", "attachment; filename=file.zip"), kind="application/zip")
        else:
            self.say(PAGE.encode(), ("Set-Cookie", "seen=yes"))


Work = Callable[[ShownBrowsers, ShownSession, str], Awaitable[None]]


def run_shown(folder: Path, work: Work, limits: ShownLimits | None = None, is_open: bool = True) -> None:
    """Have a browser shown at a page, while something is done to it; nothing of it is left afterwards."""

    async def run(home: str) -> None:
        shown = ShownBrowsers(folder / "spool", limits)
        session = shown.begin(order_for(home, is_open), build_passing_way(folder / "authority", SystemClock()))
        try:
            await work(shown, session, home)
        finally:
            await shown.close()
        assert list((folder / "spool").glob("shown-*")) == []

    with serving(PageSite) as home:
        asyncio.run(run(home))


def order_for(home: str, is_open: bool = True) -> ShownOrder:
    hosts = frozenset({host_and_port(home)} if is_open else ())
    return ShownOrder("town", "session of ada", f"{home}/", "/back", hosts, login_name="Ada")


async def view_until(session: ShownSession, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """What its viewer is told as soon as it is as wanted."""
    number = 0
    for _ in range(200):
        told = await session.next_view(number)
        if wanted(told):
            return told
        number = told.get("number", number)
    raise AssertionError(f"never so, but {told | {'picture': ''}}")


async def click(session: ShownSession, y: int) -> None:
    at = {"x": 100, "y": y}
    await session.perform([{"kind": "down", **at, "buttons": 1}, {"kind": "up", **at}])


def is_drawn(told: dict[str, Any]) -> bool:
    return bool(told.get("picture"))


def test_dialogs_are_answered_by_whoever_looks_and_nothing_is_loaded_down_or_sent(tmp_path: Path) -> None:
    async def work(_: ShownBrowsers, session: ShownSession, home: str) -> None:
        await view_until(session, is_drawn)
        await click(session, 20)
        told = await view_until(session, lambda told: told.get("dialog"))
        assert told["dialog"] == {"kind": "confirm", "text": "Really?", "value": ""}
        await session.perform([{"kind": "reload"}, {"kind": "answer", "accept": False}])
        await view_until(session, lambda told: "number" in told and not told["dialog"])
        await click(session, 120)
        told = await view_until(session, lambda told: told.get("notice"))
        assert told["notice"] == "file.zip was not downloaded: nothing is saved from here"
        await click(session, 170)
        await view_until(session, lambda told: told.get("notice") == "no file can be sent from here")
        await click(session, 220)
        await click(session, 70)
        told = await view_until(session, lambda told: told.get("dialog"))
        assert told["dialog"] == {"kind": "prompt", "text": "Name?", "value": "Ada"}
        assert told["url"] == f"{home}/"
        await session.perform([{"kind": "answer", "accept": True, "text": "Grace"}])
        await view_until(session, lambda told: told.get("url") == f"{home}/said?Grace" and told["picture"])
        for address in ("file:///etc/passwd", "devtools://devtools/bundled/inspector.html", "chrome://version"):
            with pytest.raises(UsageError, match="no page of the web"):
                await session.perform([{"kind": "go", "url": address}])

    run_shown(tmp_path, work)


def test_private_addresses_are_closed_to_whoever_may_not_open_them(tmp_path: Path) -> None:
    async def work(_: ShownBrowsers, session: ShownSession, home: str) -> None:
        await view_until(session, is_drawn)
        with pytest.raises(UsageError, match="no site has set a cookie"):
            await session.read_login()

    run_shown(tmp_path, work, is_open=False)


def test_it_is_shown_to_one_person_and_few_are_at_once(tmp_path: Path) -> None:
    async def work(shown: ShownBrowsers, session: ShownSession, home: str) -> None:
        assert shown.find(session.id, "town", "session of ada") is session
        for asked in (
            (session.id, "press", "session of ada"),
            (session.id, "town", "session of eve"),
            (session.id, "town", ""),
            ("", "town", "session of ada"),
        ):
            assert shown.find(*asked) is None
        with pytest.raises(UsageError, match="as many as may be"):
            shown.begin(order_for(home), build_passing_way(tmp_path / "authority", SystemClock()))
        told = await view_until(session, is_drawn)
        looks = [asyncio.create_task(session.next_view(told["number"])) for _ in range(6)]
        refused = [
            each for each in await asyncio.gather(*looks, return_exceptions=True) if isinstance(each, UsageError)
        ]
        assert len(refused) == 2
        with pytest.raises(UsageError, match="no more than 200"):
            await session.perform([{"kind": "back"}] * 201)
        content, url, page = await session.read_login()
        assert [each["value"] for each in content.cookies] == ["yes"]
        assert (url, page) == (f"{home}/", f"{home}/")

    run_shown(tmp_path, work, ShownLimits(at_once=1))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ShownLimits(absent_seconds=0), "nobody looked at it any more"),
        (ShownLimits(idle_seconds=0), "nothing was done in it for 0 minutes"),
        (ShownLimits(total_seconds=0), "it was shown for 0 minutes"),
    ],
)
def test_it_ends_when_it_is_left_alone_or_takes_too_long(tmp_path: Path, limits: ShownLimits, reason: str) -> None:
    async def work(_: ShownBrowsers, session: ShownSession, __: str) -> None:
        told = await view_until(session, lambda told: told["ended"])
        assert told["ended"].startswith(reason)
        with pytest.raises(UsageError, match=reason):
            await session.perform([{"kind": "back"}])

    run_shown(tmp_path, work, limits)


def test_the_death_of_chromium_is_told(tmp_path: Path) -> None:
    async def work(_: ShownBrowsers, session: ShownSession, __: str) -> None:
        await view_until(session, is_drawn)
        process, _ = trace_of(tmp_path / "spool")
        os.killpg(process.number, signal.SIGKILL)
        told = await view_until(session, lambda told: told["ended"])
        assert told["ended"] == "Chromium has ended by itself; begin again"

    run_shown(tmp_path, work)


def trace_of(spool: Path) -> tuple[ProcessIdentity, Path]:
    """The process that is shown, and where its profile lies."""
    (found,) = spool.glob("shown-*/browser.json")
    values = read_json(found.read_bytes())
    return ProcessIdentity(**values["process"]), Path(values["profile"])


def begin_login(client: DashboardClient, home: str) -> str:
    client.enter()
    assert client.send("/collections", client.ask("/new-collection"), name="town", title="Town").status == 303
    page = client.ask("/collections/town/logins")
    begun = client.send("/collections/town/logins", page, name="Ada", url=home)
    assert begun.status == 303, begun.text
    path = begun.headers["location"]
    while b'"picture":"/9j' not in client.ask(f"{path}/view").body:
        pass
    return path


def test_a_service_that_is_killed_leaves_no_browser_and_the_next_clears_up(tmp_path: Path) -> None:
    root = tmp_path / "service"
    with serving(PageSite) as home:
        with dashboard(root) as client:
            begin_login(client, home)
            process, profile = trace_of(root / "spool")
            assert profile.is_dir() and profile.parent == Path(tempfile.gettempdir())
            os.kill(int((root / "lock").read_text()), signal.SIGKILL)
            while is_running(process):  # it ends by itself, as the pipe to it is gone
                pass
        assert list((root / "spool").glob("shown-*"))
        with dashboard(root) as client:
            assert not list((root / "spool").glob("shown-*"))
            assert not profile.exists()


def test_another_session_of_the_same_person_is_not_shown_it_and_the_end_of_the_service_ends_it(tmp_path: Path) -> None:
    root = tmp_path / "service"
    with serving(PageSite) as home, dashboard(root) as client:
        path = begin_login(client, home)
        process, profile = trace_of(root / "spool")
        own = dict(client.cookies)
        elsewhere = {"sec_fetch_site": "cross-site"}
        assert client.ask(f"{path}/view", **elsewhere).status == 403
        assert client.ask(path.replace("/town/", "/press/") + "/view").status == 404
        stolen = client.ask(f"{path}/input", "POST", b'{"inputs": []}', content_type="application/json")
        assert stolen.status == 403, "it needs the token of the session"
        token = client.ask(path).field("csrf_token")
        for sent, status in ((b'{"inputs": [{"kind": "back"}]}', 200), (b"{}", 400), (b"[", 400),
                             (b'{"inputs": [{"kind": "go", "url": "file:///etc/passwd"}]}', 400)):  # fmt: skip
            answer = client.ask(f"{path}/input", "POST", sent, content_type="application/json", x_csrf_token=token)
            assert answer.status == status, answer.text
        client.cookies = {}
        assert client.ask(f"{path}/view").status in (303, 401)
        client.cookies = own
        left = client.post(f"{path}/end", csrf_token=token, leaving="yes")
        assert left.status == 200
    assert not is_running(process)
    assert not profile.exists()
