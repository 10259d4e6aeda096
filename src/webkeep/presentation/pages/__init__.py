"""Pages of ours: markup out of values, the document, and the style sheets of all of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.presentation.pages.markup import (
        Markup as Markup,
        element as element,
        escape_text as escape_text,
        join_markup as join_markup,
        render_facts as render_facts,
        render_row as render_row,
        render_table as render_table,
    )
    from webkeep.presentation.pages.page import (
        PAGE_STYLE as PAGE_STYLE,
        REPORT_POLICY as REPORT_POLICY,
        REPORT_STYLE as REPORT_STYLE,
        SERVER_STYLE as SERVER_STYLE,
        read_style as read_style,
        render_page as render_page,
        script_policy as script_policy,
        stream_report as stream_report,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "markup": ("Markup", "element", "escape_text", "join_markup", "render_facts", "render_row", "render_table"),
            "page": (
                "PAGE_STYLE",
                "REPORT_POLICY",
                "REPORT_STYLE",
                "SERVER_STYLE",
                "read_style",
                "render_page",
                "script_policy",
                "stream_report",
            ),
        },
    )
