"""`webkeep login`: log in to a site in a window, for captures of what only you may see."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from webkeep.browser.chromium import Chromium
from webkeep.browser.command import BrowserSettings
from webkeep.browser.failures import BrowserGone
from webkeep.cli.measure import counted
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.login import BROWSER, save_login
from webkeep.errors import UsageError
from webkeep.url import parse_seed

NAME = "login"
HELP = "Log in to a site in a browser window, so that captures with --browser-profile see what you see."

_LOOK = 1.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("url", metavar="URL", help="the page where you log in")
    parser.add_argument("--browser-profile", required=True, type=Path, metavar="FOLDER",
                        help="where the login is kept, for your eyes alone")  # fmt: skip
    parser.add_argument("--browser-program", default="", metavar="PROGRAM", help="which Chromium")
    parser.add_argument("--seconds", type=float, metavar="N", help="close the window after so long")


def run(args: argparse.Namespace, out: Output) -> int:
    """Open the window, and keep its cookies when it is closed."""
    url = parse_seed(args.url)
    folder = args.browser_profile.absolute()
    out.note(f"log in at {url}, then close the window")
    settings = BrowserSettings(args.browser_program, profile=str(folder / BROWSER), window=url)
    cookies = asyncio.run(_cookies(settings, args.seconds))
    if not cookies:
        raise UsageError(f"no cookie was set at {url}; log in before you close the window")
    save_login(folder, url, cookies)
    kept = counted(len(cookies), "cookie")
    facts: dict[str, object] = {"url": url, "folder": str(folder), "cookies": len(cookies)}
    out.summary(facts, f"kept {kept} in {folder}; use it with webkeep capture --browser-profile {folder}")
    return DONE


async def _cookies(settings: BrowserSettings, seconds: float | None) -> Sequence[dict[str, Any]]:
    """The cookies that the browser had last, before a person closed it."""
    found: Sequence[dict[str, Any]] = ()
    loop = asyncio.get_running_loop()
    async with Chromium(settings) as browser:
        end = None if seconds is None else loop.time() + seconds
        is_seen = False
        with suppress(BrowserGone):  # that is how a person says that it is done
            while browser.is_running and (end is None or loop.time() < end):
                found = (await browser.pipe.call("Storage.getCookies"))["cookies"]
                targets = (await browser.pipe.call("Target.getTargets"))["targetInfos"]
                is_there = any(each["type"] == "page" for each in targets)
                if is_seen and not is_there:
                    break
                is_seen = is_seen or is_there
                await asyncio.sleep(_LOOK)
    return found
