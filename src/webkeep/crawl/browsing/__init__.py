"""Captures with a browser: pages run in Chromium, all that they ask for recorded, their states stored."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.browsing.browser_report import BrowserReport as BrowserReport
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "browser_report": ("BrowserReport",),
        },
    )
