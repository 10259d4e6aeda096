"""Portraits of pages: pictures, PDF, text and document as a browser shows them in real time; our own pages on paper."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.portraits.page_portrait import PagePortrait as PagePortrait, take_portrait as take_portrait
    from webkeep.browser.portraits.paper_print import count_sheets as count_sheets, print_markup as print_markup
    from webkeep.browser.portraits.portrait_tab import PortraitTab as PortraitTab
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "page_portrait": ("PagePortrait", "take_portrait"),
            "paper_print": ("count_sheets", "print_markup"),
            "portrait_tab": ("PortraitTab",),
        },
    )
