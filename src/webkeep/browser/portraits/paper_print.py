"""A page of our own on paper: made a PDF by a Chromium that asks for nothing, and made smaller until it fits on so many
sheets.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.chromium_command import BrowserSettings

_PDF_SECONDS = 30.0
"""For one try; it takes a quarter of a second."""
_SCALES = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5)
"""How much smaller a page is made, step by step, until it fits; below half its size nobody reads it."""
_PDF_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


async def print_markup(render: Callable[[str], bytes], program: str, max_sheets: int) -> bytes:
    """A page as a PDF of at most so many sheets, if it fits at all; `render` is told which browser prints it."""
    async with Chromium(BrowserSettings(program)) as browser:
        pipe = browser.pipe
        version = await pipe.call("Browser.getVersion")
        target = await pipe.call("Target.createTarget", url="about:blank")
        attached = await pipe.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        session = str(attached["sessionId"])
        await pipe.call("Page.enable", session)
        frame = (await pipe.call("Page.getFrameTree", session))["frameTree"]["frame"]["id"]
        markup = render(str(version["product"])).decode("utf-8", "replace")
        await pipe.call("Page.setDocumentContent", session, frameId=frame, html=markup)
        data = b""
        for scale in _SCALES:
            answer = await pipe.call(
                "Page.printToPDF", session, _PDF_SECONDS, printBackground=True, preferCSSPageSize=True, scale=scale
            )
            data = base64.b64decode(answer["data"])
            if count_sheets(data) <= max_sheets:
                break
        return data


def count_sheets(pdf: bytes) -> int:
    """How many pages a PDF has that Chromium made."""
    return len(_PDF_PAGE.findall(pdf))
