"""`webkeep login`: log in to a site in a window, for captures of what only you may see; how cookies and local storage
are gathered until the window is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from webkeep.browser.process import NO_SANDBOX_WARNING, BrowserGone, BrowserSettings, Chromium, read_open_stores
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import BROWSER_FOLDER, save_login
from webkeep.errors import RemoteError, UsageError
from webkeep.presentation import format_count
from webkeep.url import parse_seed

_POLL_SECONDS = 1.0
"""Cookies are read this often, as nothing can be asked of a browser once it is closed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("url", metavar="URL", help="the page where you log in")
    parser.add_argument("--browser-profile", required=True, type=Path, metavar="FOLDER",
                        help="where the login is kept, for your eyes alone")  # fmt: skip
    parser.add_argument("--browser-program", default="", metavar="PROGRAM", help="which Chromium")
    parser.add_argument("--seconds", type=float, metavar="N", help="close the window after so long")


def run(args: argparse.Namespace, out: Output) -> int:
    """Open the window, and keep what its sites kept there when it is closed."""
    url = parse_seed(args.url)
    folder = args.browser_profile.absolute()
    out.note(f"log in at {url}, then close the window")
    if os.geteuid() == 0:
        out.note(NO_SANDBOX_WARNING)
    settings = BrowserSettings(args.browser_program, profile=str(folder / BROWSER_FOLDER), window=url)
    try:
        cookies, stores = asyncio.run(_watch_browser(settings, args.seconds))
    except BrowserGone as error:
        raise RemoteError(f"the browser ended at once; {_screen_advice()}") from error
    items = sum(map(len, stores.values()))
    if not cookies and not items:
        raise UsageError(f"no cookie was set at {url}, and nothing stored; log in before you close the window")
    save_login(folder, url, cookies, {origin: store for origin, store in stores.items() if store})
    kept = format_count(len(cookies), "cookie") + (
        f" and {format_count(items, 'item')} of local storage" if items else ""
    )
    facts: dict[str, object] = {"url": url, "folder": str(folder), "cookies": len(cookies), "stored": items}
    out.summary(facts, f"kept {kept} in {folder}; use it with webkeep capture --browser-profile {folder}")
    return DONE


def _screen_advice() -> str:
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return "start it by hand to see why"
    return "there is no screen for its window (DISPLAY is not set); log in where there is one"


async def _watch_browser(
    settings: BrowserSettings, seconds: float | None
) -> tuple[Sequence[dict[str, Any]], dict[str, dict[str, str]]]:
    """The cookies that the browser had last, before a person closed it, and what its pages stored."""
    found: Sequence[dict[str, Any]] = ()
    stores: dict[str, dict[str, str]] = {}
    loop = asyncio.get_running_loop()
    async with Chromium(settings) as browser:
        end = None if seconds is None else loop.time() + seconds
        is_seen = False
        with suppress(BrowserGone):  # that is how a person says that it is done
            while browser.is_running and (end is None or loop.time() < end):
                found = (await browser.pipe.call("Storage.getCookies"))["cookies"]
                stores |= await read_open_stores(browser.pipe)
                targets = (await browser.pipe.call("Target.getTargets"))["targetInfos"]
                is_there = any(each["type"] == "page" for each in targets)
                if is_seen and not is_there:
                    break
                is_seen = is_seen or is_there
                await asyncio.sleep(_POLL_SECONDS)
    return found, stores
