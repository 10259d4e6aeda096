"""The Chromium process: its command, the account it runs as, the DevTools pipe, and how it fails."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.process.browser_account import NO_SANDBOX_WARNING as NO_SANDBOX_WARNING
    from webkeep.browser.process.browser_errors import BrowserGone as BrowserGone, PageGone as PageGone
    from webkeep.browser.process.chromium import Chromium as Chromium
    from webkeep.browser.process.chromium_command import (
        PROGRAMS as PROGRAMS,
        BrowserSettings as BrowserSettings,
        find_program as find_program,
        quiet_switches as quiet_switches,
    )
    from webkeep.browser.process.local_storage import LocalStores as LocalStores, read_open_stores as read_open_stores
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "browser_account": ("NO_SANDBOX_WARNING",),
            "browser_errors": ("BrowserGone", "PageGone"),
            "chromium": ("Chromium",),
            "chromium_command": ("BrowserSettings", "PROGRAMS", "find_program", "quiet_switches"),
            "local_storage": ("LocalStores", "read_open_stores"),
        },
    )
