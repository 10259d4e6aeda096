"""Captures with a browser: pages run in Chromium, all that they ask for recorded, their states stored."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.browsing.browser_report import BrowserReport as BrowserReport
    from webkeep.crawl.browsing.tab_pool import start_browser as start_browser
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "browser_report": ("BrowserReport",),
            "tab_pool": ("start_browser",),
        },
    )
