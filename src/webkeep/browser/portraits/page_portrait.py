"""The portrait of a page: pictures of its full length and of its window, a PDF, its text and its document, all as one
load of it showed them; how large tiles and pictures are, and how a page is put on paper.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from webkeep.browser.dom.dom_markup import serialize_html, visible_text
from webkeep.browser.portraits.portrait_tab import PortraitTab
from webkeep.browser.process.browser_errors import PageGone, ProcessGone
from webkeep.errors import FormatError
from webkeep.formats import join_tiles

_MAX_TILE_PIXELS = 16_000
"""Width and height up to which Chromium draws a picture in one piece; textures end a little above."""
_MAX_BAND_PIXELS = 24_000_000
"""Pixels of the tiles that are held side by side: 72 MB without their compression."""
_MAX_PICTURE_PIXELS = 400_000_000
"""Pixels of one picture, such as 1,280 by 312,000; what goes beyond is left out, and told."""
_PICTURE_SECONDS = 20.0
"""For one tile; it takes half a second."""
_PDF_SECONDS = 120.0
"""For a page on paper; the longest that is pictured takes a quarter of it."""
_CSS_PIXELS_PER_INCH = 96.0
"""By the definition of CSS."""
_PAPER_INCHES = (8.27, 11.69)
"""A4."""
_MIN_PRINT_SHARE = 0.1
"""The least that Chromium prints at; wider pages get wider paper."""


@dataclass(frozen=True, slots=True)
class PagePortrait:
    """A page as a browser showed it."""

    url: str
    """Where it was shown in the end: redirects and scripts may have led there."""
    title: str
    status: int
    """What the server answered for it; 0 where nothing is known of it."""
    width: int
    """In pixels, as are all that follow."""
    height: int
    pictured_width: int
    """How much of it is on the picture."""
    pictured_height: int
    is_at_rest: bool
    """Whether it came to rest, and did not grow for as long as it was scrolled."""
    text: str
    """What a person could read."""
    dom: str
    """The document as HTML."""
    window: bytes
    """A PNG of what the window shows; empty where there is none, as are all that follow."""
    full: bytes
    """A PNG of all of it."""
    pdf: bytes
    dialogs: tuple[str, ...] = ()
    """What it said in windows of its own."""
    troubles: tuple[str, ...] = field(default=())
    """What could not be made of it, and why."""


async def take_portrait(tab: PortraitTab, url: str, seconds: float, settle_seconds: float) -> PagePortrait:
    """Load a page, scroll through it and take its portrait, within so many seconds; a load has `settle_seconds`."""
    deadline = asyncio.get_running_loop().time() + seconds
    rests = await tab.load(url, settle_seconds)
    scrolled = await tab.scroll_through(max(deadline - asyncio.get_running_loop().time(), settle_seconds))
    await tab.await_paint()
    overlay = await tab.find_overlay()
    troubles = [overlay.describe()] if overlay is not None else []
    if scrolled.left_out:
        troubles.append(
            f"its last {scrolled.left_out:,} pixels were not scrolled to: what is loaded only there is missing"
        )
    tree = await tab.read_tree()
    width, height = await tab.content_size()
    pictured = _pictured_size(width, height)
    window = await _make("the picture of the window", lambda: _take_window(tab), troubles)
    full = await _make("the picture of the whole page", lambda: _take_full(tab, *pictured), troubles)
    pdf = await _make("the PDF", lambda: _print_page(tab, width), troubles)
    if pictured != (width, height):
        troubles.append(f"the picture ends at {pictured[0]:,} by {pictured[1]:,} of {width:,} by {height:,} pixels")
    if withheld := tab.list_withheld():
        more = f" and {len(withheld) - 1:,} more" if len(withheld) > 1 else ""
        troubles.append(
            f"what it sent was held back ({withheld[0]}{more}): it may show otherwise where that is let pass"
        )
    frame = tree.frames[0]
    return PagePortrait(
        frame.url, frame.title, tab.status, width, height, *(pictured if full else (0, 0)),
        rests and scrolled.is_at_rest, visible_text(tree), serialize_html(tree), window, full, pdf,
        tuple(tab.dialogs), tuple(troubles),
    )  # fmt: skip


async def _make(name: str, making: Callable[[], Awaitable[bytes]], troubles: list[str]) -> bytes:
    """One part of the portrait; where it cannot be made, why is told, and the others are made all the same."""
    try:
        return await making()
    except ProcessGone:
        raise
    except (PageGone, FormatError) as error:
        troubles.append(f"{name} could not be made: {error}")
        return b""


def _pictured_size(width: int, height: int) -> tuple[int, int]:
    return width, max(min(height, _MAX_PICTURE_PIXELS // width), 1)


async def _take_window(tab: PortraitTab) -> bytes:
    return await _take_picture(tab)


async def _take_full(tab: PortraitTab, width: int, height: int) -> bytes:
    if width <= _MAX_TILE_PIXELS and height <= _MAX_TILE_PIXELS:
        return await _take_picture(tab, (0, 0, width, height))
    bands = [band async for band in _take_bands(tab, width, height)]
    return await asyncio.to_thread(join_tiles, width, height, bands)


async def _take_bands(tab: PortraitTab, width: int, height: int) -> AsyncIterator[list[bytes]]:
    """Tiles of the page from top to bottom, those that stand side by side together."""
    length = min(_MAX_TILE_PIXELS, max(_MAX_BAND_PIXELS // width, 1))
    for top in range(0, height, length):
        yield [
            await _take_picture(
                tab, (left, top, min(_MAX_TILE_PIXELS, width - left), min(length, height - top))
            )
            for left in range(0, width, _MAX_TILE_PIXELS)
        ]  # fmt: skip


async def _take_picture(tab: PortraitTab, area: tuple[int, int, int, int] | None = None) -> bytes:
    asked: dict[str, object] = {"format": "png", "optimizeForSpeed": True}
    if area is not None:
        left, top, width, height = area
        clip = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
        asked |= {"captureBeyondViewport": True, "clip": clip}
    answer = await tab.call("Page.captureScreenshot", _PICTURE_SECONDS, **asked)
    return base64.b64decode(answer["data"])


async def _print_page(tab: PortraitTab, width: int) -> bytes:
    """The page as it is on the screen, laid out as wide as it is there, on A4; on wider paper where it must be."""
    paper_width, paper_height = _PAPER_INCHES
    scale = max(min(paper_width * _CSS_PIXELS_PER_INCH / width, 1.0), _MIN_PRINT_SHARE)
    paper_width = max(paper_width, width * scale / _CSS_PIXELS_PER_INCH)
    await tab.call("Emulation.setEmulatedMedia", media="screen")
    answer = await tab.call(
        "Page.printToPDF", _PDF_SECONDS, printBackground=True, scale=scale, paperWidth=paper_width,
        paperHeight=paper_height, marginTop=0, marginBottom=0, marginLeft=0, marginRight=0,
    )  # fmt: skip
    return base64.b64decode(answer["data"])
