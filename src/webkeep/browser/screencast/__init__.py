"""A tab shown to somebody elsewhere: pictures of it as it changes, and their mouse and keyboard back to it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.screencast.shown_tab import (
        ScreencastFrame as ScreencastFrame,
        ShownTab as ShownTab,
        TabDialog as TabDialog,
    )
    from webkeep.browser.screencast.tab_input import TabInput as TabInput, parse_tab_input as parse_tab_input
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {"shown_tab": ("ScreencastFrame", "ShownTab", "TabDialog"), "tab_input": ("TabInput", "parse_tab_input")},
    )
