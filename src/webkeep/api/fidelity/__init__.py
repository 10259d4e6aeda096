"""Pages of a capture opened live and in replay, in a real browser, and compared."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.api.fidelity.archived_picture import picture_archived_page as picture_archived_page
    from webkeep.api.fidelity.page_comparisons import compare_pages_in_browser as compare_pages_in_browser
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archived_picture": ("picture_archived_page",),
            "page_comparisons": ("compare_pages_in_browser",),
        },
    )
