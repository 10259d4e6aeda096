"""The picture of an archived page: the one that a capture kept, else one that is taken of the page in replay."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack
from pathlib import Path

from webkeep.api.fidelity.replay_visits import ReplayVisits, open_replay
from webkeep.api.work_listener import CallbackListener
from webkeep.browser import WalkLimits
from webkeep.browser.process import BrowserSettings
from webkeep.crawl.browsing import start_browser
from webkeep.errors import UsageError, WebkeepError
from webkeep.formats.states import FULL_PAGE_PREFIX, WINDOW_PREFIX
from webkeep.model import Moment
from webkeep.quality.damage import SampledPage
from webkeep.store.archive import Archive

_MAX_PICTURE_BYTES = 16 << 20
"""Of a picture that was kept: one of a window has a tenth of it."""
_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_LIMITS = WalkLimits(depth=0, seconds=40.0, views=1, requests=500, screens=1, screenshots=True)
"""What a page may do for its picture: load, and nothing else."""


def picture_archived_page(path: Path, url: str, at: Moment) -> tuple[bytes, Moment]:
    """A PNG of a page as it was at a moment or next to it, and when that was; refused where there is none."""
    with Archive(path) as archive:
        found = archive.lookup(url, at)
        if found is None:
            raise UsageError(f"{url[:200]} is not held; choose a page that was captured")
        page = SampledPage(url, found.moment, found.place)
        kept = _read_kept(archive, page)
    if kept:
        return kept, page.moment
    return asyncio.run(_take_picture(path, page)), page.moment


def _read_kept(archive: Archive, page: SampledPage) -> bytes:
    """The picture that a capture kept of a page, as its window showed it; nothing where it kept none."""
    for prefix in (WINDOW_PREFIX, FULL_PAGE_PREFIX):
        found = archive.lookup(f"{prefix}{page.url}", page.moment)
        if found is None:
            continue
        with contextlib.suppress(WebkeepError):  # one that is damaged is taken anew
            content = b"".join(archive.read(found).content(_MAX_PICTURE_BYTES))
            if content.startswith(_PNG_MAGIC) and len(content) < _MAX_PICTURE_BYTES:
                return content
    return b""


async def _take_picture(path: Path, page: SampledPage) -> bytes:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(open_replay(path, CallbackListener()))
        browser = await start_browser(stack, BrowserSettings())
        shown = await ReplayVisits(server, browser).visit(page, page.moment, _LIMITS)
    if shown is None or not shown.picture:
        why = shown.trouble if shown is not None else "the browser did not survive it"
        raise UsageError(
            f"no picture of {page.url[:200]} can be taken ({why or 'it shows nothing'}); choose another page"
        )
    return shown.picture
