"""Pictures of a page compared by structural dissimilarity (SSIM), in Chromium, which can read them: how much differs
and where, what is left out as it varies by itself, and how large pictures go into a report.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from webkeep.browser.process import Chromium, PageGone
from webkeep.browser.tabs import ScriptPage

PICTURE_MEASURE = "structural dissimilarity (1 - SSIM, Wang et al. 2004)"
_MAX_STRAY_BLOCKS = 4
"""Blocks of 8 × 8 pixels in which pictures may differ that look the same to a reader: the corner of a letter."""
_MAX_VARYING_SHARE = 0.5
"""Where more of what is drawn varies by itself, the rest does not stand for the page."""
_MAX_PICTURE_BYTES = 48 << 20
"""Of a PNG that is compared; a page of 16,000 pixels with photographs has less."""
_SECONDS = 60.0
"""For two pictures of the longest pages, and two more pairs of what varies."""
_SHOWN_WIDTH, _SHOWN_HEIGHT = 800, 4000
"""Pixels of a picture in a report: text of a page can be read, and the file stays one that can be sent."""


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A picture as a report shows it."""

    media_type: str
    width: int
    height: int
    data: bytes = field(repr=False, metadata={"json": None})

    @property
    def data_url(self) -> str:
        """The picture as an address that needs no file."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class PictureDifference:
    """How two pictures of a page compare."""

    dissimilarity: float
    """One minus the mean SSIM of what is drawn: 0 for the same, 1 for nothing in common."""
    drawn: int
    """Blocks of 8 × 8 pixels in which anything is drawn, without those that vary."""
    different: int
    """Blocks in which a reader sees a difference; plain ones of another brightness are among them."""
    varying: int
    """Blocks that were left out, as they differ between two looks at the same page."""
    width: int
    height: int
    regions: tuple[tuple[int, int, int, int], ...] = ()
    """Where they differ, largest first: left, top, width and height in pixels."""
    measure: str = PICTURE_MEASURE

    @property
    def is_same(self) -> bool:
        """Whether a reader would see no difference."""
        return self.different <= _MAX_STRAY_BLOCKS

    @property
    def is_mostly_varying(self) -> bool:
        """Whether too little is left to compare."""
        return self.varying > _MAX_VARYING_SHARE * max(self.varying + self.drawn, 1)


@cache
def read_comparison_script() -> str:
    """The function that compares."""
    return (files("webkeep.quality.fidelity") / "compare_pictures.js").read_text("utf-8")


PicturePair = tuple[bytes, bytes]


class PictureComparer:
    """Compares pictures in a browser."""

    def __init__(self, browser: Chromium) -> None:
        self._browser = browser
        self._page: ScriptPage | None = None

    async def compare(
        self, pictures: PicturePair, again: Sequence[PicturePair] = ()
    ) -> tuple[PictureDifference, tuple[ReportPicture, ...]] | None:
        """How two pictures compare, and both as a report shows them; None where they cannot be read.

        Pairs in `again` are each of one page, looked at twice: what differs in them is left out.
        """
        if not all(pictures) or any(len(each) > _MAX_PICTURE_BYTES for each in pictures):
            return None
        whole = [pair for pair in again if all(pair)]
        try:
            told = await self._call(*map(_encode, pictures), [[_encode(each) for each in pair] for pair in whole])
        except PageGone:
            self._page = None
            return None
        shown = tuple(
            ReportPicture(kind, width, height, base64.b64decode(text)) for kind, width, height, text in told["pictures"]
        )
        names = ("dissimilarity", "drawn", "different", "varying", "width", "height")
        regions = tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in told["regions"])
        figures = {name: told[name] for name in names}
        # Where dark stands for light, SSIM falls below nothing in common.
        figures["dissimilarity"] = min(figures["dissimilarity"], 1.0)
        return PictureDifference(**figures, regions=regions), shown

    async def _call(self, *values: object) -> Any:
        if self._page is None:
            self._page = ScriptPage(self._browser)
            await self._page.open()
        return await self._page.call_function(read_comparison_script(), _SECONDS, *values, _SHOWN_WIDTH, _SHOWN_HEIGHT)


def _encode(picture: bytes) -> str:
    return base64.b64encode(picture).decode()
