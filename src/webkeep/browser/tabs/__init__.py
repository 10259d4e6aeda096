"""Tabs: loading and acting on pages, what happens meanwhile, virtual time, and whose requests are whose."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.tabs.browser_tabs import BrowserTabs as BrowserTabs
    from webkeep.browser.tabs.script_page import ScriptPage as ScriptPage
    from webkeep.browser.tabs.tab import Tab as Tab
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "browser_tabs": ("BrowserTabs",),
            "script_page": ("ScriptPage",),
            "tab": ("Tab",),
        },
    )
