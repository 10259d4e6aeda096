"""The query language of CDX servers: queries, filters, rows and their output."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.memento.cdx.cdx_filter import filter_rows as filter_rows
    from webkeep.memento.cdx.cdx_output import CDX_MEDIA_TYPES as CDX_MEDIA_TYPES, render_row as render_row
    from webkeep.memento.cdx.cdx_query import (
        CdxOutput as CdxOutput,
        CdxQuery as CdxQuery,
        CdxResumeKey as CdxResumeKey,
        SortOrder as SortOrder,
    )
    from webkeep.memento.cdx.cdx_row import WAYBACK_NAMES as WAYBACK_NAMES, CdxRow as CdxRow
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "cdx_filter": ("filter_rows",),
            "cdx_output": ("CDX_MEDIA_TYPES", "render_row"),
            "cdx_query": ("CdxOutput", "CdxQuery", "CdxResumeKey", "SortOrder"),
            "cdx_row": ("CdxRow", "WAYBACK_NAMES"),
        },
    )
